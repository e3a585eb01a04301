// Declarations without a prototype: the call determines the arguments.
// RUN: %ir -std=gnu89 -w -O0 %s | %check
// RUN: %ir -std=gnu89 -w -O2 %s | %check
// RUN: %ir -std=gnu89 -w -fno-builtin -O2 %s | %check
// CHECK: define {{.*}}@old(
// CHECK: call {{.*}}@__liballocsite_v1_malloc{{.*}}(i{{32|64}} {{.*}}100, {{.*}}@__allocsite_sites.old
// CHECK: call {{.*}}@__liballocsite_v1_realloc{{.*}}({{.*}}200, {{.*}}@__allocsite_sites.old
char *malloc();
char *realloc();
char *old() {
    char *p = malloc(100);
    return realloc(p, 200);
}
