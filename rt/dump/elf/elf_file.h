/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ELF files of 64 bits, little-endian, for x86-64, in memory.
 *
 * The bytes are hostile: every offset is checked before it is followed, a section that the file does not
 * hold whole reads as one without bytes, and no allocation is larger than a small multiple of the file.
 * This is not libelf because it reads archive members in place, unaligned, and because a fuzzer sees into it.
 */
#ifndef ALLOCSITE_DUMP_ELF_ELF_FILE_H
#define ALLOCSITE_DUMP_ELF_ELF_FILE_H

#include "dump/base/complain.h"

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

#endif
