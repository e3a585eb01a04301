/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a row is of. */
#ifndef ALLOCSITE_MODEL_GROUP_BY_H
#define ALLOCSITE_MODEL_GROUP_BY_H

#include <stdbool.h>
#include <stddef.h>

/* BY_FREED: by the line that gave the blocks back. BY_THREAD and BY_PHASE are of parts of profiles. */
enum group_by {
    BY_SITE,
    BY_LINE,
    BY_FUNCTION,
    BY_FILE,
    BY_TYPE,
    BY_MODULE,
    BY_STACK,
    BY_FREED,
    BY_THREAD,
    BY_PHASE,
    BYS
};

const char *group_by_name(enum group_by);

/* False: there is none of that name. */
bool group_by_read(const char *name, size_t length, enum group_by *);

static inline bool group_by_parts(enum group_by by) {
    return by == BY_THREAD || by == BY_PHASE;
}

#endif
