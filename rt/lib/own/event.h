/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events by the slow way: whom one is billed to, what the tables and tallies have of it then, and what a
 * program did wrong with a block. */
#ifndef ALLOCSITE_LIB_OWN_EVENT_H
#define ALLOCSITE_LIB_OWN_EVENT_H

#include "lib/base/slot.h"
#include "lib/bill/origin.h"
#include "lib/bill/scope.h"
#include "lib/heap/shadow.h"

/* Where an event is billed, and as what. */
struct bill {
    uint32_t slot;
    enum family family;
    uint64_t bytes;
    struct scope *scope; /* that takes it; NULL: none */
};

struct bill event_bill(struct origin, const void *p, uint64_t bytes, enum family);

/* Has the table of blocks hold one. */
void event_enter(const void *p, uint32_t slot, enum family, uint64_t bytes);

/* A call of the allocator has come back. p: NULL: it failed. */
void event_allocated(struct origin, const void *p, uint64_t bytes, enum family);

/* The same within the runtime's own doing, and while counting is stopped. */
void event_ours(const void *p, uint64_t bytes);
void event_passed_by(struct origin, const void *p, uint64_t bytes, enum family);

/* Takes the block at p out of the tables. Where there is none that may be a fault of the program's. */
struct block event_take(const void *p, struct origin by);

/* Whether the block is the program's and live. */
bool event_is_counted(const struct block *);

/* Such a block has gone: from p, where it was, given back by somebody; or without that being an event. */
void event_freed(const void *p, const struct block *, struct origin by);
void event_lost(const struct block *);

/* A realloc of such a block, and of one that nobody is known to own, has made this one. */
void event_moved(const struct block *old, uint32_t slot, const void *p, uint64_t bytes);
void event_appeared(uint32_t slot, const void *p, uint64_t bytes);

/* Tells of a block that is given back by functions of another family. */
void event_report_family(const struct block *, enum family, struct origin by);

/* With temporary=1: the block is the one that the thread allocated last; and whether one is, told once: the
 * address may come again by way of another thread. */
void event_newest(const void *p);
bool event_was_newest(const void *p);

#endif
