/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Allocators of all kinds, one per case. They count themselves what they allocate and free, and the program prints
 * that. list.txt describes them to allocsite. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALLOCATOR __attribute__((noinline))
enum { SPACE = 1 << 22, CHUNK = 4096 };

static struct counts { unsigned long allocs, alloc_bytes, reallocs, realloc_bytes, frees, freed_bytes; } seen;

static void *came(void *p, size_t n) {
    __atomic_fetch_add(&seen.allocs, p != NULL, __ATOMIC_RELAXED);
    __atomic_fetch_add(&seen.alloc_bytes, p ? n : 0, __ATOMIC_RELAXED);
    return p;
}

static void went(size_t n) {
    __atomic_fetch_add(&seen.frees, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&seen.freed_bytes, n, __ATOMIC_RELAXED);
}

static void moved(size_t n) {
    seen.reallocs++;
    seen.realloc_bytes += n;
}

static void *map(size_t size) {
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* ---- a bump allocator over mmap: any address, any size ---- */

struct bump { char *start, *at; size_t blocks, bytes; };

ALLOCATOR void *bump_alloc(struct bump *bump, size_t n) {
    char *p = bump->at;
    if (p + n > bump->start + SPACE)
        return NULL;
    bump->at += n;
    bump->blocks++;
    bump->bytes += n;
    return came(p, n);
}

/* Without an arena for allocsite: blocks end when their addresses are allocated again. */
ALLOCATOR void bump_reset(struct bump *bump) {
    bump->at = bump->start;
}

static void bump(void) {
    struct bump bump = {.start = map(SPACE)};
    bump.at = bump.start;
    for (int i = 1; i < 2000; i++)
        bump_alloc(&bump, i % 7 + 1);
    for (int i = 0; i < 2000; i++)
        bump_alloc(&bump, 512 + i % 5);
    if (bump_alloc(&bump, SPACE))
        abort();
    bump_reset(&bump);
    char *again = bump_alloc(&bump, 2); /* i = 1 */
    if (again != bump.start)
        abort();
    went(2);
}

/* ---- an arena that is released as a whole ---- */

ALLOCATOR void *wide_alloc(struct bump *bump, size_t n) {
    bump->blocks++;
    bump->bytes += n;
    char *p = bump->at;
    bump->at += (n + 7) & ~7ul;
    return came(p, n);
}

ALLOCATOR void wide_reset(struct bump *bump) {
    seen.frees += bump->blocks;
    seen.freed_bytes += bump->bytes;
    *bump = (struct bump){bump->start, bump->start, 0, 0};
}

static void wide(void) {
    struct bump bumps[20];
    for (int i = 0; i < 20; i++)
        bumps[i] = (struct bump){.start = map(SPACE)}, bumps[i].at = bumps[i].start;
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 3000; i++)
            wide_alloc(&bumps[i % 20], 1 + i % 100);
        for (int i = round == 49; i < 20; i++)
            wide_reset(&bumps[i]);
    }
}

/* ---- a pool ---- */

struct pool { char *space; void *free; size_t used; };

ALLOCATOR void *pool_get(struct pool *pool) {
    void *p = pool->free;
    if (p)
        memcpy(&pool->free, p, sizeof p);
    else
        p = pool->space + 24 * pool->used++;
    return came(p, 24);
}

ALLOCATOR void pool_put(struct pool *pool, void *p) {
    memcpy(p, &pool->free, sizeof p);
    pool->free = p;
    went(24);
}

static void pool(void) {
    struct pool pool = {.space = map(SPACE)};
    void *held[300] = {0};
    for (int i = 0; i < 100000; i++) {
        int at = i * 7919 % 300;
        if (held[at])
            pool_put(&pool, held[at]), held[at] = NULL;
        else
            held[at] = pool_get(&pool);
    }
}

/* ---- a stack with marks ---- */

struct stack { char *start; size_t at; struct { size_t offset, size; } live[1000]; int count; };

ALLOCATOR void *stack_push(struct stack *stack, size_t n) {
    stack->live[stack->count].offset = stack->at;
    stack->live[stack->count++].size = n;
    stack->at += n;
    return came(stack->start + stack->live[stack->count - 1].offset, n);
}

