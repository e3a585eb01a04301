/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks that are allocated through one name of the C library's malloc and freed through another, in every combination,
 * with the program's own books: names ROUNDS. Every fifth block stays. */
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void *__libc_valloc(size_t);
void *__libc_pvalloc(size_t);
void __libc_free(void *);

static unsigned long long allocs, alloc_bytes, reallocs, realloc_bytes, realloc_old_bytes, frees, freed_bytes;

static void *allocate(int name, size_t n) {
    void *p = NULL;
    switch (name) {
    case 0:
        return malloc(n);
    case 1:
        return calloc(1, n);
    case 2:
        return realloc(NULL, n);
    case 3:
        return aligned_alloc(64, n);
    case 4:
        return memalign(64, n);
    case 5:
        return valloc(n);
    case 6:
        return pvalloc(n);
    case 7:
        return posix_memalign(&p, 64, n) ? NULL : p;
    case 8:
        return __libc_malloc(n);
    case 9:
        return __libc_calloc(n, 1);
    case 10:
        return __libc_realloc(NULL, n);
    case 11:
        return __libc_memalign(64, n);
    case 12:
        return __libc_valloc(n);
    case 13:
        return __libc_pvalloc(n);
    default:
        return NULL;
    }
}

static void *again(int name, void *p, size_t n) {
    switch (name) {
    case 0:
        return realloc(p, n);
    case 1:
        return __libc_realloc(p, n);
    default:
        return reallocarray(p, 1, n);
    }
}

static void release(int name, void *p) {
    if (name == 0)
        free(p);
    else
        __libc_free(p);
}

static void check(void *p) {
    if (!p)
        _exit(1);
}

/* Small, large, and mmap'ed sizes. */
static const size_t sizes[] = {1, 40, 1024, 5000, 200000};
#define SIZES (sizeof sizes / sizeof *sizes)

static void live(int from, int moves, int to, size_t n) {
    static int number;
    void *p = allocate(from, n);
    check(p);
    allocs++;
    alloc_bytes += n;
    for (int i = 0; i < moves; i++) {
        size_t more = sizes[(size_t)(from + i) % SIZES] + 8;
        p = again(i, p, more);
        check(p);
        reallocs++;
        realloc_bytes += more;
        realloc_old_bytes += n;
        n = more;
    }
    if (++number % 5 == 0)
        return;
    release(to, p);
    frees++;
    freed_bytes += n;
}

int main(int argc, char **argv) {
    (void)argc;
    for (int round = 0; round < atoi(argv[1]); round++)
        for (int from = 0; from < 14; from++)
            for (int moves = 0; moves < 4; moves++)
                for (int to = 0; to < 2; to++)
                    for (size_t i = 0; i < SIZES; i++)
                        live(from, moves, to, sizes[i]);
    char text[200];
    int n = snprintf(text, sizeof text, "%llu %llu %llu %llu %llu %llu %llu\n", allocs, alloc_bytes, reallocs,
                     realloc_bytes, realloc_old_bytes, frees, freed_bytes);
    return write(1, text, (size_t)n) == n ? 3 : 1;
}
