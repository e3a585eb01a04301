// What a custom allocator hands out is billed to the line that calls it, inlined or not.
// RUN: %clang -O0 -c %s -o %t.O0.o && %sites %t.O0.o --format=json | %check
// RUN: %clang -O2 -c %s -o %t.O2.o && %sites %t.O2.o --format=json | %check
// CHECK: "function":"caller",{{[^]]*}}"line":[[@LINE+12]],{{[^]]*}}"callee":"arena_alloc"
#define SAYS(what) __attribute__((annotate("allocsite:" what)))

struct arena {
    char *at;
};

SAYS("alloc size=2") static void *arena_alloc(struct arena *arena, unsigned long n) {
    return (arena->at += n) - n;
}

void *caller(struct arena *arena) {
    return arena_alloc(arena, 8);
}
