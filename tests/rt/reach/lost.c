/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Blocks that one thread keeps reachable, and blocks that it leaks.
#include "common.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *next;
    char data[40];
};

static void *kept;
static char *inside;
static struct node *list;
static pthread_key_t key;
static __thread void *thread_local;

NOINLINE static void keep(void) {
    void *freed = malloc(77);
    lose(freed);
    kept = malloc(24);
    inside = (char *)malloc(1000) + 500;
    thread_local = strdup("for this thread");
    free(freed);
    pthread_key_create(&key, NULL);
    pthread_setspecific(key, malloc(300));
    setenv("KEPT", "by the environment", 1);
    fputc('x', fopen("/dev/null", "w"));
}

NOINLINE static void lose_single(void) {
    lose(malloc(100));            // @ lost 1 100
    lose(strdup("twelve chars")); // @ lost 1 13
    lose(calloc(7, 11));          // @ lost 1 77
    lose(aligned_alloc(64, 192)); // @ lost 1 192
    void *moved = malloc(10);
    lose(moved);
    lose(realloc(moved, 5000)); // @ lost 1 5000
    for (int i = 0; i < 100000; i++)
        lose(malloc(16)); // @ lost 100000 1600000
}

NOINLINE static struct node *chain(int length) {
    struct node *first = NULL;
    for (int i = 0; i < length; i++) {
        struct node *node = calloc(1, sizeof *node); // @ lost 10 480
        node->next = first;
        first = node;
    }
    return first;
}

NOINLINE static void lose_linked(void) {
    struct node *one = calloc(1, sizeof *one), *other = calloc(1, sizeof *other); // @ lost 2 96
    one->next = other;
    other->next = one;
    lose(chain(10));
    void **large = calloc(1, 1 << 20); // @ lost 1 1048576
    large[70000] = malloc(31);         // @ lost 1 31
    lose(large);
    list = chain(1000);
}

// The allocator's pointers to free memory may be in the last 8 bytes of the preceding block of such a size.
NOINLINE static void lose_before_free_memory(void) {
    void *before = malloc(5000);                    // @ lost 1 5000
    void *freed = malloc(5000), *last = malloc(24); // @ lost 1 24
    lose(before);
    lose(last);
    free(freed);
    lose(malloc(99960)); // @ lost 1 99960
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0); // otherwise its buffer takes the free memory
    keep();
    lose_single();
    lose_linked();
    lose_before_free_memory();
    clear_stack();
    puts("done");
    clear_stack();
    return 3;
}
