/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A profile with slots that belong to others: callers, stacks, chunks, the sum of custom allocators. */
#ifndef ALLOCSITE_TESTS_STACKS_IMAGE_H
#define ALLOCSITE_TESTS_STACKS_IMAGE_H

#include "dump/profile/read.h"
#include "profile_image.h"

#include <cmocka.h>

enum { LIBRARY = 3, CALLER, STACK_A, STACK_B, CHUNK, CHUNK_STACK, CUSTOM, STRANGE };

static struct image image;
static struct image_tables tables;
static struct profile_file file;
static struct reason why;

static inline profile_name image_bytes(const void *bytes, size_t size) {
    profile_name name = (image.names_used + 3) / 4 * 4;
    memcpy(image.names + name, bytes, size);
    image.names_used = name + (profile_name)size;
    return name;
}

static inline profile_name image_step(profile_name caller, struct profile_return to) {
    struct profile_step step = {caller, image_bytes(&to, sizeof to)};
    return image_bytes(&step, sizeof step);
}

// Counts `allocations` of 10 bytes and one free in a thread.
static inline void count(uint64_t slot, uint64_t allocations) {
    tables.tallies[slot] = (struct tally){.allocated = allocations,
                                          .allocated_bytes = 10 * allocations,
                                          .released = 1,
                                          .released_bytes = 10,
                                          .limit = (int64_t)allocations};
}

// Site 2 has 3 allocations without a stack, 5 from one stack and 7 from another. Its chunks have 11, and 13
// from a stack.
static inline int begin(void **state) {
    (void)state;
    image_begin(&image);
    tables = image_tables(&image);
    struct profile_record *records = tables.records;
    records[LIBRARY] = (struct profile_record){.id = 0xb2,
                                               .module = LIBRARY,
                                               .file = image_name(&image, "/lib/l.so"),
                                               .build_id = image_name(&image, "abcd"),
                                               .what = PROFILE_MODULE};
    records[CALLER] = (struct profile_record){.id = 0xc4,
                                              .module = LIBRARY,
                                              .function = image_name(&image, "_Z1fv"),
                                              .address = 0x123456789a,
                                              .what = PROFILE_CALLER};
    profile_name outer = image_step(0, (struct profile_return){.module = 1, .address = {0x20, 0}});
    profile_name a = image_step(outer, (struct profile_return){.module = 1, .address = {0x10, 0}});
    profile_name b = image_step(outer, (struct profile_return){.module = LIBRARY, .address = {0x30, 1}});
    records[STACK_A] = (struct profile_record){.parent = 2, .stack = a, .what = PROFILE_STACK};
    records[STACK_B] = (struct profile_record){.parent = 2, .stack = b, .what = PROFILE_STACK};
    records[CHUNK] = (struct profile_record){.parent = 2, .what = PROFILE_CUSTOM_CHUNK};
    records[CHUNK_STACK] = (struct profile_record){.parent = CHUNK, .stack = a, .what = PROFILE_STACK};
    records[CUSTOM] = (struct profile_record){.what = PROFILE_CUSTOM};
    count(2, 3);
    count(STACK_A, 5);
    count(STACK_B, 7);
    count(CHUNK, 11);
    count(CHUNK_STACK, 13);
    count(CALLER, 17);
    count(CUSTOM, 19);
    image_header(&image)->walks = (struct profile_walks){.depth = 2, .without_stack = 3};
    return 0;
}

static inline struct report *read_prepared(void) {
    struct report_limits everything = {.top = 0};
    assert_true(profile_read(&file, image.bytes, image.size, &why));
    report_prepare(&file.report, &everything);
    return &file.report;
}

#define TEST(function) cmocka_unit_test_setup(function, begin)

#endif
