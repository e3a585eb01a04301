/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of functions that are redirected to the runtime, which rebind.c and attach.c share. */
#ifndef ALLOCSITE_LIB_HEAP_REBIND_H
#define ALLOCSITE_LIB_HEAP_REBIND_H

#include "lib/elf/image.h"

struct hidden {
    const char *name;
    ElfW(Sym) * their_symbol, *our_symbol; /* NULL if attached: another module may have several */
    uintptr_t theirs, ours, after;         /* 0: no definition follows the runtime's */
};

extern struct hidden rebind_table[] __attribute__((visibility("hidden")));
extern size_t rebind_used __attribute__((visibility("hidden")));

/* The names of all interposed functions, separated by NUL. */
extern const char rebind_names[] __attribute__((visibility("hidden")));

/* Makes underlying_symbol_after use the table from now on (rebind_is_done). */
void rebind_begin(void);

/* Replaces all words with that value in the writable memory of the module. Returns whether there was any, and
 * all could be written. */
bool rebind_words(const struct image *, uintptr_t from, uintptr_t to);

#endif
