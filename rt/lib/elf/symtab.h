/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The symbols of an ELF file, which may be damaged. */
#ifndef ALLOCSITE_LIB_ELF_SYMTAB_H
#define ALLOCSITE_LIB_ELF_SYMTAB_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>

struct symtab {
    const char *file;
    size_t size;
    const Elf64_Sym *list;
    size_t count;
    const char *strings; /* ends with a NUL */
    size_t strings_size;
};

/* All symbols of the file, or if it was stripped of them and is_enough those that others may use. False:
 * there is nothing to close. */
bool symtab_open(struct symtab *, const char *path, bool is_enough);
void symtab_close(struct symtab *);

#endif
