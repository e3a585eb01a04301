/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the descriptor of a site, whose references are distances within its module's memory. */
#ifndef ALLOCSITE_LIB_REGISTRY_DESCRIPTOR_H
#define ALLOCSITE_LIB_REGISTRY_DESCRIPTOR_H

#include "format.h"
#include "lib/base/os.h"
#include "model/site.h"

/* Returns the object that the field refers to; NULL if none. */
static inline const void *descriptor_follow(const allocsite_ref *field) {
    return *field ? (const char *)field + *field : NULL;
}

static inline const struct allocsite_frame *descriptor_frame(const allocsite_ref *field) {
    return (const struct allocsite_frame *)descriptor_follow(field);
}

/* Return the source location of a site, and of a frame of its inline chain. */
struct place descriptor_at(const struct allocsite_site *);
struct place descriptor_place(const struct allocsite_frame *);

/* Returns the first frame of its inline chain; NULL if none. */
const struct allocsite_frame *descriptor_caller(const struct allocsite_site *);

const char *descriptor_request(const struct allocsite_site *, bool type);

/* Returns the site as readers see it. Writes at most `capacity` locations of its inline chain to inlined. */
struct site_view descriptor_view(const struct allocsite_site *, const char *module, struct place *inlined,
                                 size_t capacity);

/* Returns whether both are the same site. The hash represents the inline chain. */
bool descriptor_same(const struct allocsite_site *, const struct allocsite_site *);

/* Returns the bytes that a copy of the descriptor needs, including everything that it refers to. */
size_t descriptor_copy_size(const struct allocsite_site *);

/* Copies the descriptor with all that it refers to. memory must be zeroed. The copy has no slot. */
struct allocsite_site *descriptor_copy(const struct allocsite_site *, void *memory);

#endif
