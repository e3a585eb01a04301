/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A process of its own for reading debug information: libdwarf can crash on what is damaged. */
#ifndef ALLOCSITE_DUMP_DEBUG_CHILD_H
#define ALLOCSITE_DUMP_DEBUG_CHILD_H

#include "dump/base/terminal.h"
#include "dump/elf/elf_file.h"
#include "model/site.h"

#include <sys/types.h>

/* Calls work there, limited in time and memory, and returns what it does, which must not be negative. -1: it
 * has not come to its end; *why says why. Buffers of the caller's must be flushed. */
int debug_child(int (*work)(void *context), void *context, struct reason *why);

/* ---- Functions and lines of addresses, from the debug information of a module.
 *
 * Theory of operation: all addresses are looked up together. Of the units only those are read that have one
 * of them in their ranges, and each once: the functions and inlined calls in it are the scopes that addresses
 * lie in, the innermost one wins; then its line table is gone through, and each row takes the addresses that
 * it covers. So the cost is that of the debug information that is needed, whatever the number of addresses.
 */

struct debug_place {
    struct place at;
    uint32_t start; /* line that the function begins at; 0: unknown */
};

/* Of the address with that index: its place, and those where the functions that it is in were inlined,
 * outwards. Borrowed. Names of functions are demangled; the outermost one may be NULL. */
typedef void debug_found(void *context, size_t index, const struct debug_place *places, size_t count);

/* Where the debug information is. */
struct debug_files {
    const struct elf_file *elf;
    const char *module, *sysroot; /* where the module is, and NULL or where its system is: for split units */
    unsigned milliseconds; /* limit for debug_lookup in a child process; 0: only the limit of CPU time */
};

/* addresses are sorted and distinct. Calls for each of which something is known. False: *why says why not all
 * of the debug information could be read. To be called in a process of its own, see above. */
bool debug_lookup(const struct debug_files *, const uint64_t *addresses, size_t count, debug_found *,
                  void *context, struct reason *why);

/* The same in a process of its own. False: *why says why not all could be read; what was found before it is
 * told all the same.
 */
bool symbol_child_lookup(const struct debug_files *, const uint64_t *addresses, size_t count, debug_found *,
                         void *context, struct reason *why);

#endif
