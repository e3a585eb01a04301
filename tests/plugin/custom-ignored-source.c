// Calls in sources that a list ignores have no sites.
// RUN: printf 'src:*ignored-source.c=ignore\n' > %t.list
// RUN: %ir -O1 -fplugin=%plugin -mllvm -allocsite-list=%t.list %s | %check
// CHECK: call {{.*}}@malloc(
// CHECK-NOT: __allocsite
#include <stdlib.h>

void *make(void) {
    return malloc(8);
}
