// A program's own strdup is an ordinary function, and its inner calls are sites. Its own malloc serves the
// whole process, so its callers are the sites, unless its visibility is hidden.
// RUN: %ir -w -fno-builtin -O0 %s | %check
// RUN: %ir -w -fno-builtin -O2 %s | %check
// CHECK: define {{.*}}@strdup(
// CHECK: call {{.*}}@__liballocsite_v1_malloc(
// CHECK: define {{.*}}@user(
// CHECK: call {{.*}}@strdup{{.*}}(
// CHECK: call {{.*}}@calloc(
// CHECK: ret
typedef unsigned long size_t;
extern char arena[];
__attribute__((noinline)) void *malloc(size_t n) {
    return arena + n;
}
__attribute__((noinline, visibility("hidden"))) void *calloc(size_t n, size_t size) {
    return arena + n * size;
}
__attribute__((noinline)) char *strdup(const char *text) {
    char *copy = malloc(10);
    *copy = *text;
    return copy;
}
void *user(void) {
    arena[0] = *strdup("x");
    return calloc(2, 8);
}
