/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading debug information in a process of its own. */
#ifndef ALLOCSITE_SYMBOL_CHILD_H
#define ALLOCSITE_SYMBOL_CHILD_H

#include "dwarf_lookup.h"

/* As dwarf_lookup. False: *why says why not all could be read; what was found before it is told all the same.
 */
bool symbol_child_lookup(const struct elf_file *, const uint64_t *addresses, size_t count, dwarf_found *,
                         void *context, struct reason *why);

#endif
