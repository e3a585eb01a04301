/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads whose blocks are referenced only from their stacks, one of them in a signal handler with its own
 * stack. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct held {
    long number;
};

static int paused;

__attribute__((noinline)) static void wait_here(void) {
    puts("ready");
    fflush(stdout);
    getchar();
}

__attribute__((noinline)) static void keep(long number) {
    struct held *volatile held = malloc(sizeof *held);
    held->number = number;
    if (number == 1) {
        wait_here();
    } else {
        __atomic_add_fetch(&paused, 1, __ATOMIC_SEQ_CST);
        pause();
    }
    free(held);
}

__attribute__((noinline)) static void keep_more(void) {
    struct held *volatile held = malloc(sizeof *held);
    held->number = 3;
    keep(2);
    free(held);
}

static void *run(void *unused) {
    keep_more();
    return unused;
}

static void interrupt(int number) {
    struct held *volatile held = malloc(sizeof *held);
    held->number = number;
    keep(5);
}

static void *be_interrupted(void *unused) {
    const size_t size = 1 << 17;
    void *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct held *volatile held = malloc(sizeof *held);
    held->number = 4;
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = size}, NULL);
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = interrupt, .sa_flags = SA_ONSTACK}, NULL);
    raise(SIGUSR1);
    free(held);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_create(&thread, NULL, be_interrupted, NULL);
    while (__atomic_load_n(&paused, __ATOMIC_SEQ_CST) < 2)
        usleep(1000);
    keep(1);
    return 0;
}
