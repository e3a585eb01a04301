/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counters, histograms, and kinds of pairs. */
#ifndef ALLOCSITE_MODEL_COUNTERS_H
#define ALLOCSITE_MODEL_COUNTERS_H

#include "base/arrays.h"
#include "profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pairs describe what one site does to the blocks of another. Kind, name in JSON, and words for people. Kinds
 * before the first fault are ordinary events. */
#define ALLOCSITE_PAIR_KINDS(X)                                                                              \
    X(PAIR_FREE, "free", "freed by")                                                                         \
    X(PAIR_REALLOC, "realloc", "reallocated by")                                                             \
    X(FAULT_DOUBLE_FREE, "double_free", "freed twice")                                                       \
    X(FAULT_FOREIGN, "foreign", "freed an unallocated address")                                              \
    X(FAULT_MISMATCH, "mismatch", "freed by a function of another family")                                   \
    X(FAULT_ARRAY_MISMATCH, "array_mismatch", "array new and plain delete, or the reverse")

enum pair_kind {
#define ALLOCSITE_PAIR_KIND(kind, name, words) kind,
    ALLOCSITE_PAIR_KINDS(ALLOCSITE_PAIR_KIND)
#undef ALLOCSITE_PAIR_KIND
};

#define ALLOCSITE_PAIR_ONE(kind, name, words) +1
enum { PAIR_KINDS = 0 ALLOCSITE_PAIR_KINDS(ALLOCSITE_PAIR_ONE) };
#undef ALLOCSITE_PAIR_ONE

static inline bool pair_is_fault(enum pair_kind kind) {
    return kind >= FAULT_DOUBLE_FREE;
}

/* In JSON. */
static inline const char *pair_name(enum pair_kind kind) {
#define ALLOCSITE_PAIR_NAME(kind, name, words) name,
    static const char *const names[] = {ALLOCSITE_PAIR_KINDS(ALLOCSITE_PAIR_NAME)};
#undef ALLOCSITE_PAIR_NAME
    return names[kind];
}

/* For people. */
static inline const char *pair_words(enum pair_kind kind) {
#define ALLOCSITE_PAIR_WORDS(kind, name, words) words,
    static const char *const words[] = {ALLOCSITE_PAIR_KINDS(ALLOCSITE_PAIR_WORDS)};
#undef ALLOCSITE_PAIR_WORDS
    return words[kind];
}

/* ---- Size classes, for a histogram of requested sizes. */

/* Class 0: size 0; class k: 2^(k-1) <= size < 2^k; the last class: everything from 64 TiB on. */
#define SIZE_CLASSES 48

static inline uint64_t size_class(uint64_t size) {
    bool is_last = size >> (SIZE_CLASSES - 2);
    return is_last ? SIZE_CLASSES - 1 : highest_bit(2 * size + 1);
}

/* The smallest size of the class. */
static inline uint64_t size_class_start(unsigned number) {
    return number ? UINT64_C(1) << (number - 1) : 0;
}

/* ---- Lifetimes of a site's blocks (see profile.h). They use the classes of sizes. */

/* All members are counters, so sums treat them alike. */
enum { LIFETIMES_COUNTERS = sizeof(struct profile_lifetimes) / sizeof(uint64_t) };

union lifetimes {
    struct profile_lifetimes of;
    uint64_t counters[LIFETIMES_COUNTERS];
};

/* The number of blocks with a known lifetime: allocated while lifetimes were counted, and no longer owned by
 * the site. */
static inline uint64_t lifetimes_blocks(const union lifetimes *lifetimes) {
    uint64_t blocks = 0;
    for (int i = 0; i < SIZE_CLASSES; i++)
        blocks += lifetimes->of.by_allocations[i];
    return blocks;
}

/* ---- The counters of a site and of the totals. Report, JSON and CSV expand this list. */

/* In the order of the report. Calls and blocks are counts, the others are bytes as requested. For every site
 * and in total
 *
 *     allocs + reallocs + inherited_blocks = frees + moved + live_blocks
 *     alloc_bytes + realloc_bytes + inherited_bytes = freed_bytes + moved_bytes + live_bytes
 *
 * inherited: blocks that a forked child got from its parent; 0 in other processes. */
