/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two threads that hold blocks on their stacks alone. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
struct held {
    long number;
};

__attribute__((noinline)) static void wait_here(void) {
    puts("ready");
    fflush(stdout);
    getchar();
}

__attribute__((noinline)) static void keep(long number) {
    struct held *volatile held = malloc(sizeof *held);
    held->number = number;
    if (number == 1)
        wait_here();
    else
        pause();
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

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    usleep(100000);
    keep(1);
    return 0;
}
