/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Allocates small and large blocks until memory is exhausted. Prints how many each line allocated, and their
 * size. */
#include <cstdio>
#include <cstdlib>
#include <new>
#include <sys/resource.h>

static void *blocks[1 << 16];

static void limit(rlim_t most) {
    struct rlimit limits;
    getrlimit(RLIMIT_AS, &limits);
    limits.rlim_cur = most;
    setrlimit(RLIMIT_AS, &limits);
}

static unsigned exhaust(void *(*volatile get)(), void (*release)(void *)) {
    unsigned count = 1;
    release(get()); /* allocates what a line needs once, before memory is exhausted */
    limit(4096);
    for (void *p; count < 1 << 16 && (p = get()); count++)
        blocks[count] = p;
    limit(RLIM_INFINITY);
    for (unsigned i = 1; i < count; i++)
        release(blocks[i]);
    return count;
}

enum { FALL_BACK_LINE = __LINE__ + 3 };
static void *fall_back(std::size_t n) {
    try {
        return operator new(n);
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

static void give_back(void *p) {
    operator delete(p);
}

static void give_back_array(void *p) {
    operator delete[](p);
}

#define TELL(line, size, call, release)                                                                      \
    std::printf("%d %u %d\n", line, exhaust([]() -> void * { return call; }, release), size)

int main() {
    static char text[1 << 16];
    std::setvbuf(stdout, text, _IOFBF, sizeof text);
    TELL(__LINE__, 100, malloc(100), free);
    TELL(__LINE__, 300, calloc(3, 100), free);
    TELL(__LINE__, 3000, malloc(3000), free);
    TELL(__LINE__, 2000, calloc(1000, 2), free);
    TELL(__LINE__, 200, operator new(200, std::nothrow), give_back);
    TELL(__LINE__, 4000, operator new[](4000, std::nothrow), give_back_array);
    TELL(FALL_BACK_LINE, 50, fall_back(50), give_back);
}
