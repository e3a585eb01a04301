/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads that allocate, reallocate and free at random, mostly blocks of other threads: all blocks are in one pool.
 *
 *     exchange SEED THREADS EVENTS SIZE [calm|wild]    sizes are up to SIZE
 *
 * calm: halfway, while the threads wait, a child is forked that does the same alone. wild: children are forked while
 * the threads run, and only free what they can.
 *
 * Prints a line for each site: its process, its line in this file, the counters in the order of struct book, and a
 * lower and an upper bound of its maximum number of live blocks. The last line has the same bounds for the peak of all
 * live bytes, with 0 as its line. The true values are in between, because counts are taken before and after each
 * event. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct book {
    uint64_t allocs, alloc_bytes, reallocs, realloc_bytes, realloc_old_bytes, frees, freed_bytes, moved, moved_bytes;
    int64_t live_blocks, live_bytes;
    uint64_t inherited_blocks, inherited_bytes;
};

/* The maximum of a number that other threads change at the same time. */
struct highest {
    _Atomic int64_t now, most;
};

struct bounds {
    struct highest at_least, at_most;
};

#define SITES   6
#define POOL    40000
#define THREADS 64

static int lines[SITES];
static struct book books[THREADS][SITES];
static struct bounds blocks_of[SITES], all_bytes;
static struct place {
    atomic_flag taken;
    char *at;
    size_t size;
    int owner;
} pool[POOL];
static unsigned long seed;
static long events, threads;
static size_t size_limit;
static pthread_barrier_t start, halfway, onward;
static int is_calm;

static void add(struct highest *highest, int64_t by) {
    int64_t now = atomic_fetch_add(&highest->now, by) + by, most = atomic_load(&highest->most);
    while (now > most && !atomic_compare_exchange_weak(&highest->most, &most, now))
        continue;
}

static void before(struct bounds *bounds, int64_t by) {
    add(by > 0 ? &bounds->at_most : &bounds->at_least, by);
}

static void after(struct bounds *bounds, int64_t by) {
    add(by > 0 ? &bounds->at_least : &bounds->at_most, by);
}

static uint32_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

#define NOINLINE __attribute__((noinline))
#define CALL(site, call) (lines[site] = __LINE__, (call))
static NOINLINE void *call0(size_t n) { return CALL(0, malloc(n)); }
static NOINLINE void *call1(size_t n) { return CALL(1, calloc(n, 1)); }
static NOINLINE void *call2(size_t n) { return CALL(2, aligned_alloc(64, n)); }
static NOINLINE void *call3(size_t n) { return CALL(3, malloc(n)); }
static NOINLINE void *call4(void *p, size_t n) { return CALL(4, realloc(p, n)); }
static NOINLINE void *call5(void *p, size_t n) { return CALL(5, realloc(p, n)); }

static void allocate(struct book *book, struct place *place, int site, size_t n) {
    before(&blocks_of[site], 1);
    before(&all_bytes, (int64_t)n);
    place->at = site == 0 ? call0(n) : site == 1 ? call1(n) : site == 2 ? call2(n) : call3(n);
    after(&blocks_of[site], 1);
    after(&all_bytes, (int64_t)n);
    place->size = n;
    place->owner = site;
    book[site].allocs++;
    book[site].alloc_bytes += n;
    book[site].live_blocks++;
    book[site].live_bytes += (int64_t)n;
}

static void lose(struct book *book, const struct place *place) {
    book[place->owner].live_blocks--;
    book[place->owner].live_bytes -= (int64_t)place->size;
}

static void reallocate(struct book *book, struct place *place, int site, size_t n) {
    int64_t more = (int64_t)n - (int64_t)place->size;
    before(&blocks_of[place->owner], -1);
    before(&blocks_of[site], 1);
    before(&all_bytes, more);
    place->at = site == 4 ? call4(place->at, n) : call5(place->at, n);
    after(&blocks_of[place->owner], -1);
    after(&blocks_of[site], 1);
    after(&all_bytes, more);
    book[site].reallocs++;
    book[site].realloc_bytes += n;
    book[site].realloc_old_bytes += place->size;
    book[place->owner].moved++;
    book[place->owner].moved_bytes += place->size;
    lose(book, place);
    place->size = n;
    place->owner = site;
    book[site].live_blocks++;
    book[site].live_bytes += (int64_t)n;
}

