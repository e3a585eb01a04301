/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which sites the code of a linked module still refers to.
 *
 * Optimizers that run after the plugin, at link time above all, can drop a call and leave its descriptor
 * behind. Debug information says nothing of such a site. */
#ifndef ALLOCSITE_DUMP_VERIFY_CODE_H
#define ALLOCSITE_DUMP_VERIFY_CODE_H

#include "dump/elf/elf_file.h"
#include "dump/table/table.h"
#include "dump/verify/marks.h"

/* Fills the set with the addresses of the sites, marked with 1 where code refers to one. False: out of
 * memory. */
bool code_references(struct marks *, const struct elf_file *, const struct table *);

#endif
