/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* glibc's chunks (malloc.c, "Chunk representation"): the word before a block is the size of its chunk, a
 * multiple of 16, plus three flags: the previous chunk is in use, the chunk was mapped, it belongs to another
 * arena than the main one. The flag that says whether a chunk is in use is thus in the size of the next
 * chunk. */
#include "lib/heap/chunk.h"

#include "lib/base/os.h"
#include "lib/heap/underlying.h"

#include <stdint.h>

#define PREV_INUSE   1
#define IS_MMAPPED   2
#define FLAGS        7
#define CHUNK_LEAST  32
#define CHUNK_HEADER 16
#define ADDRESSES    (UINT64_C(1) << 47)

static bool is_size(uintptr_t size) {
    return size >= CHUNK_LEAST && size < ADDRESSES;
}

static bool read_word(uintptr_t address, uintptr_t *word) {
    bool can = os_can_read((const void *)address);
    if (can)
        *word = *(const uintptr_t *)address;
    return can;
}

/* The chunk and the bytes before it (alignment, or none) fill whole pages. */
static bool is_mapped(uintptr_t chunk, uintptr_t before, uintptr_t size) {
    const uintptr_t page = 4096;
    return before <= chunk && (chunk - before) % page == 0 && (before + size) % page == 0;
}

bool chunk_may_be_live(const void *p) {
    uintptr_t chunk = (uintptr_t)p - CHUNK_HEADER, before, size, next;
    if ((uintptr_t)p % CHUNK_HEADER != 0 || !read_word(chunk, &before) ||
        !read_word(chunk + sizeof size, &size) || !is_size(size & ~(uintptr_t)FLAGS))
        return false;
    uintptr_t length = size & ~(uintptr_t)FLAGS;
    if (size & IS_MMAPPED)
        return is_mapped(chunk, before, length);
    if (length % CHUNK_HEADER != 0 || !read_word(chunk + length + sizeof next, &next))
        return false;
    return next & PREV_INUSE && is_size(next & ~(uintptr_t)FLAGS);
}

/* The second word of a cached block is a key that glibc chooses at random (malloc.c, tcache_key), and that
 * malloc overwrites. The runtime finds the key by freeing a block. */
bool chunk_is_cached(const void *p) {
    volatile uintptr_t *block = underlying_after.malloc(CHUNK_LEAST - sizeof *block);
    if (!block)
        return false;
    block[1] = 0;
    underlying_after.free((void *)block);
    uintptr_t key = block[1];
    return key && ((const uintptr_t *)p)[1] == key;
}
