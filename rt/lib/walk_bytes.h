/* Reading unwind tables: numbers as DWARF writes them, never past the end.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_WALK_BYTES_H
#define ALLOCSITE_WALK_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* What is left to read. Addresses and not pointers, for what a table says may lead anywhere. */
struct bytes {
    uintptr_t at, end;
    bool bad; /* something was read that is not there: all numbers since then are 0 */
};

static inline struct bytes bytes_between(uintptr_t begin, uintptr_t end, uintptr_t at) {
    return at < begin || at > end ? (struct bytes){end, end, true} : (struct bytes){at, end, false};
}

static inline void bytes_skip(struct bytes *bytes, uint64_t count) {
    bytes->bad |= count > bytes->end - bytes->at;
    bytes->at = bytes->bad ? bytes->end : bytes->at + count;
}

/* Most of what tables have are single bytes. */
static inline uint8_t bytes_byte(struct bytes *bytes) {
    if (__builtin_expect(!bytes->bad && bytes->at < bytes->end, 1))
        return *(const uint8_t *)bytes->at++;
    bytes->bad = true;
    bytes->at = bytes->end;
    return 0;
}

/* size: 1, 2, 4 or 8. Inline, so that a size that is known is one load. */
static inline __attribute__((always_inline)) uint64_t bytes_unsigned(struct bytes *bytes, unsigned size) {
    uint64_t value = 0;
    uintptr_t at = bytes->at;
    bytes_skip(bytes, size);
    if (!bytes->bad)
        memcpy(&value, (const void *)at, size); /* little-endian */
    return value;
}

static inline uint64_t bytes_signed(struct bytes *bytes, unsigned size) {
    unsigned unused = 64 - 8 * size;
    return (uint64_t)((int64_t)(bytes_unsigned(bytes, size) << unused) >> unused);
}

static inline uint64_t bytes_leb(struct bytes *bytes, bool is_signed) {
    uint64_t value = 0, byte;
    unsigned shift = 0;
    do {
        byte = bytes_byte(bytes);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    if (is_signed && shift < 64 && byte & 0x40)
        value |= -(UINT64_C(1) << shift);
    return value;
}

static inline uint64_t bytes_uleb(struct bytes *bytes) {
    return bytes_leb(bytes, false);
}

static inline uint64_t bytes_sleb(struct bytes *bytes) {
    return bytes_leb(bytes, true);
}

#endif
