/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading debug information in a child process, because libdwarf can crash on damaged input. */
#ifndef ALLOCSITE_DUMP_DEBUG_CHILD_H
#define ALLOCSITE_DUMP_DEBUG_CHILD_H

#include "dump/base/terminal.h"
#include "dump/elf/elf_file.h"
#include "model/site.h"

#include <sys/types.h>

/* Runs the function in a child with limited time and memory and returns its result, which must not be
 * negative. -1: it did not return; *why has the reason. The caller must flush its buffers first. */
int debug_child(int (*work)(void *context), void *context, struct reason *why);

/* ---- Functions and lines of addresses, from the debug information of a module.
 *
 * Theory of operation: all addresses are looked up together. Only units whose ranges contain an address are
 * read, each once. Its functions and inlined calls are scopes; the innermost scope that contains an address
 * wins. Then the line table is read once, and each row takes the addresses that it covers. The cost is
 * proportional to the debug information that is read and does not depend on the number of addresses. */

struct debug_place {
    struct place at;
    uint32_t start; /* line where the function begins; 0: unknown */
};

/* Reports the source location of the address with that index, followed by the locations where its functions
 * were inlined, outwards. All strings are borrowed and demangled. The outermost function may be NULL. */
typedef void debug_found(void *context, size_t index, const struct debug_place *places, size_t count);

/* Location of the debug information. */
struct debug_files {
    const struct elf_file *elf;
    const char *module, *sysroot; /* path of the module, and of its system root or NULL: for split units */
    unsigned milliseconds;        /* time limit for a child process; 0: only the limit of CPU time */
};

/* addresses must be sorted and distinct. Calls `found` for each address about which something is known.
 * False: *why says why not all debug information could be read. Call this only in a child process. */
bool debug_lookup(const struct debug_files *, const uint64_t *addresses, size_t count, debug_found *,
                  void *context, struct reason *why);

/* The same in a child process. False: *why says why not all could be read; results found before are still
 * reported. */
bool symbol_child_lookup(const struct debug_files *, const uint64_t *addresses, size_t count, debug_found *,
                         void *context, struct reason *why);

#endif
