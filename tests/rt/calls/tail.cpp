/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// musttail calls cannot pass a site, and an allocator called through a pointer passes none. Both are
// attributed to the line of the return address. A failing new throws an exception, which is also a
// block.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#define TAIL     [[clang::musttail]] return
#define FUNCTION extern "C" __attribute__((noinline))

static void *volatile sink;

FUNCTION void *tail_malloc(size_t n) {
    TAIL malloc(n);
}

FUNCTION void *tail_calloc(size_t n, size_t size) {
    TAIL calloc(n, size);
}

FUNCTION void *tail_realloc(void *p, size_t n) {
    TAIL realloc(p, n);
}

FUNCTION int tail_posix_memalign(void **p, size_t align, size_t n) {
    TAIL posix_memalign(p, align, n);
}

FUNCTION char *tail_strdup(const char *text) {
    TAIL strdup(text);
}

FUNCTION void *tail_new(size_t n) {
    TAIL operator new(n);
}

FUNCTION void *tail_new_array(size_t n, const std::nothrow_t &nothrow) {
    TAIL operator new[](n, nothrow);
}

static void *(*volatile escaped)(size_t) = malloc;
static volatile size_t huge = (size_t)1 << 60;

int main() {
    for (size_t n = 1; n < 4; n++)
        sink = tail_malloc(n);                                // @ 3 6 0 0 0
    sink = tail_malloc(huge);                                 // @ 0 0 0 0 1
    sink = tail_calloc(3, 4);                                 // @ 1 12 0 0 0
    void *grown = tail_realloc(tail_realloc(nullptr, 5), 50); // @ 1 5 1 50 0
    void *aligned;
    tail_posix_memalign(&aligned, 64, 9);      // @ 1 9 0 0 0
    char *copy = tail_strdup("abc");           // @ 1 4 0 0 0
    sink = tail_new(4);                        // @ 1 4 0 0 0
    sink = tail_new(4);                        // @ 1 4 0 0 0
    sink = tail_new_array(2, std::nothrow);    // @ 1 2 0 0 0
    sink = tail_new_array(huge, std::nothrow); // @ 0 0 0 0 1
    try {
        sink = tail_new(huge); // @ 1 136 0 0 1
    } catch (const std::bad_alloc &) {
    }
    sink = tail_realloc(grown, 0);
    for (int i = 0; i < 5; i++)
        sink = escaped(10);             // @ 5 50 0 0 0
    puts(copy[2] == 'c' ? "done" : ""); // @ 1 4096 0 0 0
    return 3;
}
