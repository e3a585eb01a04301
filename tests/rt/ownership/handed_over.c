/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One thread allocates, a second reallocates, a third frees; they are connected by queues of fixed size. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sched.h>

#define BLOCKS 100000
#define ROOM   64

struct queue {
    void *blocks[ROOM];
    _Atomic unsigned long put, taken;
};

static struct queue first, second;

static void put(struct queue *queue, void *p) {
    while (queue->put - queue->taken == ROOM)
        sched_yield();
    queue->blocks[queue->put % ROOM] = p;
    queue->put++;
}

static void *take(struct queue *queue) {
    while (queue->put == queue->taken)
        sched_yield();
    void *p = queue->blocks[queue->taken % ROOM];
    queue->taken++;
    return p;
}

static void *produce(void *unused) {
    for (int i = 0; i < BLOCKS; i++)
        put(&first, malloc(40)); // @ 100000 4000000 0 0 0
    return unused;
}

static void *grow(void *unused) {
    for (int i = 0; i < BLOCKS; i++)
        put(&second, realloc(take(&first), 1000)); // @ 0 0 100000 100000000 0
    return unused;
}

static void *consume(void *unused) {
    for (int i = 0; i < BLOCKS; i++)
        free(take(&second)); // @ any
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, produce, NULL); /* @ any */
    pthread_create(&threads[1], NULL, grow, NULL); /* @ any */
    pthread_create(&threads[2], NULL, consume, NULL); /* @ any */
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return write(STDOUT_FILENO, "done\n", 5) == 5 ? 3 : 1;
}
