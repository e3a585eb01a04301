/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* threads KIND COUNT THREADS: THREADS threads allocate COUNT blocks each at full speed, at the same time.
 *
 *     own       each block is freed after 63 others
 *     handover  every second thread frees the blocks of the previous one; a single thread does both
 *     grow      all blocks are freed at the end
 *
 * Prints the sum of the numbers in the blocks that one thread freed, which does not depend on the number of
 * threads. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 64
#define WINDOW  64
#define SLOTS   1024

struct block {
    struct block *next;
    uintptr_t number;
};

/* Connects one thread with one other. The fields of each writer have their own cache lines. */
struct ring {
    _Alignas(128) atomic_ulong sent;
    _Alignas(128) atomic_ulong received;
    _Alignas(128) struct block *slots[SLOTS];
};

struct worker {
    _Alignas(128) pthread_t thread;
    unsigned index;
    uintptr_t sum; /* of the numbers in the freed blocks */
};

static unsigned long count;
static unsigned threads;
static struct worker workers[THREADS];
static struct ring rings[THREADS / 2];

static struct block *make(unsigned long number) {
    struct block *block = malloc(sizeof *block + number % 240);
    block->number = number;
    return block;
}

static uintptr_t drop(struct block *block) {
    uintptr_t number = block ? block->number : 0;
    free(block);
    return number;
}

static uintptr_t work_own(unsigned index) {
    (void)index;
    struct block *window[WINDOW] = {0};
    uintptr_t sum = 0;
    for (unsigned long i = 0; i < count; i++) {
        sum += drop(window[i % WINDOW]);
        window[i % WINDOW] = make(i);
    }
    for (int i = 0; i < WINDOW; i++)
        sum += drop(window[i]);
    return sum;
}

static uintptr_t work_grow(unsigned index) {
    (void)index;
    struct block *first = NULL;
    uintptr_t sum = 0;
    for (unsigned long i = 0; i < count; i++) {
        struct block *block = make(i);
        block->next = first;
        first = block;
    }
    for (struct block *next; first; first = next) {
        next = first->next;
        sum += drop(first);
    }
    return sum;
}

static void send(struct ring *ring, unsigned long number) {
    struct block *block = make(number);
    while (number - atomic_load_explicit(&ring->received, memory_order_acquire) == SLOTS)
        sched_yield();
    ring->slots[number % SLOTS] = block;
    atomic_store_explicit(&ring->sent, number + 1, memory_order_release);
}

static uintptr_t receive(struct ring *ring, unsigned long number) {
    while (atomic_load_explicit(&ring->sent, memory_order_acquire) == number)
        sched_yield();
    uintptr_t sum = drop(ring->slots[number % SLOTS]);
    atomic_store_explicit(&ring->received, number + 1, memory_order_release);
    return sum;
}

static uintptr_t send_and_receive(struct ring *ring) {
    uintptr_t sum = 0;
    for (unsigned long sent = 0, received = 0; received < count;) {
        for (; sent < count && sent - received < SLOTS; sent++)
            send(ring, sent);
        for (; received < sent; received++)
            sum += receive(ring, received);
    }
    return sum;
}

static uintptr_t work_handover(unsigned index) {
    struct ring *ring = &rings[index / 2];
    uintptr_t sum = 0;
    if (threads == 1)
        return send_and_receive(ring);
    for (unsigned long i = 0; i < count; i++)
        if (index % 2 == 0)
            send(ring, i);
        else
            sum += receive(ring, i);
    return sum;
}

static const struct {
    const char *name;
    uintptr_t (*work)(unsigned index);
} kinds[] = {{"own", work_own}, {"handover", work_handover}, {"grow", work_grow}};

static uintptr_t (*chosen)(unsigned index);

static void *start(void *worker_) {
    struct worker *worker = worker_;
    worker->sum = chosen(worker->index);
    return NULL;
}

static uintptr_t run(void) {
    uintptr_t sum = 0;
    for (unsigned i = 0; i < threads; i++) {
        workers[i].index = i;
        if (pthread_create(&workers[i].thread, NULL, start, &workers[i]) != 0)
            exit(1);
    }
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(workers[i].thread, NULL);
        sum += workers[i].sum;
    }
    return sum;
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(argv[1], kinds[i].name) == 0)
            chosen = kinds[i].work;
    count = strtoul(argv[2], NULL, 10);
    threads = (unsigned)strtoul(argv[3], NULL, 10);
    if (!chosen || threads == 0 || threads > THREADS || (threads > 1 && threads % 2 != 0))
        return 2;
    unsigned freeing = chosen == work_handover && threads > 1 ? threads / 2 : threads;
    printf("%ju\n", (uintmax_t)run() / freeing);
}
