/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A process of its own for reading debug information: libdwarf can crash on what is damaged. */
#ifndef ALLOCSITE_DUMP_DEBUG_CHILD_H
#define ALLOCSITE_DUMP_DEBUG_CHILD_H

#include "dump/base/complain.h"
#include "dump/debug/lookup.h"

#include <sys/types.h>

/* Calls work there, limited in time and memory, and returns what it does, which must not be negative. -1: it
 * has not come to its end; *why says why. Buffers of the caller's must be flushed. */
int debug_child(int (*work)(void *context), void *context, struct reason *why);

/* The same in parts, for who listens to it meanwhile. Returns 0 there, its number here; -1: *why says why. */
pid_t debug_child_begin(struct reason *why);
int debug_child_end(pid_t child, struct reason *why);

/* ---- Reading debug information in a process of its own. */

/* As dwarf_lookup. False: *why says why not all could be read; what was found before it is told all the same.
 */
bool symbol_child_lookup(const struct elf_file *, const uint64_t *addresses, size_t count, dwarf_found *,
                         void *context, struct reason *why);

#endif
