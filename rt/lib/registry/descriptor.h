/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Following the references of a site's descriptor within its own module's memory. */
#ifndef ALLOCSITE_LIB_REGISTRY_DESCRIPTOR_H
#define ALLOCSITE_LIB_REGISTRY_DESCRIPTOR_H

#include "format.h"
#include "lib/base/os.h"
#include "model/site.h"

/* The object that the field names, NULL for none. */
static inline const void *descriptor_follow(const allocsite_ref *field) {
    return *field ? (const char *)field + *field : NULL;
}

static inline const struct allocsite_frame *descriptor_frame(const allocsite_ref *field) {
    return (const struct allocsite_frame *)descriptor_follow(field);
}

/* Where the site is written, and where a step of its inline chain is. */
struct place descriptor_at(const struct allocsite_site *);
struct place descriptor_place(const struct allocsite_frame *);

/* The first step of its inline chain, NULL for none. */
const struct allocsite_frame *descriptor_caller(const struct allocsite_site *);

const char *descriptor_request(const struct allocsite_site *, bool type);

/* The site as readers see it, with so many places of its inline chain at most. */
struct site_view descriptor_view(const struct allocsite_site *, const char *module, struct place *inlined,
                                 size_t room);

/* Whether the two are one site; the hash stands for the inline chain. */
bool descriptor_same(const struct allocsite_site *, const struct allocsite_site *);

/* Bytes that a copy of the descriptor takes with everything it names. */
size_t descriptor_copy_size(const struct allocsite_site *);

/* Makes that copy at memory, whose references stay within it. Its slot is NONE. */
struct allocsite_site *descriptor_copy(const struct allocsite_site *, void *memory);

#endif
