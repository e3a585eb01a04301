/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Walks the debug information of a module once and hands all of it to the evidence. */
#ifndef ALLOCSITE_DUMP_VERIFY_DWARF_H
#define ALLOCSITE_DUMP_VERIFY_DWARF_H

#include "dump/elf/elf_file.h"
#include "dump/verify/evidence.h"

/* False: there is nothing to check against; *why says why. libdwarf trusts what it reads more than it should:
 * call this in a process of its own. */
bool dwarf_collect(const struct elf_file *, struct evidence *, struct reason *why);

#endif
