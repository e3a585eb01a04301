/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The effects that one site can have on another one's blocks. */
#ifndef ALLOCSITE_MODEL_PAIR_KIND_H
#define ALLOCSITE_MODEL_PAIR_KIND_H

#include "base/bits.h"

#include <stdbool.h>
#include <stdint.h>

/* Kind, its name in JSON, and what it is called for people. Those before the first fault are what programs
 * do all the time. */
#define ALLOCSITE_PAIR_KINDS(X)                                                                              \
    X(PAIR_FREE, "free", "freed by")                                                                         \
    X(PAIR_REALLOC, "realloc", "reallocated by")                                                             \
    X(FAULT_DOUBLE_FREE, "double_free", "freed twice")                                                       \
    X(FAULT_FOREIGN, "foreign", "freed what no allocator gave")                                              \
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

/* ---- Classes of sizes, for a histogram of what a site asks for. */

/* Class 0: size 0; class k: 2^(k-1) <= size < 2^k; the last one: all above, from 64 TiB on. */
#define SIZE_CLASSES 48

static inline uint64_t size_class(uint64_t size) {
    bool is_last = size >> (SIZE_CLASSES - 2);
    return is_last ? SIZE_CLASSES - 1 : highest_bit(2 * size + 1);
}

/* The smallest size in it. */
static inline uint64_t size_class_start(unsigned number) {
    return number ? UINT64_C(1) << (number - 1) : 0;
}

#endif