static void release(struct book *book, struct place *place) {
    int64_t size = (int64_t)place->size;
    before(&blocks_of[place->owner], -1);
    before(&all_bytes, -size);
    free(place->at);
    after(&blocks_of[place->owner], -1);
    after(&all_bytes, -size);
    place->at = NULL;
    book[place->owner].frees++;
    book[place->owner].freed_bytes += place->size;
    lose(book, place);
}

/* The pool fills in the first half and empties in the second. */
static void step(struct book *book, uint64_t *state, int filling) {
    struct place *place = &pool[next_random(state) % POOL];
    if (atomic_flag_test_and_set(&place->taken))
        return;
    uint32_t dice = next_random(state) % 16;
    size_t n = 1 + next_random(state) % size_limit;
    if (!place->at)
        allocate(book, place, (int)(dice % 4), n);
    else if (dice < 4)
        reallocate(book, place, 4 + (int)(dice % 2), n);
    else if (dice < (filling ? 6 : 16))
        release(book, place);
    atomic_flag_clear(&place->taken);
}

static void *work(void *books_of_thread) {
    struct book *book = books_of_thread;
    uint64_t state = seed * 1000 + (uint64_t)(book - books[0]);
    pthread_barrier_wait(&start);
    for (long event = 0; event < events; event++) {
        if (is_calm && event == events / 2) {
            pthread_barrier_wait(&halfway);
            pthread_barrier_wait(&onward);
        }
        step(book, &state, event < events / 2);
    }
    return NULL;
}

static void print_site(int site) {
    uint64_t sum[sizeof(struct book) / sizeof(uint64_t)] = {0};
    for (long thread = 0; thread < threads; thread++)
        for (size_t i = 0; i < sizeof sum / sizeof *sum; i++)
            sum[i] += ((const uint64_t *)&books[thread][site])[i];
    printf("%d %d", getpid(), lines[site]);
    for (size_t i = 0; i < sizeof sum / sizeof *sum; i++)
        printf(" %llu", (unsigned long long)sum[i]);
    printf(" %lld %lld\n", (long long)blocks_of[site].at_least.most, (long long)blocks_of[site].at_most.most);
}

static void print_books(void) {
    static char buffer[4096]; /* otherwise the C library would allocate a buffer outside the books */
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    for (int site = 0; site < SITES; site++)
        print_site(site);
    printf("%d 0 %lld %lld\n", getpid(), (long long)all_bytes.at_least.most, (long long)all_bytes.at_most.most);
}

static void begin_bounds(struct bounds *bounds) {
    bounds->at_least.most = bounds->at_most.most = bounds->at_least.now;
}

static void inherit(int site) {
    struct book sum = {0};
    for (long thread = 0; thread < threads; thread++) {
        sum.live_blocks += books[thread][site].live_blocks;
        sum.live_bytes += books[thread][site].live_bytes;
        books[thread][site] = (struct book){0};
    }
    sum.inherited_blocks = (uint64_t)sum.live_blocks;
    sum.inherited_bytes = (uint64_t)sum.live_bytes;
    books[0][site] = sum;
    begin_bounds(&blocks_of[site]);
}

static void calm_child(void) {
    pthread_barrier_wait(&halfway);
    if (fork() == 0) {
        uint64_t state = seed;
        for (int site = 0; site < SITES; site++)
            inherit(site);
        begin_bounds(&all_bytes);
        for (long event = 0; event < events; event++)
            step(books[0], &state, event < events / 4);
        print_books();
        exit(0);
    }
    wait(NULL);
    pthread_barrier_wait(&onward);
}

static void wild_child(void) {
    if (fork() == 0) {
        for (int i = 0; i < POOL; i++)
            if (!atomic_flag_test_and_set(&pool[i].taken) && pool[i].at)
                release(books[0], &pool[i]);
        exit(0);
    }
    wait(NULL);
}

int main(int argc, char **argv) {
    seed = strtoul(argv[1], NULL, 10);
    threads = atol(argv[2]);
    events = atol(argv[3]);
    size_limit = strtoul(argv[4], NULL, 10);
    is_calm = argc > 5 && argv[5][0] == 'c';
    pthread_t ids[THREADS];
    pthread_barrier_init(&start, NULL, (unsigned)threads);
    pthread_barrier_init(&halfway, NULL, (unsigned)threads + 1);
    pthread_barrier_init(&onward, NULL, (unsigned)threads + 1);
    for (long i = 0; i < threads; i++)
        pthread_create(&ids[i], NULL, work, books[i]);
    if (is_calm)
        calm_child();
    for (int i = 0; argc > 5 && !is_calm && i < 5; i++)
        wild_child();
    for (long i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
    print_books();
    return 0;
}
