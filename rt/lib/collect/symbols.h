/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of a module that is in memory, by address: all that its file tells, else those that other modules
 * may call. */
#ifndef ALLOCSITE_LIB_COLLECT_SYMBOLS_H
#define ALLOCSITE_LIB_COLLECT_SYMBOLS_H

#include "lib/who/modules.h"

struct symbols {
    struct symbol *sorted;
    size_t count;
    const char *strings;
};

/* A module and its functions; of none if it has none, or if it may be unloaded meanwhile. */
struct symbols_of {
    const struct module *module; /* NULL: wants none */
    struct symbols symbols;
};

#ifdef ALLOCSITE_STATIC

/* A static executable has no dynamic symbols. */
static inline void symbols_find(struct symbols_of *modules, size_t count, bool is_end) {
    (void)modules, (void)count, (void)is_end;
}

static inline const char *symbols_function(const struct symbols *symbols, uint64_t address) {
    (void)symbols, (void)address;
    return NULL;
}

#else

/* Finds the functions of so many modules. is_end: takes a lock of the dynamic loader, which keeps modules
 * that may be unloaded where they are. They live until collect_done. */
void symbols_find(struct symbols_of *, size_t count, bool is_end);

/* Name of the function that holds the call that returns to address, which is as the module's file has it.
 * NULL: not known. */
const char *symbols_function(const struct symbols *, uint64_t address);

#endif

#endif
