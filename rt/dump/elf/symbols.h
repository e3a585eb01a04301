/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions in the symbol tables of an ELF file. */
#ifndef ALLOCSITE_DUMP_ELF_SYMBOLS_H
#define ALLOCSITE_DUMP_ELF_SYMBOLS_H

#include "cfi/cfi.h"
#include "dump/base/hash_index.h"
#include "dump/elf/elf_file.h"

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

/* Adds what .symtab has, or else .dynsym. */
void elf_symbols_read(struct elf_symbols *, const struct elf_file *);
void elf_symbols_free(struct elf_symbols *);

/* The name of the function that has the address; NULL: none. */
const char *elf_symbols_find(const struct elf_symbols *, uint64_t address);

/* ---- Code that no symbol names: where its function begins, which unwind tables know, and whether that is a
 * static initialiser, which the dynamic loader calls when it has loaded the module.
 */

struct elf_functions {
    struct cfi_tables tables;
    uint64_t shift;                 /* from an address of the file to where the tables take it to be */
    struct number_map initialisers; /* their addresses, as keys */
};

#define ELF_FUNCTION_NAME_SIZE 40

/* The file must outlive them. */
void elf_functions_open(struct elf_functions *, const struct elf_file *);
void elf_functions_close(struct elf_functions *);

/* "[static initialiser]" or "[function at 0x1234]". False: nothing is known of the address. */
bool elf_functions_name(const struct elf_functions *, uint64_t address, char name[ELF_FUNCTION_NAME_SIZE]);

#endif
