/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A loaded ELF object as it lies in memory: its symbols, its relocations, and writing to it. */
#ifndef ALLOCSITE_LIB_ELF_IMAGE_H
#define ALLOCSITE_LIB_ELF_IMAGE_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct image {
    uintptr_t base; /* its addresses are relative to this */
    const ElfW(Phdr) * headers;
    size_t header_count;
    uintptr_t relro, relro_end;
    const ElfW(Sym) * symbols;
    const char *strings;
    size_t strings_size;
    const uint32_t *hash; /* DT_GNU_HASH; NULL: none */
    struct {
        const ElfW(Rela) * at;
        size_t count;
    } relocations[2];
};

/* Reads what dl_iterate_phdr tells. False: there is nothing to read. */
bool image_read(struct image *, const struct dl_phdr_info *);

bool image_holds(const struct image *, uintptr_t address);

/* A symbol that the object defines; NULL: none. */
const ElfW(Sym) * image_symbol(const struct image *, const char *name);

/* The indices of those that it defines and others may use, from first to below end. */
void image_defined_symbols(const struct image *, uint32_t *first, uint32_t *end);

/* The place that a relocation has filled with the address of a symbol, and the symbol's name; NULL: it is of
 * another kind. */
uintptr_t *image_reference(const struct image *, const ElfW(Rela) *, const char **name);

/* Whether it refers to a symbol that the caller looks for. */
bool image_refers(const struct image *, bool (*is_wanted)(const char *name));

/* Lets what lies between the two be written, in one segment; and makes it as protected as it was. False: it
 * cannot be. Keep errno. */
bool image_open(const struct image *, const void *begin, const void *end);
void image_close(const struct image *, const void *begin, const void *end);

/* Writes a word of the object, which stays as protected as it was. Other threads see the old word or the new
 * one. False: it cannot be written. */
bool image_write(const struct image *, uintptr_t *place, uintptr_t value);

/* ---- Where a loaded ELF object's addresses begin. */

/* The headers of its segments, header->e_phnum of them, where they stand beside the ELF header: of that page
 * alone it is certain that it is in memory. NULL: somewhere else, perhaps in the file alone, from which the
 * loader reads them; or that is no ELF header. */
static inline const ElfW(Phdr) * elf_segments(const ElfW(Ehdr) * header) {
    const size_t page = 4096;
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_phentsize != sizeof(ElfW(Phdr)) ||
        header->e_phoff > page || header->e_phnum > (page - header->e_phoff) / sizeof(ElfW(Phdr)))
        return NULL;
    return (const ElfW(Phdr) *)((const char *)header + header->e_phoff);
}

/* The distance to be added to an address that the object's file has. Addresses in the headers are relative to
 * that of the first segment. */
static inline uintptr_t elf_base(const ElfW(Ehdr) * header) {
    const ElfW(Phdr) *segments = elf_segments(header);
    for (unsigned i = 0; segments && i < header->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD)
            return (uintptr_t)header - (segments[i].p_vaddr - segments[i].p_offset);
    return (uintptr_t)header;
}

/* ---- The object that the runtime is linked into: the executable, or its shared library. */

/* Linkers put them at its begin and end. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static inline bool elf_is_own(const void *address) {
    uintptr_t begin = (uintptr_t)&__ehdr_start;
    return (uintptr_t)address - begin < (uintptr_t)_end - begin;
}

#endif
