/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Handmade profiles in memory.
#ifndef ALLOCSITE_TESTS_DUMP_PROFILE_IMAGE_H
#define ALLOCSITE_TESTS_DUMP_PROFILE_IMAGE_H

#include "profile.h"

#include <stddef.h>
#include <string.h>

enum { IMAGE_PAGES = 64 };

struct image {
    _Alignas(PROFILE_PAGE) unsigned char bytes[IMAGE_PAGES * PROFILE_PAGE];
    size_t size;
    char *names;
    profile_name names_used;
};

static inline struct profile_header *image_header(struct image *image) {
    return (struct profile_header *)image->bytes;
}

static inline struct profile_directory *image_directory(struct image *image) {
    return (struct profile_directory *)(image->bytes + PROFILE_PAGE);
}

// The directory's last entry.
static inline struct profile_area *image_last(struct image *image) {
    struct profile_directory *directory = image_directory(image);
    return &directory->area[directory->areas - 1];
}

// Adds an area at the end and returns its zeroed memory.
static inline void *image_add(struct image *image, uint32_t kind, uint32_t index, uint64_t first,
                              size_t pages) {
    void *bytes = image->bytes + image->size;
    image_directory(image)->areas++;
    *image_last(image) = (struct profile_area){kind, index, image->size, pages * PROFILE_PAGE, first};
    image->size += pages * PROFILE_PAGE;
    return bytes;
}

static inline profile_name image_name(struct image *image, const char *text) {
    profile_name name = (image->names_used + 3) / 4 * 4;
    strcpy(image->names + name, text);
    image->names_used = name + (profile_name)strlen(text) + 1;
    return name;
}

static inline profile_name image_frame(struct image *image, struct profile_frame frame) {
    profile_name name = (image->names_used + 3) / 4 * 4;
    memcpy(image->names + name, &frame, sizeof frame);
    image->names_used = name + (profile_name)sizeof frame;
    return name;
}

// Makes the profile of a finished process, with names and no counts.
static inline void image_begin(struct image *image) {
    memset(image->bytes, 0, sizeof image->bytes);
    image->size = 2 * PROFILE_PAGE;
    image->names = image_add(image, PROFILE_NAMES, 0, 0, PROFILE_NAMES_FIRST / PROFILE_PAGE);
    image->names_used = 4;
    struct profile_header *header = image_header(image);
    *header = (struct profile_header){
        .version = PROFILE_VERSION,
        .byte_order = PROFILE_BYTE_ORDER,
        .rare = PROFILE_RARE_COUNT,
        .pid = 42,
        .ended = 1,
        .processes = 1,
        .program = image_name(image, "/bin/p"),
    };
    memcpy(header->magic, PROFILE_MAGIC, PROFILE_MAGIC_SIZE);
}

// Records, further data of slots, and one thread's counters, for slots 0 to 63.
struct image_tables {
    struct profile_record *records;
    struct profile_slot *slots;
    struct tally *tallies;
    struct extra *extras;
};

// Slot 1 is the module /bin/p, slot 2 a site in it.
static inline struct image_tables image_tables(struct image *image) {
    struct image_tables tables = {
        image_add(image, PROFILE_RECORDS, 0, 0, 1),
        image_add(image, PROFILE_SLOTS, 0, 0, 1),
        image_add(image, PROFILE_TALLIES, 0, 0, 1),
        image_add(image, PROFILE_EXTRAS, 0, 0, 1),
    };
    tables.records[1] = (struct profile_record){
        .id = 0xb1, .module = 1, .file = image_header(image)->program, .what = PROFILE_MODULE};
    tables.records[2] = (struct profile_record){
        .id = 0xa2,
        .module = 1,
        .line = 7,
        .column = 9,
        .function = image_name(image, "f"),
        .file = image_name(image, "a.c"),
        .callee = image_name(image, "malloc"),
        .what = PROFILE_SITE,
    };
    return tables;
}

#endif
