/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Coroutines of two threads with 3 KiB of stack above an inaccessible page. Each allocates in three functions, and
 * other coroutines run in between. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { COROUTINES = 50, ROUNDS = 3, STACK = 3072, PAGE = 4096 };

#define APART __attribute__((noinline))

static ucontext_t scheduler, coroutines[COROUTINES];
static int current;
static char *memory;

static void pass_on(void) {
    swapcontext(&coroutines[current], &scheduler);
}

APART static void third(void) {
    char *volatile block = malloc(100); /* @ 300 30000 0 0 0 */
    pass_on();
    block = realloc(block, 200); /* @ 0 0 300 60000 0 */
    free(block);
    __asm__ volatile("");
}

APART static void second(void) {
    char *volatile text = strdup("text"); /* @ 300 1500 0 0 0 */
    third();
    pass_on();
    free(text);
}

static void body(void) {
    for (int i = 0; i < ROUNDS; i++) {
        void *volatile block = calloc(10, 1); /* @ 300 3000 0 0 0 */
        second();
        free(block);
    }
}

static void begin(ucontext_t *coroutine) {
    mprotect(memory, PAGE, PROT_NONE);
    getcontext(coroutine);
    coroutine->uc_stack.ss_sp = memory + PAGE;
    coroutine->uc_stack.ss_size = STACK;
    coroutine->uc_link = &scheduler;
    memory += 2 * PAGE;
    makecontext(coroutine, body, 0);
}

static void *run(void *unused) {
    for (int i = 0; i < COROUTINES; i++)
        begin(&coroutines[i]);
    for (int round = 0; round < 2 * ROUNDS + 1; round++)
        for (current = 0; current < COROUTINES; current++)
            swapcontext(&scheduler, &coroutines[current]);
    return unused;
}

int main(void) {
    pthread_t thread;
    /* Near the TLS of the first thread; that of other threads has their stack below it. */
    memory =
        mmap(NULL, (size_t)4 * COROUTINES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&thread, NULL, run, NULL); /* @ any */
    pthread_join(thread, NULL);
    run(NULL);
    puts("done"); // @ any
    return 3;
}
