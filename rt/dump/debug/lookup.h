/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions and lines of addresses, from the debug information of a module.
 *
 * Theory of operation: all addresses are looked up together. Of the units only those are read that have one
 * of them in their ranges, and each once: the functions and inlined calls in it are the scopes that addresses
 * lie in, the innermost one wins; then its line table is gone through, and each row takes the addresses that
 * it covers. So the cost is that of the debug information that is needed, whatever the number of addresses.
 */
#ifndef ALLOCSITE_DUMP_DEBUG_LOOKUP_H
#define ALLOCSITE_DUMP_DEBUG_LOOKUP_H

#include "dump/elf/elf_file.h"
#include "model/site.h"

/* Of the address with that index: its place, and those where the functions that it is in were inlined,
 * outwards. Borrowed. Names of functions are demangled; the outermost one may be NULL. */
typedef void dwarf_found(void *context, size_t index, const struct place *places, size_t count);

/* addresses are sorted and distinct. Calls for each of which something is known. False: *why says why not all
 * of the debug information could be read. To be called in a process of its own, see dwarf_handle.h. */
bool dwarf_lookup(const struct elf_file *, const uint64_t *addresses, size_t count, dwarf_found *,
                  void *context, struct reason *why);

#endif
