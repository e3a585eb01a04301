/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks around the sizes at which the runtime's representation changes, up to more than its fields can hold, from all
 * functions. Prints for each case its line in this file, and the number and bytes of its blocks. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const size_t sizes[] = {0,       1,        8,       15,       16,        511,       512,        513,        1023, 1024,
                               4096,    65535,    1 << 20, 67108863, 67108864, 100000000, 3ul << 30, (1ul << 35) - 2,
                               (1ul << 35) - 1, 1ul << 35, (1ul << 35) + 12345, 40ul << 30};
#define SIZES (sizeof sizes / sizeof *sizes)

static uint64_t blocks, bytes, failed;
static int line;

static void *got(void *p, size_t n) {
    __asm__ volatile("" : "+r"(p)); /* prevents the optimizer from removing the block */
    blocks += p != NULL;
    bytes += p ? n : 0;
    failed += !p;
    return p;
}

static void say(void) {
    char text[100];
    int n = snprintf(text, sizeof text, "%d %llu %llu %llu\n", line, (unsigned long long)blocks,
                     (unsigned long long)bytes, (unsigned long long)failed);
    if (write(STDOUT_FILENO, text, (size_t)n) != n)
        abort();
    blocks = bytes = failed = 0;
}

#define CALL(call) (line = __LINE__, (call))
static void *by_malloc(size_t n) { return CALL(malloc(n)); }
static void *by_calloc(size_t n) { return CALL(calloc(n, 1)); }
static void *by_aligned_alloc(size_t align, size_t n) { return CALL(aligned_alloc(align, n)); }
static int by_posix_memalign(void **p, size_t align, size_t n) { return CALL(posix_memalign(p, align, n)); }
static void *for_realloc(size_t n) { return CALL(malloc(n)); }
static void *by_realloc(void *p, size_t n) { return CALL(realloc(p, n)); /* kept */ }
static void *for_nothing(size_t n) { return CALL(malloc(n)); }

static void *held[SIZES];

static void get_all(void *get(size_t)) {
    for (size_t i = 0; i < SIZES; i++)
        held[i] = got(get(sizes[i]), sizes[i]);
    say();
}

static void get_aligned(size_t align, size_t n) {
    void *p = NULL;
    if (by_posix_memalign(&p, align, n) == 0 && (uintptr_t)p % align)
        abort();
    free(got(p, n));
}

/* With an argument: skips huge reallocs, which the allocator would copy. */
int main(int argc, char **argv) {
    (void)argv;
    size_t limit = argc > 1 ? 1 << 20 : SIZE_MAX;
    get_all(by_malloc);
    for (size_t i = 0; i < SIZES; i++)
        free(held[i]);
    get_all(by_calloc);
    for (size_t i = SIZES; i-- > 0;)
        free(held[i]);
    for (size_t align = 8; align <= 1 << 24; align *= 2)
        for (size_t n = 0; n < 3000; n += 500)
            get_aligned(align, n);
    get_aligned(1 << 20, 40ul << 30);
    say();
    for (size_t align = 32; align <= 1 << 16; align *= 4)
        for (size_t i = 0; i < SIZES; i++)
            free(got(by_aligned_alloc(align, sizes[i]), sizes[i]));
    say();
    get_all(for_realloc);
    for (size_t i = 0; i < SIZES; i++) {
        size_t n = i % 2 ? sizes[i] / 2 + 1 : sizes[i] + 100;
        if (n <= limit)
            held[i] = got(by_realloc(held[i], n), n);
        else
            free(held[i]);
    }
    say();
    get_all(for_nothing);
    for (size_t i = 0; i < SIZES; i++)
        free(held[i] ? realloc(held[i], 0) : NULL); /* frees, or returns a block of size 0 */
    return 0;
}
