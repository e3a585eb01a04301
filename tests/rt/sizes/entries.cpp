/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Every function that allocates, with sizes around all boundaries of tables and classes, each on its own
// line. Prints for each line the number of blocks in each size class, named by the smallest size of the
// class.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <map>
#include <new>

static const size_t sizes[] = {0,        1,
                               2,        3,
                               4,        15,
                               16,       17,
                               31,       32,
                               511,      512,
                               513,      1022,
                               1023,     1024,
                               1025,     2047,
                               2048,     4095,
                               4096,     65535,
                               65536,    65537,
                               131071,   131072,
                               131073,   (1u << 20) - 1,
                               1u << 20, (1u << 20) + 1};
static const size_t giants[] = {(1ull << 32) - 1, 1ull << 32, (1ull << 32) + 1};

/* Static, so that counting allocates nothing. */
static unsigned blocks[2000][48];
static char text[(1 << 20) + 2];

static void note(int line, const void *block, size_t size) {
    int number = 0;
    while (size >> number)
        number++;
    blocks[line][number] += block != nullptr;
}

#define ONE(give_back, call)                                                                                 \
    do {                                                                                                     \
        void *volatile got = call;                                                                           \
        note(__LINE__, got, asked);                                                                          \
        give_back;                                                                                           \
    } while (0)

static void c_functions(size_t n) {
    size_t asked = n;
    ONE(free(got), malloc(n));
    ONE(free(got), calloc(n, 1));
    ONE(free(got), realloc(nullptr, n));
    ONE(free(got), aligned_alloc(64, n));
    ONE(free(got), memalign(32, n));
    void *out = nullptr;
    ONE(free(out), (posix_memalign(&out, 128, n), out));
    memset(text, 'x', n);
    text[n] = 0;
    asked = n + 1;
    ONE(free(got), strdup(text));
    ONE(free(got), strndup(text, n + 7));
}

static void operators(size_t n) {
    size_t asked = n;
    std::align_val_t align{64};
    ONE(operator delete(got), operator new(n));
    ONE(operator delete[](got), operator new[](n));
    ONE(operator delete(got, std::nothrow), operator new(n, std::nothrow));
    ONE(operator delete[](got, std::nothrow), operator new[](n, std::nothrow));
    ONE(operator delete(got, align), operator new(n, align));
    ONE(operator delete[](got, align), operator new[](n, align));
    ONE(operator delete(got, align, std::nothrow), operator new(n, align, std::nothrow));
    ONE(operator delete[](got, align, std::nothrow), operator new[](n, align, std::nothrow));
}

static void reallocs() {
    void *block = malloc(7);
    note(__LINE__ - 1, block, 7);
    for (size_t asked : sizes)
        if (asked)
            ONE(, block = realloc(block, asked));
    free(block);
}

int main() {
    for (size_t n : sizes) {
        c_functions(n);
        operators(n);
    }
    reallocs();
    for (size_t asked : giants)
        ONE(free(got), malloc(asked));
    for (int line = 0; line < 2000; line++)
        for (int number = 0; number < 48; number++)
            if (blocks[line][number])
                printf("%d %zu %u\n", line, number ? size_t(1) << (number - 1) : 0, blocks[line][number]);
}
