/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* mixture ROUNDS: replaces blocks of sizes as in real programs: many small ones, some of kilobytes, a few
 * large ones. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCKS 8192

struct block {
    size_t size;
    unsigned char data[];
};

static struct block *held[BLOCKS];

static uint32_t random_number(void) {
    static uint32_t state = 2463534242u;
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

/* Of 128 blocks, 96 have up to 100 bytes, 24 up to 1 KiB, 7 up to 16 KiB, 1 up to 200 KiB. */
static size_t random_size(void) {
    uint32_t share = random_number() % 128;
    return 1 + random_number() % (share < 96 ? 100u : share < 120 ? 1024u : share < 127 ? 16384u : 204800u);
}

static unsigned long replace(struct block **block) {
    unsigned long sum = *block ? (*block)->data[0] + (*block)->data[(*block)->size - 1] : 0;
    size_t size = random_size();
    free(*block);
    *block = malloc(sizeof **block + size);
    (*block)->size = size;
    (*block)->data[0] = (*block)->data[size - 1] = (unsigned char)size;
    return sum;
}

int main(int argc, char **argv) {
    unsigned long sum = 0;
    for (long i = 0, count = argc > 1 ? atol(argv[1]) * BLOCKS : BLOCKS; i < count; i++)
        sum += replace(&held[random_number() % BLOCKS]);
    printf("%lu\n", sum);
}
