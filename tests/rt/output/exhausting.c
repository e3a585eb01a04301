/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* exhausting [SIZE]: allocates all memory, down to the last block of 24 bytes; or a little. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void **list;
static size_t count;

static void keep(void **p) {
    *p = list;
    list = p;
    count++;
}

static void *work(void *unused) {
    for (int i = 0; i < 100; i++)
        free(realloc(malloc(20), 40)); /* thread */
    return unused;
}

int main(int arguments, char **argument) {
    void **p;
    pthread_t thread;
    if (arguments > 1) {
        size_t size = (size_t)atoi(argument[1]);
        while ((p = malloc(size))) /* large */
            keep(p);
        while ((p = malloc(24))) /* small */
            keep(p);
    } else {
        for (int i = 0; i < 1000; i++)
            keep(malloc(100)); /* few */
        pthread_create(&thread, NULL, work, NULL);
        pthread_join(thread, NULL);
    }
    char text[40];
    setvbuf(stdout, text, _IOFBF, sizeof text);
    printf("%zu", count);
    return 3;
}
