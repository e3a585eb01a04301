/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two threads that each allocate, reallocate and free one block, two million times. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void *work(void *unused) {
    for (int i = 0; i < 2000000; i++) {
        void *volatile p = malloc(32); /* taken */
        p = realloc(p, 64);
        free(p);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    puts("done");
    return 3;
}
