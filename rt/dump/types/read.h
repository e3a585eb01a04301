/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Layouts of types by name, from the debug information of a module. */
#ifndef ALLOCSITE_DUMP_TYPES_READ_H
#define ALLOCSITE_DUMP_TYPES_READ_H

#include "dump/elf/elf_file.h"
#include "dump/types/layout.h"
#include "dump/types/name.h"

/* Sets the layouts of those types that are found. False: *why says why the debug information cannot be read.
 * libdwarf trusts what it reads more than it should: call this in a process of its own. */
bool debug_types(struct type_layout *, const struct type_name *, size_t count, const struct elf_file *,
                 struct reason *why);

#endif
