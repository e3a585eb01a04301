/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Allocators that are members, throw, and are described in the source. */
#include <allocsite.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

static struct { unsigned long allocs, alloc_bytes, reallocs, realloc_bytes, frees, freed_bytes; } seen;

namespace memory {

class Arena {
    std::vector<char *> chunks;
    std::size_t used = 0, blocks = 0, bytes = 0;

  public:
    ALLOCSITE_ALLOCATOR("alloc size=2 arena=1") void *take(std::size_t n);
    ALLOCSITE_ALLOCATOR("release arena=1") void drop();
    template <class T> ALLOCSITE_ALLOCATOR("wrapper") T *make(std::size_t count);
};

__attribute__((noinline)) void *Arena::take(std::size_t n) {
    if (n > 1000)
        throw std::bad_alloc();
    if (chunks.empty() || used + n > 4096) {
        chunks.push_back(new char[4096]);
        used = 0;
    }
    char *p = chunks.back() + used;
    used += (n + 7) & ~7ul;
    blocks++;
    bytes += n;
    seen.allocs++;
    seen.alloc_bytes += n;
    return p;
}

void Arena::drop() {
    seen.frees += blocks;
    seen.freed_bytes += bytes;
    blocks = bytes = 0;
    for (char *chunk : chunks)
        delete[] chunk;
    chunks.clear();
}

template <class T> T *Arena::make(std::size_t count) {
    return static_cast<T *>(take(count * sizeof(T)));
}

} // namespace memory

int main() {
    memory::Arena arena;
    for (int round = 0; round < 10; round++) {
        for (int i = 1; i < 200; i++) {
            arena.make<int>(i);
            try {
                arena.make<double>(1000); /* throws */
            } catch (const std::bad_alloc &) {
                std::free(std::malloc(10)); /* is no chunk */
            }
        }
        if (round < 9)
            arena.drop();
    }
    std::printf("%lu %lu %lu %lu %lu %lu\n", seen.allocs, seen.alloc_bytes, seen.reallocs, seen.realloc_bytes,
                seen.frees, seen.freed_bytes);
    std::fflush(stdout);
    return 0;
}
