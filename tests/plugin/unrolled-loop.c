// The copies of an unrolled call are one site.
// RUN: %ir -O0 %s | %check
// RUN: %ir -O2 %s | %check
// RUN: %ir -O2 %s | %check --check-prefix=COPIES
// CHECK: @__allocsite_sites.fill = private externally_initialized global [1 x %allocsite.site] [
// COPIES-COUNT-4: call {{.*}}@__liballocsite_v1_malloc({{.*}}@__allocsite_sites.fill
#include <stdlib.h>
void fill(void **to) {
    for (int i = 0; i < 4; i++)
        to[i] = malloc(32);
}
