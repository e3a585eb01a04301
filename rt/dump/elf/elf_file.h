/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* 64-bit little-endian ELF files for x86-64 in memory.
 *
 * The bytes are hostile: every offset is checked before it is used, a section that is not completely in the
 * file has no bytes, and no allocation is larger than a small multiple of the file. libelf is not used
 * because this reader handles unaligned archive members in place and can be fuzzed. */
#ifndef ALLOCSITE_DUMP_ELF_ELF_FILE_H
#define ALLOCSITE_DUMP_ELF_ELF_FILE_H

#include "base/elf_note.h"
#include "cfi/cfi.h"
#include "dump/base/files.h"
#include "dump/base/hash_index.h"
#include "dump/base/terminal.h"

#include <stddef.h>
#include <stdint.h>

struct elf_section {
    const char *name; /* never NULL; empty if unnamed or damaged */
    uint32_t type;
    uint64_t flags;
    uint64_t address;
    const unsigned char *bytes; /* NULL: none in the file (SHT_NOBITS, or truncated) */
    uint64_t size;
    uint32_t link, info;
    uint64_t entry_size;
};

/* All pointers point into the bytes passed to elf_open. */
struct elf_file {
    uint16_t type; /* ET_REL, ET_EXEC, ET_DYN */
    struct elf_section *sections;
    size_t count;
    size_t size; /* of the file */
};

/* Opens size bytes, which are borrowed until elf_close. False: not such a file; *why says what it is. */
bool elf_open(struct elf_file *, const unsigned char *bytes, size_t size, struct reason *why);
void elf_close(struct elf_file *);

/* True if the bytes begin a core file; *why then says so, and where the counters are instead. */
bool elf_is_core(const void *bytes, size_t size, struct reason *why);

/* The first section with that name that is in the file; NULL: none. */
const struct elf_section *elf_section_named(const struct elf_file *, const char *name);

/* Copies the entry of a section that is an array. False: it is beyond the end. */
bool elf_entry(const struct elf_section *, uint64_t index, void *entry, size_t size);

/* The string at an offset of a string section; "": there is none. */
const char *elf_string(const struct elf_section *, uint64_t offset);

/* Applies the relocations of a relocatable object to copies of its sections. copies has a pointer for each
 * section of the file, NULL for unwanted ones; sizes and bases have each copy's size and address. Undefined
 * references resolve to address 0. */
bool elf_relocate(const struct elf_file *, unsigned char *const *copies, const uint64_t *sizes,
                  const uint64_t *bases, struct reason *why);

/* ---- The build id: equal in the file, its separate debug file and the running program. */

/* Writes the GNU build id in hexadecimal; "" if there is none or it is too long. */
void elf_build_id(const struct elf_file *, char text[BUILD_ID_SIZE]);

/* ---- The functions in the symbol tables (symbols.c). */

struct elf_symbol {
    uint64_t address, size;
    const char *name; /* in the file's bytes */
    uint32_t rank;    /* among symbols at one address the lowest is preferred */
    bool is_label;    /* it has no size */
};

struct elf_symbols {
    struct elf_symbol *list; /* by ascending address */
    size_t count, capacity;
};

/* Adds the functions of .symtab, or of .dynsym if there is none. */
void elf_symbols_read(struct elf_symbols *, const struct elf_file *);
void elf_symbols_free(struct elf_symbols *);

/* The name of the function that contains the address; NULL: none. */
const char *elf_symbols_find(const struct elf_symbols *, uint64_t address);

/* ---- Code without symbols. Unwind tables give the start of a function; a function that the dynamic loader
 * calls after loading the module is a static initialiser. */

struct elf_functions {
    struct cfi_tables tables;
    uint64_t shift;                 /* to add to an address of the file for the tables */
    struct number_map initialisers; /* addresses, as keys */
};

#define ELF_FUNCTION_NAME_SIZE 40

/* The file must outlive the functions. */
void elf_functions_open(struct elf_functions *, const struct elf_file *);
void elf_functions_close(struct elf_functions *);

/* The start of the function that contains the address; 0: unknown. */
uint64_t elf_functions_begin(const struct elf_functions *, uint64_t address);

/* "[static initialiser]" or "[function at 0x1234]". False: the address is in no known function. */
bool elf_functions_name(const struct elf_functions *, uint64_t address, char name[ELF_FUNCTION_NAME_SIZE]);

#endif
