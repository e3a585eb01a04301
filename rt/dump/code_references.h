/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which sites the code of a linked module still refers to.
 *
 * Optimizers that run after the plugin, at link time above all, can drop a call and leave its descriptor
 * behind. Debug information says nothing of such a site. */
#ifndef ALLOCSITE_CODE_REFERENCES_H
#define ALLOCSITE_CODE_REFERENCES_H

#include "elf_file.h"
#include "marks.h"
#include "table.h"

/* Fills the set with the addresses of the sites, marked with 1 where code refers to one. False: out of
 * memory. */
bool code_references(struct marks *, const struct elf_file *, const struct table *);

#endif
