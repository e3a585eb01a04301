/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Uninstrumented: it knows no contexts, calls back in several ways, and allocates itself. */
#include <stdlib.h>
#include <ucontext.h>

typedef void *callback(size_t);

/* Two paths of the same depth to one call. */
__attribute__((noinline)) static void call_all(callback **all, int count, size_t bytes) {
    for (int i = 0; i < count; i++)
        free(all[i](bytes));
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void library_left(callback **all, int count, size_t bytes) {
    call_all(all, count, bytes);
    __asm__ volatile("");
}

__attribute__((noinline)) void library_right(callback **all, int count, size_t bytes) {
    call_all(all, count, bytes);
    __asm__ volatile("" ::: "memory");
}

/* Ends with a jump, after it has called back. */
__attribute__((noinline)) void *library_tail(callback *first, callback *then, size_t bytes) {
    free(first(bytes));
    return then(bytes);
}

__attribute__((noinline)) void *library_allocates(size_t bytes) {
    void *p = malloc(bytes);
    __asm__ volatile("");
    return p;
}

__attribute__((noinline)) void *library_between(ucontext_t *from, ucontext_t *to, size_t bytes) {
    swapcontext(from, to);
    void *p = malloc(bytes);
    __asm__ volatile("");
    return p;
}

typedef void *action(const void *path, int depth);

__attribute__((noinline)) void library_calls(action *call, const void *path, int depth) {
    call(path, depth);
    __asm__ volatile("");
}

__attribute__((noinline)) void *library_jumps(action *first, action *then, const void *path, int depth) {
    first(path, depth);
    return then(path, depth);
}

/* Bodies of coroutines. */
callback *library_callback;
volatile int library_spins, library_stops;

__attribute__((noinline)) static void call_one(size_t bytes) {
    library_callback(bytes);
    __asm__ volatile("" ::: "memory");
}

void library_body(void) {
    call_one(8);
    call_one(8);
    call_one(8);
    __asm__ volatile("");
}

void library_spin(void) {
    library_spins = 1;
    while (library_stops < 1)
        ;
    while (library_stops < 2)
        ;
    while (library_stops < 3)
        ;
    __asm__ volatile("");
}