static void drop_to(struct stack *stack, size_t offset) {
    while (stack->count && stack->live[stack->count - 1].offset >= offset)
        went(stack->live[--stack->count].size);
    stack->at = offset;
}

ALLOCATOR size_t stack_mark(struct stack *stack) {
    return stack->at;
}

ALLOCATOR void stack_release(struct stack *stack, size_t mark) {
    drop_to(stack, mark);
}

ALLOCATOR void stack_at(struct stack *stack, void *mark) {
    *(size_t *)mark = stack->at;
}

ALLOCATOR void stack_back(struct stack *stack, void *mark) {
    drop_to(stack, *(size_t *)mark);
}

/* Only the newest block's memory can be reused. */
ALLOCATOR void stack_free(struct stack *stack, void *p) {
    for (int i = 0; i < stack->count; i++) {
        if (stack->start + stack->live[i].offset != p)
            continue;
        went(stack->live[i].size);
        memmove(&stack->live[i], &stack->live[i + 1], (--stack->count - i) * sizeof stack->live[0]);
        return;
    }
}

static void stack(void) {
    static struct stack stack;
    stack.start = map(SPACE);
    stack_push(&stack, 100);
    size_t outer = stack_mark(&stack);
    for (int i = 0; i < 200; i++) {
        for (int n = 1; n < 200; n++)
            stack_push(&stack, n);
        size_t inner = stack_mark(&stack);
        void *first = stack_push(&stack, 1000), *second = stack_push(&stack, 1);
        stack_free(&stack, i % 2 ? first : second);
        stack_release(&stack, inner);
        stack_push(&stack, 3);
        stack_release(&stack, inner);
        if (i < 199)
            stack_release(&stack, outer);
    }
    size_t inside;
    stack_at(&stack, &inside);
    stack_push(&stack, 5);
    stack_back(&stack, &inside);
    stack_push(&stack, 7);
}

/* A block reallocated in place stays before the mark. */
ALLOCATOR void *stack_realloc(struct stack *stack, void *old, size_t n) {
    int last = stack->count - 1;
    if (n > SPACE)
        return NULL;
    if (!old) {
        stack->live[stack->count].offset = stack->at;
        stack->live[stack->count++].size = n;
        stack->at += n;
        return came(stack->start + stack->live[stack->count - 1].offset, n);
    }
    for (int i = 0; i <= last; i++) {
        if (stack->start + stack->live[i].offset != old)
            continue;
        if (n == 0) {
            stack_free(stack, old);
            return NULL;
        }
        moved(n);
        if (n <= stack->live[i].size) {
            stack->live[i].size = n;
            return old;
        }
        memmove(&stack->live[i], &stack->live[i + 1], (last - i) * sizeof stack->live[0]);
        stack->live[last].offset = stack->at;
        stack->live[last].size = n;
        stack->at += n;
        return stack->start + stack->live[last].offset;
    }
    abort();
}

static void reallocated(void) {
    static struct stack stack;
    stack.start = map(SPACE);
    char *kept = stack_realloc(&stack, NULL, 64), *grown = stack_realloc(&stack, NULL, 64);
    size_t mark = stack_mark(&stack);
    for (int i = 0; i < 100; i++) {
        kept = stack_realloc(&stack, kept, 64 - i / 2); /* in place, so older than the mark */
        grown = stack_realloc(&stack, grown, 65 + i);
        if (stack_realloc(&stack, grown, (size_t)SPACE * 2))
            abort();
        stack_realloc(&stack, stack_push(&stack, 11), 0);
        stack_release(&stack, mark); /* with the grown one */
        grown = stack_realloc(&stack, NULL, 64);
    }
}

/* ---- a table of methods ---- */

ALLOCATOR static void *method_alloc(void *self, size_t n) {
    size_t *p = malloc(n + 16);
    *p = n;
    return came(p + 2, n);
}

ALLOCATOR static void method_free(void *self, void *p) {
    went(((size_t *)p)[-2]);
    free((size_t *)p - 2);
}

