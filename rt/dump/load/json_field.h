/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Members of JSON objects that somebody else wrote: each is taken only if it is what it should be, and else
 * the reason says which one is wrong, as "sites[3].line is not a count". */
#ifndef ALLOCSITE_DUMP_LOAD_JSON_FIELD_H
#define ALLOCSITE_DUMP_LOAD_JSON_FIELD_H

#include "dump/base/complain.h"
#include "dump/load/report_read.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* An object and how to get there. */
struct json_at {
    const json_t *object;
    const struct json_at *parent; /* NULL: the document */
    const char *array;            /* the member of parent that holds it ... */
    size_t index;                 /* ... at this index */
};

bool json_field_exists(const struct json_at *, const char *name);

/* False: *why says what is wrong. Strings and arrays are borrowed from the document. */
bool json_field_u64(const struct json_at *, const char *name, uint64_t *, struct reason *why);
bool json_field_u32(const struct json_at *, const char *name, uint32_t *, struct reason *why);
bool json_field_bool(const struct json_at *, const char *name, bool *, struct reason *why);
bool json_field_text(const struct json_at *, const char *name, const char **, struct reason *why);
bool json_field_array(const struct json_at *, const char *name, const json_t **, struct reason *why);

/* The same where null stands for NULL. */
bool json_field_text_or_null(const struct json_at *, const char *name, const char **, struct reason *why);

/* Sixteen hexadecimal digits, or null: then *is_null. */
bool json_field_id(const struct json_at *, const char *name, uint64_t *id, bool *is_null, struct reason *why);

/* "0x" and up to sixteen hexadecimal digits. */
bool json_field_address(const struct json_at *, const char *name, uint64_t *address, struct reason *why);

/* The object at an index of an array that is a member of parent. */
bool json_field_object(struct json_at *, const struct json_at *parent, const char *array, size_t index,
                       struct reason *why);

/* Says of a member that it is not what it should be. Always false. */
bool json_field_wrong(const struct json_at *, const char *name, const char *what, struct reason *why);

/* ---- The modules and the calling frames of a report in JSON. */

/* The sites have been read, and by_id is sorted. False: *why says what is wrong. There may be something to
 * free even then. */
bool report_read_stacks(struct report_file *, const struct json_at *top, struct reason *why);
void report_read_stacks_free(struct report_file *);

#endif
