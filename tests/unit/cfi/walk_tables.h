/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handmade unwind tables: .eh_frame_hdr, one common entry, entries of functions. */
#ifndef ALLOCSITE_RT_WALK_TABLES_H
#define ALLOCSITE_RT_WALK_TABLES_H

#include "cfi/cfi.h"

#include <assert.h>
#include <string.h>

#include <cmocka.h>

enum { FUNCTIONS_MOST = 4, HEADER_SIZE = 12 + 8 * FUNCTIONS_MOST };

struct image {
    uint8_t bytes[1024];
    size_t used;
    uint32_t common; /* offset of the common entry */
    uint32_t count;
    const char *letters;
};

/* Code is never read; only its addresses matter. */
static inline uintptr_t code(const struct image *image, uint32_t offset) {
    return (uintptr_t)image->bytes + 0x10000 + offset;
}

static inline void put(struct image *image, const void *bytes, size_t size) {
    assert(image->used + size <= sizeof image->bytes);
    memcpy(image->bytes + image->used, bytes, size);
    image->used += size;
}

static inline void put_number(struct image *image, uint64_t number, size_t size) {
    put(image, &number, size);
}

static inline void put_at(struct image *image, size_t at, uint64_t number) {
    memcpy(image->bytes + at, &number, 4);
}

static inline void put_size(struct image *image, size_t begin) {
    while ((image->used - begin) % 8 != 4)
        put_number(image, 0, 1);
    put_at(image, begin, image->used - begin - 4);
}

#define PROGRAM(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

/* augmentation: the data for the letters "z...". */
static inline void image_begin_as(struct image *image, const char *letters, const uint8_t *augmentation,
                                  size_t size) {
    *image = (struct image){.used = HEADER_SIZE, .common = HEADER_SIZE, .letters = letters};
    image->bytes[0] = 1;
    image->bytes[1] = 0x1b; /* relative to the field, 4 bytes, signed */
    image->bytes[2] = 0x03; /* 4 bytes */
    image->bytes[3] = 0x3b; /* relative to the header, 4 bytes, signed */
    put_at(image, 4, HEADER_SIZE - 4);
    put_number(image, 0, 4);
    put_number(image, 0, 4);
    put_number(image, 1, 1);
    put(image, letters, strlen(letters) + 1);
    put(image, PROGRAM(1, 0x78, 16)); /* code factor, data factor -8, column of the return address */
    if (letters[0] == 'z') {
        put_number(image, size, 1);
        put(image, augmentation, size);
    }
    put(image, PROGRAM(0x0c, 7, 8, 0x90, 1)); /* CFA = rsp + 8, return address at CFA - 8 */
    put_size(image, image->common);
}

static inline void image_begin(struct image *image) {
    image_begin_as(image, "zR", PROGRAM(0x1b));
}

static inline void image_add(struct image *image, uint32_t offset, uint32_t size, const uint8_t *program,
                             size_t program_size) {
    size_t begin = image->used;
    put_number(image, 0, 4);
    put_number(image, image->used - image->common, 4);
    put_number(image, code(image, offset) - (uintptr_t)(image->bytes + image->used), 4);
    put_number(image, size, 4);
    put_number(image, 0, 1);
    put(image, program, program_size);
    put_size(image, begin);
    put_at(image, 12 + 8 * image->count, 0x10000 + offset);
    put_at(image, 16 + 8 * image->count, begin);
    put_at(image, 8, ++image->count);
}

static inline struct cfi_tables image_tables(const struct image *image) {
    uintptr_t begin = (uintptr_t)image->bytes;
    return (struct cfi_tables){begin, begin + image->used, begin};
}

static inline bool find(const struct image *image, uint32_t offset, struct cfi_row *row) {
    struct cfi_tables tables = image_tables(image);
    return cfi_find(&tables, code(image, offset), row);
}

/* Makes an image with one function of 100 bytes at offset 0. */
static inline void image_of(struct image *image, const uint8_t *program, size_t size) {
    image_begin(image);
    image_add(image, 0, 100, program, size);
}

#endif
