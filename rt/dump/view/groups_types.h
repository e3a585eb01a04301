/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is known of the rows of types: how much of their blocks is padding. */
#ifndef ALLOCSITE_DUMP_VIEW_GROUPS_TYPES_H
#define ALLOCSITE_DUMP_VIEW_GROUPS_TYPES_H

#include "base/json.h"
#include "dump/view/groups.h"
#include "write/page.h"

/* Adds a site that allocates the type; layout: NULL if it has none. */
void type_use_add_site(struct type_use *, const struct type_layout *, const struct counters *);

/* Adds the numbers alone. */
void type_use_add(struct type_use *, const struct type_use *);

/* Whether the row's size, and its padding, are one number. */
bool type_use_has_size(const struct type_use *);
bool type_use_has_padding(const struct type_use *);

/* Allocations of known type, all of them, and the same in bytes. */
struct types_known {
    uint64_t calls, all_calls;
    uint64_t bytes, all_bytes;
};

struct types_known groups_types_known(const struct groups *);

/* Why nothing is known of the types of a module; NULL: there is no index-th such one. */
const struct types_unknown *groups_types_unknown(const struct groups *, size_t index);

/* Lines above the table for people. */
void groups_put_types(const struct page *, const struct groups *);

/* Lines below a row for people: each hole, if the groups are to show them. */
void groups_put_holes(const struct page *, const struct groups *, const struct type_use *);

/* The members of the document and of a row. */
void groups_types_json(struct json *, const struct groups *);
void type_use_json(struct json *, const struct type_use *);

/* Size, padding, and padding of all bytes and of what is live, likewise; nothing for what is not known. */
void type_use_csv(struct out *, const struct type_use *);

#endif
