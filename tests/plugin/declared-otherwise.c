// Declarations of old programs: integers of any width are extended to the C library's, and free may have a
// result. A declaration that cannot be the C library's gets no sites and one warning.
// RUN: %ir -w -O0 %s | %check
// RUN: %ir -w -O2 %s | %check
// RUN: %clang -Wno-incompatible-library-redeclaration -DREFUSED -c %s -o %t.o 2>&1 | %check --check-prefix=WARN
// RUN: %sites %t.o --format=json | %check --check-prefix=SITES
// CHECK-LABEL: define {{.*}}@old(
// CHECK: [[N:%.*]] = zext i32 {{.*}} to i64
// CHECK: call {{.*}}@__liballocsite_v1_malloc{{.*}}(i64 {{.*}}[[N]], {{.*}}@__allocsite_sites.old
// CHECK: call {{.*}}@__liballocsite_v1_calloc{{.*}}(i64 {{.*}}, i64 {{.*}}4294967295, {{.*}}@__allocsite_sites.old
// CHECK: call {{.*}}@__liballocsite_v1_realloc{{.*}} i64 {{.*}}@__allocsite_sites.old
// CHECK: [[S:%.*]] = sext i16 {{.*}} to i32
// CHECK: [[Z:%.*]] = zext i32 [[S]] to i64
// CHECK: call {{.*}}@__liballocsite_v1_valloc{{.*}}(i64 {{.*}}[[Z]], {{.*}}@__allocsite_sites.old
// CHECK: call i32 {{.*}}@__liballocsite_v1_free{{.*}}@__allocsite_sites.old
// WARN-COUNT-1: warning: allocsite: {{.*}}declared-otherwise.c declares pvalloc with another prototype than C: its calls get no sites
// WARN-NOT: warning: allocsite
// SITES: "callee":"malloc"
// SITES-NOT: "callee":"pvalloc"
extern void *malloc(unsigned);
extern char *calloc(int, int);
extern void *realloc(void *, unsigned char);
extern char *valloc(short);
extern int free();

int old(char **p, unsigned n, int m, unsigned char c, short s) {
    p[0] = malloc(n);
    p[4] = calloc(m, -1);
    p[1] = realloc(p[1], c);
    p[2] = valloc(s);
    return free(p[3]);
}

#ifdef REFUSED
extern int pvalloc(double), memalign(int, int);
int refused(void) {
    return pvalloc(1) + pvalloc(2) + memalign(8, 8);
}
#endif
