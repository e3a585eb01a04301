/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The forms of groups, and what they have in common. */
#ifndef ALLOCSITE_DUMP_VIEW_GROUPS_WRITE_H
#define ALLOCSITE_DUMP_VIEW_GROUPS_WRITE_H

#include "dump/view/groups.h"
#include "write/page.h"

void groups_text(struct out *, const struct groups *, const struct report *);
void groups_markdown(struct out *, const struct groups *, const struct report *);
void groups_json(struct out *, const struct groups *, const struct report *);
void groups_csv(struct out *, const struct groups *, const struct report *);

/* Whether rows of unsited allocations, under their module's name, can be among them. */
static inline bool group_by_has_unsited(enum group_by by) {
    return by != BY_MODULE && !group_by_parts(by);
}

/* Whether something was counted before a reset. */
bool groups_have_before(const struct groups *);

#endif
