/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The list of a program's own allocators, as users write it (allocsite-list(5)), and the same
 * said by an attribute in the source. The format is that of clang's special-case lists. No LLVM here. */
#ifndef ALLOCSITE_BASE_ALLOCATOR_LIST_H
#define ALLOCSITE_BASE_ALLOCATOR_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum listed_kind {
    LISTED_WRAPPER, /* passes through: what it allocates is its callers' business */
    LISTED_ALLOC,
    LISTED_REALLOC,
    LISTED_FREE,
    LISTED_MARK,    /* returns, or is given, what a release goes back to */
    LISTED_RELEASE, /* gives back what an arena has handed out since a mark, or all of it */
    LISTED_BACKING, /* takes memory for an arena and hands out none of it */
    LISTED_IGNORE,
};

/* Arguments are numbered from 1; 0: there is none. */
struct listed_function {
    enum listed_kind kind;
    uint8_t size, count, align, pointer, arena;
    uint32_t bytes; /* of each block, where no argument tells */
};

enum list_subject {
    LIST_FUNCTIONS,
    LIST_SOURCES,
    LIST_TYPES,
};

struct list_entry {
    enum list_subject subject;
    char *pattern; /* words.h */
    struct listed_function function;
    const char *file; /* as it was given */
    unsigned line;
};

/* All zero at first. Entries stay until the process ends: lists live as long as a compilation. */
struct allocator_list {
    struct list_entry *entries;
    size_t count, room;
};

struct list_error {
    unsigned line; /* 0: of the file as a whole */
    char text[160];
};

/* Adds what the text of a list says. False: it is wrong, and how. `file` is kept. */
bool allocator_list_add(struct allocator_list *, const char *file, const char *text, size_t size,
                        struct list_error *);

/* The same of a file. */
bool allocator_list_read(struct allocator_list *, const char *path, struct list_error *);

/* The last line that matches one of the names of a function. NULL: no line does. */
const struct list_entry *allocator_list_find(const struct allocator_list *, const char *const *names,
                                             size_t count);

/* Whether sources or types of that name are to be ignored. */
bool allocator_list_ignores(const struct allocator_list *, enum list_subject, const char *name);

/* Reads `KIND [size=N] ...`. False: it is wrong, and how. */
bool listed_function_read(struct listed_function *, const char *text, size_t size, struct list_error *);

#ifdef __cplusplus
}
#endif

#endif
