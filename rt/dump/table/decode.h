/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Helpers that the decoders of a site table share. */
#ifndef ALLOCSITE_DUMP_TABLE_DECODE_H
#define ALLOCSITE_DUMP_TABLE_DECODE_H

#include "dump/table/table.h"
#include "format.h"

/* Copies the bytes. False: they are missing. */
bool table_read(const struct table_regions *, uint64_t address, void *to, size_t size);

/* Returns the target of the reference in a field at an address; 0: none. */
static inline uint64_t table_target(uint64_t field, allocsite_ref reference) {
    return reference ? field + (uint64_t)(int64_t)reference : 0;
}

#define FIELD(address, type, member) ((address) + offsetof(type, member))

/* Read the string, or the scope, at an address. False: it is damaged. An empty string means unknown, like a
 * missing one (address 0): NULL. */
bool table_read_string(const struct table_input *, uint64_t address, const char **string);
bool table_read_scope(const struct table_input *, uint64_t address, struct place *place);

/* Sets *count to the number of elements of that size in the regions. False: a region's size is not a multiple
 * of it; `what` names the kind for *why. */
bool table_count(const struct table_regions *, size_t element, const char *what, size_t *count,
                 struct reason *why);

/* Order of texts; NULL, unknown, comes last. */
int table_compare_known(const char *a, const char *b);

/* Decode the functions and the calls of the table's input (entries.c). */
bool table_decode_functions(struct table *, struct reason *why);
bool table_decode_calls(struct table *, struct reason *why);

#endif
