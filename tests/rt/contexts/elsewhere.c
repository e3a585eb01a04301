/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Coroutines whose bodies are other code: it comes to the same call, at the same depth of the same stack, by
 * two ways, and what is found there is in both cases what whoever resumes the coroutine has left. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>

typedef void *callback(size_t);
extern callback *library_callback;
extern volatile int library_spins, library_stops;
void library_body(void), library_spin(void);

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

int main(void) {
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
