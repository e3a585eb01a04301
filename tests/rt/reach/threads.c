/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Blocks that threads still running at exit keep reachable, and blocks that they leak.
#include "common.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static __thread void *thread_local;
static pthread_key_t key;
static atomic_int ready;

NOINLINE static void wait_for_ever(void) {
    clear_stack();
    atomic_fetch_add(&ready, 1);
    for (;;)
        pause();
}

static void *keep_on_stack(void *unused) {
    void *volatile on_stack = malloc(110);
    wait_for_ever();
    lose(on_stack);
    return unused;
}

static void *keep_inside_on_stack(void *unused) {
    char *volatile on_stack = (char *)malloc(120) + 60;
    wait_for_ever();
    lose(on_stack);
    return unused;
}

static void *keep_in_thread_memory(void *unused) {
    thread_local = malloc(130);
    wait_for_ever();
    return unused;
}

static void *keep_in_key(void *unused) {
    pthread_setspecific(key, malloc(140));
    wait_for_ever();
    return unused;
}

static void *keep_in_register(void *unused) {
    register void *in_register __asm__("r13") = malloc(150);
    clear_stack();
    atomic_fetch_add(&ready, 1);
    __asm__ volatile("xorl %%eax, %%eax; 1: pause; jmp 1b" : : "r"(in_register) : "rax", "memory");
    return unused;
}

static void *lose_and_wait(void *unused) {
    lose(malloc(160)); // @ lost 1 160
    clear_stack();
    wait_for_ever();
    return unused;
}

static void *lose_and_end(void *unused) {
    lose(malloc(180)); // @ lost 1 180
    clear_stack();
    return unused;
}

int main(void) {
    void *(*const waiting[])(void *) = {keep_on_stack, keep_inside_on_stack, keep_in_thread_memory,
                                        keep_in_key,   keep_in_register,     lose_and_wait};
    const int count = sizeof waiting / sizeof *waiting;
    pthread_t thread;
    pthread_key_create(&key, NULL);
    pthread_create(&thread, NULL, lose_and_end, NULL);
    pthread_join(thread, NULL);
    for (int i = 0; i < count; i++)
        pthread_create(&thread, NULL, waiting[i], NULL);
    while (atomic_load(&ready) < count)
        usleep(1000);
    usleep(10000);
    clear_stack();
    puts("done");
    clear_stack();
    return 3;
}
