// Every C function of the list gets a site, also under the names that the headers redirect to.
// RUN: %ir -O0 %s | %check
// CHECK-DAG: call {{.*}}@__liballocsite_v1_malloc(
// CHECK-DAG: call {{.*}}@__liballocsite_v1_calloc(
// CHECK-DAG: call {{.*}}@__liballocsite_v1_realloc(
// CHECK-DAG: call {{.*}}@__liballocsite_v1_reallocarray(
// CHECK-DAG: call {{.*}}@__liballocsite_v1_aligned_alloc(
// CHECK-DAG: call {{.*}}@__liballocsite_v1_posix_memalign(
// CHECK-DAG: call {{.*}}@__liballocsite_v1_memalign(
// CHECK-DAG: call {{.*}}@__liballocsite_v1_valloc(
// CHECK-DAG: call {{.*}}@__liballocsite_v1_pvalloc(
// CHECK-DAG: call {{.*}}@__liballocsite_v1_free_sized({{.*}} 8, {{.*}}@__allocsite_sites.sized
// CHECK-DAG: call {{.*}}@__liballocsite_v1_free_aligned_sized({{.*}} 64, {{.*}} 8, {{.*}}@__allocsite_sites.sized
// CHECK-DAG: call {{.*}}@__liballocsite_v1_strdup(
// CHECK-DAG: call {{.*}}@__liballocsite_v1_strndup(
#define _GNU_SOURCE
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

void *heap(void **p, size_t n) {
    p[0] = malloc(n);
    p[1] = calloc(n, 2);
    p[2] = realloc(p[2], n);
    p[3] = reallocarray(p[3], n, 2);
    p[4] = aligned_alloc(64, n);
    posix_memalign(&p[5], 64, n);
    p[6] = memalign(64, n);
    p[7] = valloc(n);
    p[8] = pvalloc(n);
    return p;
}

/* C23. */
void free_sized(void *, size_t);
void free_aligned_sized(void *, size_t, size_t);

void sized(void **p) {
    free_sized(p[0], 8);
    free_aligned_sized(p[1], 64, 8);
}

void libc(char **s, size_t n) {
    s[0] = strdup(s[9]);
    s[1] = strndup(s[9], n);
}
