/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* lives SEED THREADS EVENTS [fork|kill]: replaces blocks, by several threads in turn, and records the lifetimes of each
 * line's blocks: exactly in allocations, and between two bounds in time. The records of a forked child begin with the
 * fork; it continues its parent's blocks and numbers.
 *
 * Prints `life PID LINE BLOCKS ALLOCATIONS LEAST MOST` (nanoseconds) and `class PID LINE START COUNT`; with `kill` it
 * is then killed. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BLOCKS = 300, LINES = 200, THREADS = 8, CLASSES = 64 };

static struct block {
    void *p;
    int line;
    uint64_t number, before, after;
} blocks[BLOCKS];

static struct book {
    uint64_t blocks, numbers, least, most, classes[CLASSES];
} books[LINES];

static uint64_t number;
static uint32_t seed;
static int events;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;

static uint32_t any(uint32_t below) {
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static unsigned class_of(uint64_t value) {
    unsigned class = 0;
    for (; value; value /= 2)
        class++;
    return class;
}

static void died(const struct block *block, uint64_t before, uint64_t after) {
    struct book *book = &books[block->line];
    book->blocks++;
    book->numbers += number - block->number;
    book->least += before - block->after;
    book->most += after - block->before;
    book->classes[class_of(number - block->number)]++;
}

static void born(struct block *block, void *p, int line, uint64_t before) {
    *block = (struct block){p, line, ++number, before, now()};
}

static void release(struct block *block) {
    struct block old = *block;
    uint64_t before = now();
    free(block->p);
    block->p = NULL;
    died(&old, before, now());
}

static void grow(struct block *block) {
    struct block old = *block;
    uint64_t before = now();
    void *p = realloc(block->p, 1 + any(3000)); int line = __LINE__;
    uint64_t after = now();
    died(&old, before, after);
    born(block, p, line, before);
}

static void *fill(int kind, int *line) {
    switch (kind) {
    case 0: *line = __LINE__; return malloc(any(100));
    case 1: *line = __LINE__; return malloc(300 + any(3000));
    case 2: *line = __LINE__; return calloc(1 + any(10), 16);
    case 3: *line = __LINE__; return aligned_alloc(256, 256);
    case 4: *line = __LINE__; return malloc(200000);
    default: *line = __LINE__; return realloc(NULL, 50);
    }
}

static void event(void) {
    struct block *block = &blocks[any(3) ? any(8) : any(BLOCKS)];
    if (block->p && any(4) == 0) {
        grow(block);
        return;
    }
    if (block->p)
        release(block);
    if (any(1000) == 0)
        usleep(500);
    int line;
    uint64_t before = now();
    void *p = fill((int)any(6), &line);
    born(block, p, line, before);
}

static void *work(void *unused) {
    (void)unused;
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < events; i++) {
        pthread_mutex_lock(&turn);
        event();
        pthread_mutex_unlock(&turn);
    }
    pthread_barrier_wait(&barrier);
    return NULL;
}

static void tell(void) {
    for (int line = 0; line < LINES; line++) {
        const struct book *book = &books[line];
        if (!book->blocks)
            continue;
        printf("life %d %d %llu %llu %llu %llu\n", getpid(), line, (unsigned long long)book->blocks,
               (unsigned long long)book->numbers, (unsigned long long)book->least, (unsigned long long)book->most);
        for (int i = 0; i < CLASSES; i++)
            if (book->classes[i])
                printf("class %d %d %llu %llu\n", getpid(), line, i ? 1ULL << (i - 1) : 0,
                       (unsigned long long)book->classes[i]);
    }
    fflush(stdout);
}

static void fork_in_between(void) {
    for (int i = 0; i < events; i++)
        event();
    if (fork()) {
        wait(NULL);
    } else {
        memset(books, 0, sizeof books);
        seed++;
    }
    for (int i = 0; i < events; i++)
        event();
}

static void share_out(int threads) {
    pthread_t ids[THREADS];
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    for (int i = 1; i < threads; i++)
        pthread_create(&ids[i], NULL, work, NULL);
    work(NULL);
    for (int i = 1; i < threads; i++)
        pthread_join(ids[i], NULL);
}

int main(int argc, char **argv) {
    seed = (uint32_t)atoi(argv[1]);
    events = atoi(argv[3]);
    if (argc > 4 && strcmp(argv[4], "fork") == 0)
        fork_in_between();
    else
        share_out(atoi(argv[2]));
    tell();
    if (argc > 4 && strcmp(argv[4], "kill") == 0)
        raise(SIGKILL);
    return 0;
}