ALLOCATOR static void *method_realloc(void *self, void *p, size_t n) {
    size_t *q = realloc((size_t *)p - 2, n + 16);
    *q = n;
    moved(n);
    return q + 2;
}

struct methods {
    void *(*alloc)(void *, size_t);
    void (*free)(void *, void *);
    void *(*realloc)(void *, void *, size_t);
};
static const struct methods table = {method_alloc, method_free, method_realloc};

static void methods(void) {
    const struct methods *volatile of = &table;
    for (int i = 0; i < 1000; i++) {
        void *p = of->alloc(NULL, i);
        if (i % 3)
            p = of->realloc(NULL, p, i * 10);
        if (i % 5)
            of->free(NULL, p);
    }
}

/* ---- chunks of malloc, where the first block has the chunk's address ---- */

struct chunks { char *chunk[100]; size_t used, count, blocks[100], bytes[100]; };

ALLOCATOR void chunk_start(struct chunks *chunks) {
    chunks->chunk[chunks->count++] = malloc(CHUNK);
    chunks->used = 0;
}

ALLOCATOR void *chunk_alloc(struct chunks *chunks, size_t n, size_t count) {
    n *= count;
    if (chunks->used + n > CHUNK)
        chunk_start(chunks);
    char *p = chunks->chunk[chunks->count - 1] + chunks->used;
    chunks->used += (n + 7) & ~7ul;
    chunks->blocks[chunks->count - 1]++;
    chunks->bytes[chunks->count - 1] += n;
    return came(p, n);
}

/* The list does not describe this function: freeing a chunk frees its blocks. */
static void chunk_end(struct chunks *chunks, size_t from) {
    for (size_t i = from; i < chunks->count; i++) {
        free(chunks->chunk[i]);
        seen.frees += chunks->blocks[i];
        seen.freed_bytes += chunks->bytes[i];
    }
}

static void chunks(void) {
    for (int round = 0; round < 20; round++) {
        struct chunks chunks = {0};
        chunk_start(&chunks);
        for (int i = 1; i < 300; i++)
            chunk_alloc(&chunks, i, 1 + i % 3);
        chunk_end(&chunks, round == 19);
    }
}

/* ---- an allocator on top of another: the inner one's blocks are chunks of the outer one ---- */

static struct chunks inner;

ALLOCATOR void *outer_alloc(struct bump *bump, size_t n) {
    if (!bump->start || bump->at + n > bump->start + 1024)
        bump->start = bump->at = chunk_alloc(&inner, 1024, 1);
    char *p = bump->at;
    bump->at += (n + 15) & ~15ul;
    bump->blocks++;
    bump->bytes += n;
    return came(p, n);
}

static void nested(void) {
    struct bump bump = {0};
    chunk_start(&inner);
    for (int i = 0; i < 200; i++)
        outer_alloc(&bump, i);
    chunk_end(&inner, 0);
    seen.frees += bump.blocks;
    seen.freed_bytes += bump.bytes;
}

/* ---- wrappers of malloc that are listed as allocators ---- */

ALLOCATOR void *checked_alloc(size_t n) {
    void *p = malloc(n);
    if (!p)
        abort();
    return came(p, n);
}

ALLOCATOR void checked_free(void *p) {
    went(*(size_t *)p);
    free(p);
}

ALLOCATOR void *checked_realloc(void *p, size_t n) {
    moved(n);
    return realloc(p, n);
}

static void wrappers(void) {
    for (size_t i = 8; i < 500; i++) {
        size_t *p = checked_alloc(i);
        *p = i;
        if (i % 3 == 0) {
            p = checked_realloc(p, 2 * i);
            *p = 2 * i;
        }
        if (i % 2) {
            checked_free(p);
        } else if (i % 4) { /* bypasses the wrapper */
            went(*p);
            free(p);
        }
    }
}

/* ---- threads ---- */

