/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* exchange ROUNDS [LEAST]: two threads replace blocks of random sizes, at least LEAST bytes, and swap their
 * blocks after each round. So each frees the other's blocks (after P. Larson and M. Krishnan, "Memory
 * allocation for long-running server applications"). */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 2
#define BLOCKS  4096

struct block {
    size_t size;
    unsigned char data[];
};

static struct block *held[THREADS][BLOCKS];
static long rounds;
static size_t least = 8;
static unsigned long sums[THREADS];
static pthread_barrier_t barrier;

static uint32_t random_number(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static unsigned long drop(struct block *block) {
    if (!block)
        return 0;
    unsigned long sum = block->data[0] + block->data[block->size - 1];
    free(block);
    return sum;
}

static struct block *make(size_t size) {
    struct block *block = malloc(sizeof *block + size);
    block->size = size;
    memset(block->data, (int)size, size);
    return block;
}

static unsigned long replace_all(struct block **blocks, uint32_t *state) {
    unsigned long sum = 0;
    for (int i = 0; i < BLOCKS; i++) {
        struct block **block = &blocks[random_number(state) % BLOCKS];
        sum += drop(*block);
        *block = make(least + random_number(state) % 500);
    }
    return sum;
}

static void *work(void *number) {
    size_t index = (size_t)number;
    uint32_t state = 2463534242u + (uint32_t)index;
    for (long round = 0; round < rounds; round++) {
        sums[index] += replace_all(held[(index + (size_t)round) % THREADS], &state);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[THREADS];
    unsigned long sum = 0;
    rounds = argc > 1 ? atol(argv[1]) : 1;
    least = argc > 2 ? strtoul(argv[2], NULL, 10) : least;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)i) != 0)
            return 1;
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < THREADS; i++) {
        sum += sums[i];
        for (int j = 0; j < BLOCKS; j++)
            sum += drop(held[i][j]);
    }
    printf("%lu\n", sum);
}
