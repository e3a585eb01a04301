/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Coroutines whose bodies are uninstrumented: by two paths they reach the same call at the same depth of the same
 * stack, and both times the variable has the number that the resumer has stored. Also uninstrumented code that switches
 * to a coroutine and back before it allocates: the variable then always has the number that the coroutine has
 * stored. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>

typedef void *callback(size_t);
extern callback *library_callback;
extern volatile int library_spins, library_stops;
void library_body(void), library_spin(void);
void *library_between(ucontext_t *from, ucontext_t *to, size_t bytes);

static ucontext_t outside, inside;

static void *take_and_leave(size_t bytes) {
    void *volatile p = malloc(bytes);
    free(p);
    swapcontext(&inside, &outside);
    return NULL;
}

static void on_timer(int number) {
    if (library_spins) {
        void *volatile p = malloc((size_t)number);
        free(p);
        library_stops++;
    }
}

static void run(void (*body)(void), int resumed) {
    static char stack[1 << 16];
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = sizeof stack;
    inside.uc_link = &outside;
    makecontext(&inside, body, 0);
    for (int i = 0; i < resumed; i++)
        swapcontext(&outside, &inside);
}

static void come_and_go(void) {
    for (;;) {
        void *volatile p = malloc(8);
        free(p);
        swapcontext(&inside, &outside);
    }
}

static __attribute__((noinline)) void left(void) {
    free(library_between(&outside, &inside, 24));
    __asm__ volatile("");
}

static __attribute__((noinline)) void right(void) {
    free(library_between(&outside, &inside, 24));
    __asm__ volatile("" ::: "memory");
}

int main(void) {
    run(come_and_go, 1);
    for (int i = 0; i < 12; i++) {
        left();
        if (i % 3 == 0)
            right();
    }
    library_callback = take_and_leave;
    run(library_body, 4);
    signal(SIGALRM, on_timer);
    struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &often, NULL);
    run(library_spin, 1);
    setitimer(ITIMER_REAL, &never, NULL);
    puts("done");
    return 3;
}