static void *work(void *unused) {
    struct bump bump = {.start = map(SPACE)};
    struct pool pool = {.space = map(SPACE)};
    struct chunks chunks = {0};
    chunk_start(&chunks);
    bump.at = bump.start;
    for (int i = 0; i < 20000; i++) {
        bump.blocks = bump.bytes = 0;
        bump_alloc(&bump, 8);
        pool_put(&pool, pool_get(&pool));
        if (i % 200 == 0)
            chunk_alloc(&chunks, 40, 1);
        free(malloc(10));
    }
    return unused;
}

static void threads(void) {
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
}

/* Arenas shared by threads: their marks and blocks, each arena protected by the program's lock. */
static struct { pthread_mutex_t lock; struct stack stack; } shared[4];

static void *share(void *unused) {
    for (int i = 0; i < 5000; i++) {
        struct stack *stack = &shared[i % 4].stack;
        pthread_mutex_lock(&shared[i % 4].lock);
        if (stack->count == 900)
            stack_release(stack, stack->live[500].offset);
        size_t mark = stack_mark(stack);
        stack_push(stack, 16);
        if (i % 3 == 0)
            stack_release(stack, mark);
        pthread_mutex_unlock(&shared[i % 4].lock);
    }
    return unused;
}

static void sharing(void) {
    pthread_t threads[6];
    for (int i = 0; i < 4; i++) {
        pthread_mutex_init(&shared[i].lock, NULL);
        shared[i].stack.start = map(SPACE * 4);
    }
    for (int i = 0; i < 6; i++)
        pthread_create(&threads[i], NULL, share, NULL);
    for (int i = 0; i < 6; i++)
        pthread_join(threads[i], NULL);
}

/* ---- a jump out of an allocator ---- */

static jmp_buf out;

ALLOCATOR void *jumping_alloc(size_t n) {
    if (n > 100)
        longjmp(out, 1);
    return chunk_alloc(&inner, n, 1);
}

static void jumps(void) {
    chunk_start(&inner);
    for (volatile int i = 90; i < 110; i++) {
        if (setjmp(out))
            free(malloc(i)); /* is no chunk */
        else if (came(jumping_alloc(i), i))
            went(i); /* passed on: one of the two blocks remains */
    }
}

/* ---- a child continues with its parent's blocks ---- */

static void forked(void) {
    static struct stack stack;
    stack.start = map(SPACE);
    size_t mark = stack_mark(&stack);
    for (int i = 0; i < 100; i++)
        stack_push(&stack, 10);
    pid_t child = fork();
    if (child == 0)
        seen = (struct counts){0}; /* and 100 blocks of 1000 bytes are inherited */
    stack_push(&stack, 20);
    if (child == 0)
        stack_release(&stack, mark);
    int status = 0;
    if (child && (waitpid(child, &status, 0) != child || status))
        abort();
}

/* ---- a handler that interrupts anywhere ---- */

static struct stack handled;
static volatile sig_atomic_t handling;

static void handle(int signal) {
    static struct pool pool;
    if (!pool.space)
        pool.space = map(SPACE);
    pool_put(&pool, pool_get(&pool));
    handling++;
}

static void signals(void) {
    struct pool pool = {.space = map(SPACE)};
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec often = {{0, 20000}, {0, 20000}};
    signal(SIGUSR1, handle);
    handle(SIGUSR1);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &often, NULL);
    while (handling < 2000)
        pool_put(&pool, pool_get(&pool));
    timer_delete(timer);
}

static const struct { const char *name; void (*run)(void); } cases[] = {
    {"bump", bump}, {"wide", wide}, {"pool", pool}, {"stack", stack}, {"reallocated", reallocated},
    {"methods", methods}, {"chunks", chunks}, {"nested", nested}, {"wrappers", wrappers}, {"threads", threads},
    {"sharing", sharing}, {"jumps", jumps}, {"forked", forked}, {"signals", signals},
};

int main(int count, char **arguments) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (count > 1 && strcmp(cases[i].name, arguments[1]) == 0)
            cases[i].run();
    dprintf(1, "%lu %lu %lu %lu %lu %lu\n", seen.allocs, seen.alloc_bytes, seen.reallocs, seen.realloc_bytes,
            seen.frees, seen.freed_bytes);
    return 0;
}
