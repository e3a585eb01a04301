/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The first thread ends before the others, in a process and in a forked child. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static void *volatile inherited;
static pthread_t first;

static ucontext_t outside, inside;

__attribute__((noinline)) static void allocate(void) {
    free(inherited);
    inherited = malloc(50); /* with its whole stack */
}

static void coroutine(void) {
    allocate();
    swapcontext(&inside, &outside);
}

/* On the coroutine's own memory, which the kernel reads during a walk. */
static void run_coroutine(void) {
    enum { SIZE = 1 << 16 };
    void *stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = SIZE;
    makecontext(&inside, coroutine, 0);
    swapcontext(&outside, &inside);
    munmap(stack, SIZE);
}

static void *stay(void *status) {
    pthread_join(first, NULL);
    while (access("/proc/self/exe", F_OK) == 0)
        usleep(1000);
    run_coroutine();
    free(inherited);
    puts("done");
    exit((int)(long)status);
}

static void desert(long status) {
    pthread_t thread;
    first = pthread_self();
    if (pthread_create(&thread, NULL, stay, (void *)status) == 0)
        pthread_exit(NULL);
}

int main(void) {
    inherited = malloc(100);
    pid_t child = fork();
    if (child == 0)
        desert(4);
    int status;
    waitpid(child, &status, 0);
    desert(WEXITSTATUS(status) == 4 ? 3 : 1);
}
