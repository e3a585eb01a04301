/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Allocates on stacks of all kinds: below code generated at run time, on stacks that are unmapped and mapped again,
 * small ones, without guard pages, in signal handlers, in children. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { PAGE = 4096 };

static __thread void *volatile sink;
static __thread ucontext_t here, there;

static __attribute__((noinline)) void allocate(void) {
    sink = malloc(10);
    free(sink);
    sink = realloc(malloc(1000), 20);
    free(sink);
}

static void *map(size_t size) {
    return mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* With a frame pointer; with a number in its place; with the address of a word on the stack. */
static void made_at_run_time(void) {
    static const char *const codes[] = {"\x55\x48\x89\xe5\xff\xd7\x5d\xc3",
                                        "\x55\x48\xc7\xc5\x34\x12\x12\x12\xff\xd7\x5d\xc3",
                                        "\x55\x48\x8d\x6c\x24\x40\xff\xd7\x5d\xc3"};
    for (int i = 0; i < 3; i++) {
        char *code = map(PAGE);
        memcpy(code, codes[i], strlen(codes[i]));
        ((void (*)(void (*)(void)))code)(allocate);
        munmap(code, PAGE);
    }
}

static void coroutine(void) {
    allocate();
    swapcontext(&there, &here);
    made_at_run_time();
}

static void coroutines(size_t size) {
    getcontext(&there);
    there.uc_stack = (stack_t){.ss_sp = map(size), .ss_size = size};
    there.uc_link = &here;
    makecontext(&there, coroutine, 0);
    swapcontext(&here, &there);
    allocate();
    swapcontext(&here, &there);
    munmap(there.uc_stack.ss_sp, size);
}

static void handle(int signal) {
    (void)signal;
    made_at_run_time();
}

static void *all(void *unused) {
    stack_t alternate = {.ss_sp = map(8 * PAGE), .ss_size = 8 * PAGE}, none = {.ss_flags = SS_DISABLE};
    for (int i = 0; i < 20; i++)
        coroutines((size_t)(4 + i % 5) * PAGE);
    sigaltstack(&alternate, NULL);
    raise(SIGUSR1);
    sigaltstack(&none, NULL);
    munmap(alternate.ss_sp, alternate.ss_size);
    raise(SIGUSR1);
    made_at_run_time();
    return unused;
}

static void threads(size_t guard) {
    pthread_t ids[4];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setguardsize(&attributes, guard);
    pthread_attr_setstacksize(&attributes, 16 * PAGE);
    for (int i = 0; i < 4; i++)
        pthread_create(&ids[i], &attributes, all, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(ids[i], NULL);
}

static int ended(pid_t child) {
    int status = 1;
    return waitpid(child, &status, 0) == child ? status : 1;
}

int main(void) {
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    all(NULL);
    for (int i = 0; i < 10; i++)
        threads(i % 2 ? 0 : PAGE);
    pid_t child = fork();
    if (child == 0)
        _exit(all(NULL) != NULL);
    int failed = ended(child);
    child = vfork();
    if (child == 0) {
        allocate();
        _exit(0);
    }
    failed |= ended(child);
    puts(failed ? "failed" : "done");
    return 3;
}
