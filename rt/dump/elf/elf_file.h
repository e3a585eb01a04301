/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ELF files of 64 bits, little-endian, for x86-64, in memory.
 *
 * The bytes are hostile: every offset is checked before it is followed, a section that the file does not
 * hold whole reads as one without bytes, and no allocation is larger than a small multiple of the file.
 * This is not libelf because it reads archive members in place, unaligned, and because a fuzzer sees into it.
 */
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
    const char *name; /* never NULL; empty: unnamed, or its name is damaged */
    uint32_t type;
    uint64_t flags;
    uint64_t address;
    const unsigned char *bytes; /* NULL: none in the file (SHT_NOBITS, or cut off) */
    uint64_t size;
    uint32_t link, info;
    uint64_t entry_size;
};

/* All pointers go into the bytes that elf_open was given. */
struct elf_file {
    uint16_t type; /* ET_REL, ET_EXEC, ET_DYN */
    struct elf_section *sections;
    size_t count;
    size_t size; /* of the file */
};

/* Opens size bytes, which are borrowed until elf_close. False: not such a file; *why says what it is. */
bool elf_open(struct elf_file *, const unsigned char *bytes, size_t size, struct reason *why);
void elf_close(struct elf_file *);

/* Whether the bytes begin a core file; then *why says so, and where its numbers are instead. */
bool elf_is_core(const void *bytes, size_t size, struct reason *why);

/* The first section of that name that is in the file; NULL: none is. */
const struct elf_section *elf_section_named(const struct elf_file *, const char *name);

/* Copies the entry of a section that is an array. False: it does not reach so far. */
bool elf_entry(const struct elf_section *, uint64_t index, void *entry, size_t size);

/* The string at the offset of a section of strings; "": there is none. */
const char *elf_string(const struct elf_section *, uint64_t offset);

/* Applies the relocations of a relocatable object to copies of its sections. copies holds a pointer for each
 * section of the file, NULL where it is not wanted; sizes and bases hold the copy's size and an address for
 * each. A reference to something undefined reads as one to address 0. */
bool elf_relocate(const struct elf_file *, unsigned char *const *copies, const uint64_t *sizes,
                  const uint64_t *bases, struct reason *why);

/* ---- The build id of an ELF file: the same in the file, in its separate debug file and in the running
 * program. */

/* Writes the GNU build id in hexadecimal digits, "" if the file has none, or one that is longer. */
void elf_build_id(const struct elf_file *, char text[BUILD_ID_SIZE]);

/* ---- The functions in the symbol tables of an ELF file (symbols.c). */

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
