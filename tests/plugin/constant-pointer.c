// A call through a constant function pointer is a site: it can only reach malloc.
// RUN: %ir -O0 %s | %check
// RUN: %ir -O2 %s | %check
// CHECK: define {{.*}}@called(
// CHECK: call {{.*}}@__liballocsite_v1_malloc(i64 {{.*}}24, {{.*}}@__allocsite_sites.called
// CHECK: define {{.*}}@of_table(
// CHECK: call {{.*}}@__liballocsite_v1_calloc(i64 {{.*}}2, i64 {{.*}}8, {{.*}}@__allocsite_sites.of_table
#include <stdlib.h>
static void *(*const allocate)(size_t) = malloc;
static const struct {
    void *(*zeroed)(size_t, size_t);
} table = {calloc};
void *called(void) {
    return allocate(24);
}
void *of_table(void) {
    return table.zeroed(2, 8);
}
