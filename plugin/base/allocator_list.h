/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Descriptions of the program's own allocators: a list that the user writes (allocsite-list(5)), in the
 * format of clang's special-case lists, or an attribute in the source. Independent of LLVM. */
#ifndef ALLOCSITE_BASE_ALLOCATOR_LIST_H
#define ALLOCSITE_BASE_ALLOCATOR_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum listed_kind {
    LISTED_WRAPPER, /* pass-through function: its allocations are attributed to its callers */
    LISTED_ALLOC,
    LISTED_REALLOC,
    LISTED_FREE,
    LISTED_MARK,    /* returns, or takes, the point to which an arena can be released */
    LISTED_RELEASE, /* releases all blocks of an arena, or those allocated since a mark */
    LISTED_CHUNK,   /* allocates memory for an arena; the memory is not a block of the program */
    LISTED_IGNORE,
};

/* Arguments are numbered from 1. 0: no such argument. */
struct listed_function {
    enum listed_kind kind;
    uint8_t size, count, align, pointer, arena;
    uint32_t bytes; /* size of each block if no argument has it */
};

enum list_subject {
    LIST_FUNCTIONS,
    LIST_SOURCES,
    LIST_TYPES,
};

struct list_entry {
    enum list_subject subject;
    char *pattern; /* glob for wildcard_match (rt/base/words.h) */
    struct listed_function function;
    const char *file; /* path as the user gave it */
    unsigned line;
};

/* Initially all zero. Entries are never freed: a list lives as long as the compilation. */
struct allocator_list {
    struct list_entry *entries;
    size_t count, capacity;
};

struct list_error {
    unsigned line; /* 0: the error concerns the file as a whole */
    char text[160];
};

/* Parses a list and appends its entries. Returns false and fills the error if the text is invalid. The list
 * keeps the pointer `file`. */
bool allocator_list_add(struct allocator_list *, const char *file, const char *text, size_t size,
                        struct list_error *);

/* Reads and parses a file in the same way. */
bool allocator_list_read(struct allocator_list *, const char *path, struct list_error *);

/* Returns the last entry of functions that matches one of `names`, or NULL. */
const struct list_entry *allocator_list_find(const struct allocator_list *, const char *const *names,
                                             size_t count);

/* Returns whether the list ignores the source file or type `name`. */
bool allocator_list_ignores(const struct allocator_list *, enum list_subject, const char *name);

/* Parses `KIND [size=N] ...`. Returns false and fills the error if the text is invalid. */
bool listed_function_read(struct listed_function *, const char *text, size_t size, struct list_error *);

#ifdef __cplusplus
}
#endif

#endif
