/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* JSON as it comes: commas and quotes are put here and nowhere else. Needs no memory: of all that is open,
 * only the innermost object or array can be written to, and what was before a closed one is always something.
 */
#ifndef ALLOCSITE_BASE_JSON_H
#define ALLOCSITE_BASE_JSON_H

#include "base/out.h"

#include <stdbool.h>

struct json {
    struct out *out;
    bool follows;      /* in the same object or array something stands before */
    const char *space; /* in front of what comes next; NULL: none */
};

/* Members of an object, or elements of an array if the key is NULL. The value that follows json_key is the
 * caller's. */
void json_key(struct json *, const char *key);
void json_number(struct json *, const char *key, uint64_t);
void json_text(struct json *, const char *key, const char *); /* NULL: null */
void json_flag(struct json *, const char *key, bool);
void json_id(struct json *, const char *key, uint64_t);      /* "0123456789abcdef" */
void json_address(struct json *, const char *key, uint64_t); /* "0x1f" */

/* bracket: { or [, and the one that fits it. */
void json_open(struct json *, const char *key, char bracket);
void json_close(struct json *, char bracket);

/* A whole document: the object with these two members, and its end with that of its line. */
struct json json_begin(struct out *, const char *format, uint64_t version);
void json_end(struct json *);

/* The next member or element begins a line. */
static inline void json_line(struct json *json) {
    json->space = "\n";
}

#endif
