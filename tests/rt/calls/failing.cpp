/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Small allocations that fail at registered sites. Prints LINE ALLOCS ALLOC_BYTES FAILED for each call, as the program
// saw it.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/resource.h>

enum { CALLS = 10, USED_BEFORE = 3 };

static unsigned long lines[CALLS], allocs[CALLS], bytes[CALLS], failed[CALLS];

static void note(int call, unsigned line, void *p, unsigned long size) {
    lines[call] = line;
    allocs[call] += p != nullptr;
    bytes[call] += p ? size : 0;
    failed[call] += p == nullptr;
}

#define NOTE(call, size, expression) note(call, __LINE__, expression, size)

static void *aligned(unsigned long size) {
    void *p = nullptr;
    return posix_memalign(&p, 32, size) ? nullptr : p;
}

static void *(*volatile escaped)(size_t) = malloc;
static char text[] = "a string that is copied";

static void call(int which) {
    void *p = nullptr;
    switch (which) {
    case 0:
        NOTE(0, 200, malloc(200));
        break;
    case 1:
        NOTE(1, 200, calloc(2, 100));
        break;
    case 2:
        NOTE(2, 40, aligned_alloc(8, 40));
        break;
    case 3:
        NOTE(3, 16, realloc(p, 16));
        break;
    case 4:
        NOTE(4, sizeof text, strdup(text));
        break;
    case 5:
        NOTE(5, 30, ::operator new(30, std::nothrow));
        break;
    case 6:
        NOTE(6, 0, malloc(0));
        break;
    case 7:
        NOTE(7, 60, aligned(60));
        break;
    case 8:
        NOTE(8, 70, escaped(70));
        break;
    case 9:
        NOTE(9, 48, ::operator new(48, std::align_val_t(64), std::nothrow));
        break;
    }
}

int main() {
    static char *all[1 << 20];
    for (int which = 0; which < CALLS; which++)
        for (int i = 0; i < USED_BEFORE; i++)
            call(which);
    struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY}, low = {1 << 25, RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &low);
    for (size_t i = 0; i < sizeof all / sizeof *all && (all[i] = static_cast<char *>(malloc(16))); i++)
        ;
    for (int which = 0; which < CALLS; which++)
        for (int i = 0; i < USED_BEFORE; i++)
            call(which);
    setrlimit(RLIMIT_AS, &none);
    for (int which = 0; which < CALLS; which++)
        printf("%lu %lu %lu %lu\n", lines[which], allocs[which], bytes[which], failed[which]);
    return 3;
}
