/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions in the symbol tables of an ELF file. */
#ifndef ALLOCSITE_ELF_SYMBOLS_H
#define ALLOCSITE_ELF_SYMBOLS_H

#include "elf_file.h"

struct elf_symbol {
    uint64_t address, size;
    const char *name; /* in the file's bytes */
    uint32_t rank;    /* of several at one address the lowest is the one that people know */
    bool is_label;    /* it has no size of its own */
};

struct elf_symbols {
    struct elf_symbol *list; /* by rising address */
    size_t count, room;
};

/* Adds what .symtab has, or else .dynsym. False: out of memory. There is something to free even then. */
bool elf_symbols_read(struct elf_symbols *, const struct elf_file *);
void elf_symbols_free(struct elf_symbols *);

/* The name of the function that has the address; NULL: none. */
const char *elf_symbols_find(const struct elf_symbols *, uint64_t address);

#endif
