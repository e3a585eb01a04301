// The definition of a custom allocator reports its blocks at every return, all as one site.
// RUN: %ir -O1 %s | %check
// CHECK-LABEL: define {{.*}}@arena_alloc(
// CHECK: call i64 @__liballocsite_v1_custom_enter()
// CHECK: call void @__liballocsite_v1_allocsite_custom_alloc({{.*}}%{{.*}}, i64 %{{.*}}, i64 %{{.*}}, i64 0, {{.*}})
// CHECK: ret
//
// RUN: %clang -O0 -c %s -o %t.o && %sites %t.o --format=json | %check --check-prefix=SITES
// SITES-COUNT-1: "callee":"arena_alloc"
// SITES-NOT: "callee":"arena_alloc"
#define SAYS(what) __attribute__((annotate("allocsite:" what)))

struct arena {
    char *at, *end;
};
char *more(struct arena *, unsigned long);

SAYS("alloc size=2") void *arena_alloc(struct arena *arena, unsigned long n) {
    if (n <= (unsigned long)(arena->end - arena->at)) {
        char *p = arena->at;
        arena->at += n;
        return p;
    }
    return more(arena, n);
}
