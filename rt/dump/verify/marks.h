/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A set of 64-bit keys that are wanted, each with the marks it was seen with. */
#ifndef ALLOCSITE_DUMP_VERIFY_MARKS_H
#define ALLOCSITE_DUMP_VERIFY_MARKS_H

#include "dump/elf/elf_file.h"
#include "dump/table/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct marks {
    uint64_t *keys; /* 0: free */
    unsigned char *seen;
    size_t capacity, count;
};

/* Adds a key, not 0, with no marks. False: out of memory. */
bool marks_want(struct marks *, uint64_t key);

/* Adds marks to a key. False: the key is not wanted. */
bool marks_see(struct marks *, uint64_t key, unsigned char marks);

/* 0 also for a key that is not wanted. */
unsigned char marks_of(const struct marks *, uint64_t key);

void marks_free(struct marks *);

/* Never 0. */
uint64_t key_of_text(uint64_t state, const char *text);
uint64_t key_of_number(uint64_t state, uint64_t number);

/* Fills the set with the addresses of the sites, marked with 1 where code refers to one. False: out of
 * memory. */
bool code_references(struct marks *, const struct elf_file *, const struct table *);

#endif
