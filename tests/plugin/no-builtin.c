// -fno-builtin hides malloc from the optimizer, but not from the plugin.
// RUN: %ir -fno-builtin -O0 %s | %check
// RUN: %ir -fno-builtin -O2 %s | %check
// RUN: %ir -ffreestanding -O2 %s | %check
// CHECK: call {{.*}}@__liballocsite_v1_malloc(
// CHECK: call {{.*}}@__liballocsite_v1_free(
#include <stddef.h>
void *malloc(size_t);
void free(void *);
void pair(void) {
    free(malloc(8));
}
