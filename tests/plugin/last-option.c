// If an option occurs several times, as with flags appended to a build's own, the last one counts.
// RUN: %ir -O0 -mllvm -allocsite-contexts=1 %s | %check --check-prefix=ON
// RUN: %ir -O0 -mllvm -allocsite-contexts=1 -mllvm -allocsite-contexts=0 %s | %check --check-prefix=OFF
#include <stdlib.h>
// ON: load volatile {{.*}}__liballocsite_v1_context
// OFF-NOT: __liballocsite_v1_context
void *take(size_t size) {
    return malloc(size);
}
