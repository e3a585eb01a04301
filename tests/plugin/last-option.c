// An option that is given again, as by flags that are put behind a build's own, holds as it was given last.
// RUN: %ir -O0 -fplugin=%plugin -mllvm -allocsite-lift=0 -mllvm -allocsite-lift=1 %s | %check --check-prefix=ON
// RUN: %ir -O0 -fplugin=%plugin -mllvm -allocsite-lift=1 -mllvm -allocsite-lift=0 %s | %check --check-prefix=OFF
#include <stdlib.h>
// ON: store volatile {{.*}}__allocsite_sites.use{{.*}}lifted
// OFF-NOT: lifted
static void *take(size_t size) {
    return malloc(size);
}
void *use(void) {
    return take(7);
}
