// A function without a result that gives what it is given on to a pointer in a variable or a structure frees for its callers. Not one
// that calls what it is given, nor one that gives something else, nor one that other files do not see as such.
// RUN: %clang -O0 -c %s -o %t.O0.o && %dump wrappers %t.O0.o | %check
// RUN: %clang -O2 -c %s -o %t.O2.o && %dump wrappers %t.O2.o | %check
// CHECK: # found by their bodies
// CHECK-NEXT: fun:by_member=wrapper pointer=2
// CHECK-NEXT: fun:by_realloc=wrapper pointer=1
// CHECK-NEXT: fun:by_variable=wrapper pointer=1
// CHECK-NEXT: fun:passes=wrapper pointer=2
// CHECK-NOT: {{.}}
#include <stddef.h>
struct functions {
    void *(*reallocate)(void *opaque, void *block, size_t old, size_t n);
    void (*release)(void *opaque, void *block);
    void *opaque;
};
struct state {
    struct functions functions;
    char *text;
    int count;
};
void (*release)(void *);
void *(*reallocate)(void *, size_t);
void by_variable(void *block) {
    if (block)
        release(block);
}
void by_realloc(void *block) {
    reallocate(block, 0);
}
void by_member(struct state *state, void *block) {
    state->functions.release(state->functions.opaque, block);
}
struct thread {
    struct state *state;
};
void passes(struct thread *thread, char *block) {
    by_member(thread->state, block);
}
void call(void (*function)(void *), void *argument) {
    function(argument);
}
void another(struct state *state, void *block) {
    state->functions.release(state->functions.opaque, state->text);
    call(state->functions.opaque, block);
}
void takes_apart(struct state *state, void *block) {
    by_member(state, state->text);
    by_member(state, block);
}
void hidden(struct state *state, void *block, size_t n) {
    state->count -= n;
    state->functions.release(state->functions.opaque, block);
}
void resized(void *block, size_t n) {
    reallocate(block, n);
}
