// Every C function of the list gets a site, also under the names that the headers redirect to.
// RUN: %ir -O0 %s | %check
// RUN: %ir -O2 -w -D_FORTIFY_SOURCE=2 %s | %check --check-prefix=FORTIFIED
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
// CHECK-DAG: call {{.*}}@__liballocsite_v1_wcsdup(
// CHECK-DAG: call {{.*}}@__liballocsite_v1_asprintf({{.*}}@__allocsite_sites.libc{{.*}}, {{i8\*\*|ptr}} {{.*}}, i32 {{.*}}42)
// CHECK-DAG: call {{.*}}@__liballocsite_v1_vasprintf(
// CHECK-DAG: call {{.*}}@__liballocsite_v1_getline(
// CHECK-DAG: call {{.*}}@__liballocsite_v1_getdelim(
// CHECK-DAG: call {{.*}}@__liballocsite_v1_realpath(
// CHECK-DAG: call {{.*}}@__liballocsite_v1_canonicalize_file_name(
// CHECK-DAG: call {{.*}}@__liballocsite_v1_getcwd(
// CHECK-DAG: call {{.*}}@__liballocsite_v1_get_current_dir_name(
// CHECK-DAG: call {{.*}}@__liballocsite_v1_open_memstream(
// CHECK-DAG: call {{.*}}@__liballocsite_v1_open_wmemstream(
// CHECK-DAG: call {{.*}}@__liballocsite_v1_scandir(
// CHECK-DAG: call {{.*}}@__liballocsite_v1_scandirat(
// CHECK-DAG: call {{.*}}@__liballocsite_v1_tempnam(
// CHECK-DAG: call {{.*}}@__liballocsite_v1_backtrace_symbols(
// FORTIFIED-DAG: call {{.*}}@__liballocsite_v1___asprintf_chk({{.*}}@__allocsite_sites.libc
// FORTIFIED-DAG: call {{.*}}@__liballocsite_v1___vasprintf_chk(
// FORTIFIED-DAG: call {{.*}}@__liballocsite_v1___getdelim(
#define _GNU_SOURCE
#include <dirent.h>
#include <execinfo.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

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

void libc(char **s, wchar_t **w, size_t *n, FILE *file, struct dirent ***list, va_list arguments) {
    s[0] = strdup(s[9]);
    s[1] = strndup(s[9], *n);
    w[0] = wcsdup(w[9]);
    asprintf(&s[2], "%d", 42);
    vasprintf(&s[3], s[9], arguments);
    getline(&s[4], n, file);
    getdelim(&s[4], n, ';', file);
    s[5] = realpath(s[9], NULL);
    s[6] = canonicalize_file_name(s[9]);
    s[7] = getcwd(NULL, 0);
    s[8] = get_current_dir_name();
    open_memstream(&s[10], n);
    open_wmemstream(&w[1], n);
    scandir(s[9], list, NULL, NULL);
    scandirat(3, s[9], list, NULL, NULL);
    s[11] = tempnam(s[9], NULL);
    s[12] = (char *)backtrace_symbols((void **)s, 1);
}
