/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What can be told of code that no symbol names: where its function begins, which unwind tables know, and
 * whether that is a static initialiser, which the dynamic loader calls when it has loaded the module. */
#ifndef ALLOCSITE_ELF_FUNCTIONS_H
#define ALLOCSITE_ELF_FUNCTIONS_H

#include "../lib/walk_entry.h"
#include "elf_file.h"

struct elf_functions {
    struct cfi_tables tables;
    uint64_t shift;         /* from an address of the file to where the tables take it to be */
    uint64_t *initialisers; /* rising */
    size_t count, room;
};

#define ELF_FUNCTION_NAME_SIZE 40

/* The file must outlive them. False: out of memory; there is something to close even then. */
bool elf_functions_open(struct elf_functions *, const struct elf_file *);
void elf_functions_close(struct elf_functions *);

/* "[static initialiser]" or "[function at 0x1234]". False: nothing is known of the address. */
bool elf_functions_name(const struct elf_functions *, uint64_t address, char name[ELF_FUNCTION_NAME_SIZE]);

#endif
