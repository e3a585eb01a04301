/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Allocates, reallocates and frees at random, and keeps the books itself in the simplest way there is: at each new
 * maximum of all live bytes it copies what every site holds. At the end it prints its books, a line for each site:
 * its line in this file and the counters in the order of struct book.
 *
 *     trace SEED EVENTS SHAPE    0: as it comes, 1: growing, 2: sawtooth, 3: large blocks */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct book {
    uint64_t allocs, alloc_bytes, reallocs, realloc_bytes, realloc_old_bytes, frees, freed_bytes, moved, moved_bytes;
    uint64_t live_blocks, live_bytes, peak_blocks, peak_bytes, max_live_blocks;
};

#define SITES  8
#define BLOCKS 20000

static int lines[SITES];
static struct book books[SITES];
static struct {
    char *at;
    size_t size;
    int owner;
} blocks[BLOCKS];
static int block_count;
static uint64_t live_bytes, peak_bytes;
static uint64_t state;

static uint32_t next_random(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

#define NOINLINE __attribute__((noinline))
#define CALL(site, call) (lines[site] = __LINE__, (call))
static NOINLINE void *call0(size_t n) { return CALL(0, malloc(n)); }
static NOINLINE void *call1(size_t n) { return CALL(1, malloc(n)); }
static NOINLINE void *call2(size_t n) { return CALL(2, calloc(1, n)); }
static NOINLINE void *call3(size_t n) { return CALL(3, aligned_alloc(16, n)); }
static NOINLINE void *call4(void *p, size_t n) { return CALL(4, realloc(p, n)); }
static NOINLINE void *call5(void *p, size_t n) { return CALL(5, realloc(p, n)); }
static NOINLINE void *call6(void *p, size_t n) { return CALL(6, reallocarray(p, 1, n)); }
static NOINLINE void *call7(size_t n) { return CALL(7, malloc(n)); }

static void book_peak(void) {
    if (live_bytes <= peak_bytes)
        return;
    peak_bytes = live_bytes;
    for (int site = 0; site < SITES; site++) {
        books[site].peak_blocks = books[site].live_blocks;
        books[site].peak_bytes = books[site].live_bytes;
    }
}

static void book_gain(int site, size_t n) {
    struct book *book = &books[site];
    book->live_blocks++;
    book->live_bytes += n;
    if (book->live_blocks > book->max_live_blocks)
        book->max_live_blocks = book->live_blocks;
}

static void book_loss(int site, size_t n) {
    books[site].live_blocks--;
    books[site].live_bytes -= n;
}

static size_t random_size(int shape) {
    size_t limit = shape == 3 ? 3000 : next_random() % 16 ? 100 : 1500;
    return next_random() % limit;
}

static void allocate(int shape) {
    int site = (int)(next_random() % 5);
    size_t n = random_size(shape);
    char *p = site == 0 ? call0(n) : site == 1 ? call1(n) : site == 2 ? call2(n) : site == 3 ? call3(n) : call7(n);
    site = site == 4 ? 7 : site;
    blocks[block_count].at = p;
    blocks[block_count].size = n;
    blocks[block_count++].owner = site;
    books[site].allocs++;
    books[site].alloc_bytes += n;
    live_bytes += n;
    book_gain(site, n);
    book_peak();
}

static void book_realloc(int site, int i, size_t n) {
    int old = blocks[i].owner;
    books[site].reallocs++;
    books[site].realloc_bytes += n;
    books[site].realloc_old_bytes += blocks[i].size;
    books[old].moved++;
    books[old].moved_bytes += blocks[i].size;
    live_bytes += n - blocks[i].size;
    book_loss(old, blocks[i].size);
    book_gain(site, n);
    blocks[i].size = n;
    blocks[i].owner = site;
    book_peak();
}

static void reallocate(int shape) {
    int i = (int)(next_random() % (uint32_t)block_count), site = 4 + (int)(next_random() % 3);
    size_t n = 1 + random_size(shape);
    char *p = blocks[i].at;
    blocks[i].at = site == 4 ? call4(p, n) : site == 5 ? call5(p, n) : call6(p, n);
    book_realloc(site, i, n);
}

static void release(void) {
    int i = (int)(next_random() % (uint32_t)block_count), owner = blocks[i].owner;
    books[owner].frees++;
    books[owner].freed_bytes += blocks[i].size;
    live_bytes -= blocks[i].size;
    book_loss(owner, blocks[i].size);
    free(blocks[i].at);
    blocks[i] = blocks[--block_count];
}

/* How many of 16 events are allocations. */
static uint32_t eagerness(long event, int shape) {
    if (shape == 1)
        return 14;
    if (shape == 2)
        return event / 700 % 2 ? 3 : 12;
    return 7;
}

int main(int argc, char **argv) {
    (void)argc;
    state = strtoul(argv[1], NULL, 10);
    long events = atol(argv[2]);
    int shape = atoi(argv[3]);
    for (long event = 0; event < events; event++) {
        if (block_count == 0 || (block_count < BLOCKS && next_random() % 16 < eagerness(event, shape)))
            allocate(shape);
        else if (next_random() % 4 == 0)
            reallocate(shape);
        else
            release();
    }
    char text[4096];
    int used = 0;
    for (int site = 0; site < SITES; site++) {
        const uint64_t *values = (const uint64_t *)&books[site];
        used += snprintf(text + used, sizeof text - (size_t)used, "%d", lines[site]);
        for (size_t i = 0; i < sizeof books[site] / sizeof *values; i++)
            used += snprintf(text + used, sizeof text - (size_t)used, " %llu", (unsigned long long)values[i]);
        used += snprintf(text + used, sizeof text - (size_t)used, "\n");
    }
    static char buffer[4096]; /* or the C library would allocate one, which is in no book */
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    fwrite(text, 1, (size_t)used, stdout);
    return 0;
}
