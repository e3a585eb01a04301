/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Allocates, reallocates and frees at random, and keeps books in the simplest way: whenever live bytes reach a new
 * maximum, it copies the counts of every site. At the end it prints its books:
 *
 *     site PROCESS LINE COUNTER...         a site by its line in this file, in the order of struct book
 *     pair PROCESS LINE LINE COUNT BYTES   what the second did to blocks of the first
 *     size PROCESS LINE SIZE COUNT         requests of the site, of SIZE and less than twice that
 *
 *     trace SEED EVENTS SHAPE [CHILDREN]    0: random, 1: growing, 2: sawtooth, 3: large blocks,
 *                                          4: around the borders of size classes
 *
 * Halfway it forks a child, which does the same with CHILDREN - 1 and its own books; if CHILDREN is -1, a child of
 * vfork, which continues its parent's books. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct book {
    uint64_t allocs, alloc_bytes, reallocs, realloc_bytes, realloc_old_bytes, frees, freed_bytes, moved, moved_bytes;
    uint64_t live_blocks, live_bytes, peak_blocks, peak_bytes, max_live_blocks, inherited_blocks, inherited_bytes;
};

#define SITES   8
#define ACTORS  (SITES + 3) /* sites that free or reallocate */
#define CLASSES 19
#define BLOCKS  20000

struct pair {
    uint64_t count, bytes;
};

static int lines[ACTORS];
static struct book books[SITES];
static struct pair pairs[SITES][ACTORS];
static uint64_t sizes[SITES][CLASSES];
static struct {
    char *at;
    size_t size;
    int owner;
} blocks[BLOCKS];
static int block_count;
static uint64_t live_bytes, peak_bytes;
static int fallen;
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
static NOINLINE void call8(void *p) { CALL(8, free(p)); }
static NOINLINE void call9(void *p) { CALL(9, free(p)); }
static NOINLINE void call10(void *p) { CALL(10, free(p)); }

/* The peak is measured just before live bytes first fall from it. */
static void book_peak(void) {
    fallen = live_bytes < peak_bytes || (live_bytes == peak_bytes && fallen);
    if (fallen)
        return;
    peak_bytes = live_bytes;
    for (int site = 0; site < SITES; site++) {
        books[site].peak_blocks = books[site].live_blocks;
        books[site].peak_bytes = books[site].live_bytes;
    }
}

static void book_gain(int site, size_t n) {
    struct book *book = &books[site];
    int number = 0;
    while (n >> number)
        number++;
    sizes[site][number]++;
    book->live_blocks++;
    book->live_bytes += n;
    if (book->live_blocks > book->max_live_blocks)
        book->max_live_blocks = book->live_blocks;
}

static void book_loss(int site, size_t n, int actor) {
    pairs[site][actor].count++;
    pairs[site][actor].bytes += n;
    books[site].live_blocks--;
    books[site].live_bytes -= n;
}

static size_t random_size(int shape) {
    static const size_t borders[] = {16, 24, 40, 64, 512, 520, 1032, 4096, 65536, 131072};
    if (shape == 4)
        return borders[next_random() % (sizeof borders / sizeof *borders)] - 2 + next_random() % 5;
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
    book_loss(old, blocks[i].size, site);
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
    int actor = SITES + (int)(next_random() % 3);
    book_loss(owner, blocks[i].size, actor);
    book_peak();
    actor == 8 ? call8(blocks[i].at) : actor == 9 ? call9(blocks[i].at) : call10(blocks[i].at);
    blocks[i] = blocks[--block_count];
}

/* Number of allocations in 16 events. */
static uint32_t eagerness(long event, int shape) {
    if (shape == 1)
        return 14;
    if (shape == 2)
        return event / 700 % 2 ? 3 : 12;
    return 7;
}

static void step(long event, int shape) {
    if (block_count == 0 || (block_count < BLOCKS && next_random() % 16 < eagerness(event, shape)))
        allocate(shape);
    else if (next_random() % 4 == 0)
        reallocate(shape);
    else
        release();
}

/* A child's blocks are inherited; it starts at a peak. */
static void begin_books(void) {
    for (int site = 0; site < SITES; site++) {
        uint64_t live = books[site].live_blocks, bytes = books[site].live_bytes;
        books[site] = (struct book){.live_blocks = live,
                                    .live_bytes = bytes,
                                    .peak_blocks = live,
                                    .peak_bytes = bytes,
                                    .max_live_blocks = live,
                                    .inherited_blocks = live,
                                    .inherited_bytes = bytes};
    }
    memset(pairs, 0, sizeof pairs);
    memset(sizes, 0, sizeof sizes);
    peak_bytes = live_bytes;
    fallen = 0;
}

static void vfork_child(int shape) {
    if (vfork() == 0) {
        for (long event = 0; event < 500; event++)
            step(event, shape);
        _exit(0);
    }
}

static void trace(long events, int shape, int children) {
    for (long event = 0; event < events; event++) {
        step(event, shape);
        if (event != events / 2 || !children)
            continue;
        if (children < 0) {
            vfork_child(shape);
        } else if (fork() == 0) {
            begin_books();
            children--;
            state += 12345;
            event = 0;
        }
    }
}

static char text[65536];
static int used;

#define SAY(...) (used += snprintf(text + used, sizeof text - (size_t)used, __VA_ARGS__))

static void print_site(int site) {
    const uint64_t *values = (const uint64_t *)&books[site];
    SAY("site %d %d", getpid(), lines[site]);
    for (size_t i = 0; i < sizeof books[site] / sizeof *values; i++)
        SAY(" %llu", (unsigned long long)values[i]);
    SAY("\n");
    for (int actor = 0; actor < ACTORS; actor++)
        if (pairs[site][actor].count)
            SAY("pair %d %d %d %llu %llu\n", getpid(), lines[site], lines[actor],
                (unsigned long long)pairs[site][actor].count, (unsigned long long)pairs[site][actor].bytes);
    for (int number = 0; number < CLASSES; number++)
        if (sizes[site][number])
            SAY("size %d %d %d %llu\n", getpid(), lines[site], number ? 1 << (number - 1) : 0,
                (unsigned long long)sizes[site][number]);
}

int main(int argc, char **argv) {
    state = strtoul(argv[1], NULL, 10);
    trace(atol(argv[2]), atoi(argv[3]), argc > 4 ? atoi(argv[4]) : 0);
    while (wait(NULL) > 0)
        continue;
    for (int site = 0; site < SITES; site++)
        print_site(site);
    /* stdio would allocate a buffer outside the books. */
    return write(STDOUT_FILENO, text, (size_t)used) != used;
}