#define ALLOCSITE_FLOW(X)                                                                                    \
    X(allocs)                                                                                                \
    X(alloc_bytes)                                                                                           \
    X(reallocs)                                                                                              \
    X(realloc_bytes)                                                                                         \
    X(realloc_old_bytes)                                                                                     \
    X(frees)                                                                                                 \
    X(freed_bytes)                                                                                           \
    X(moved)                                                                                                 \
    X(moved_bytes)
#define ALLOCSITE_TOTALS(X)                                                                                  \
    ALLOCSITE_FLOW(X)                                                                                        \
    X(live_blocks)                                                                                           \
    X(live_bytes)                                                                                            \
    X(failed)                                                                                                \
    X(peak_bytes)                                                                                            \
    X(peak_blocks)                                                                                           \
    X(inherited_blocks)                                                                                      \
    X(inherited_bytes)

/* A thread or phase has only flows and failures. */
#define ALLOCSITE_PART(X) ALLOCSITE_FLOW(X) X(failed)

/* A site has additional counters. max_live_blocks_within: with several threads the true maximum exceeds
 * max_live_blocks by at most this. */
#define ALLOCSITE_SITE_TOTALS(X)                                                                             \
    ALLOCSITE_TOTALS(X)                                                                                      \
    X(max_live_blocks)                                                                                       \
    X(max_live_blocks_within)

/* Optional counters, which outputs contain if they are not 0. temporary: blocks that were freed before their
 * thread allocated anything else. */
#define ALLOCSITE_ASKED(X) X(temporary)

/* The live blocks that are leaked, and those that are possibly leaked: only memory that the program mapped
 * itself points to them. Outputs contain them if the report has reach. */
#define ALLOCSITE_LEAKED(X)                                                                                  \
    X(leaked_blocks)                                                                                         \
    X(leaked_bytes)                                                                                          \
    X(possibly_leaked_blocks)                                                                                \
    X(possibly_leaked_bytes)
#define ALLOCSITE_COUNTED(X)                                                                                 \
    ALLOCSITE_TOTALS(X)                                                                                      \
    ALLOCSITE_ASKED(X)                                                                                       \
    ALLOCSITE_LEAKED(X)

struct counters {
#define ALLOCSITE_MEMBER(name) uint64_t name;
    ALLOCSITE_SITE_TOTALS(ALLOCSITE_MEMBER)
    ALLOCSITE_ASKED(ALLOCSITE_MEMBER)
    ALLOCSITE_LEAKED(ALLOCSITE_MEMBER)
#undef ALLOCSITE_MEMBER
};

/* For counters outside the totals no peak is tracked. The maximum is at most the number of blocks ever
 * allocated. */
static inline void counters_forget_peaks(struct counters *counters) {
    uint64_t came = counters->allocs + counters->reallocs + counters->inherited_blocks;
    counters->peak_bytes = counters->peak_blocks = 0;
    counters->max_live_blocks = counters->live_blocks;
    counters->max_live_blocks_within = came - counters->live_blocks;
}

/* If frees were not counted, live blocks and their maximum are all blocks ever allocated. */
static inline void counters_keep_all(struct counters *counters) {
    counters_forget_peaks(counters);
    counters->peak_blocks = counters->live_blocks;
    counters->peak_bytes = counters->live_bytes;
}

/* total += part, member by member. */
static inline void counters_add(struct counters *total, const struct counters *part) {
#define ALLOCSITE_ADD(name) total->name += part->name;
    ALLOCSITE_SITE_TOTALS(ALLOCSITE_ADD)
    ALLOCSITE_ASKED(ALLOCSITE_ADD)
    ALLOCSITE_LEAKED(ALLOCSITE_ADD)
#undef ALLOCSITE_ADD
}

/* The maximum of a sum is not the sum of the maxima. It is at least the larger maximum and at least what both
 * had live at a known moment, and at most the sum. */
static inline void counters_join(struct counters *whole, const struct counters *part) {
    uint64_t most =
        whole->max_live_blocks > part->max_live_blocks ? whole->max_live_blocks : part->max_live_blocks;
    counters_add(whole, part);
    uint64_t bound = whole->max_live_blocks + whole->max_live_blocks_within;
    uint64_t together = whole->live_blocks > whole->peak_blocks ? whole->live_blocks : whole->peak_blocks;
    if (most < together)
        most = together < bound ? together : bound;
    whole->max_live_blocks = most;
    whole->max_live_blocks_within = bound - most;
}

#endif
