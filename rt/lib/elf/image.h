/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A loaded ELF object in memory: its symbols and relocations, and functions to write to it. */
#ifndef ALLOCSITE_LIB_ELF_IMAGE_H
#define ALLOCSITE_LIB_ELF_IMAGE_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct image {
    uintptr_t base; /* added to the addresses in the object */
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

/* Reads an object of dl_iterate_phdr. Returns false if it has no symbols. */
bool image_read(struct image *, const struct dl_phdr_info *);

bool image_holds(const struct image *, uintptr_t address);

/* Returns a symbol that the object defines; NULL if there is none. */
const ElfW(Sym) * image_symbol(const struct image *, const char *name);

/* Returns the indices of the symbols that it defines and exports: first to end - 1. */
void image_defined_symbols(const struct image *, uint32_t *first, uint32_t *end);

/* Returns the word that the relocation has filled with the address of a symbol, and the symbol's name. NULL
 * if it is another kind of relocation. */
uintptr_t *image_reference(const struct image *, const ElfW(Rela) *, const char **name);

/* Returns whether it refers to a symbol for which is_wanted returns true. */
bool image_refers(const struct image *, bool (*is_wanted)(const char *name));

/* image_open makes the memory from begin to end, within one segment, writable, and returns false if that
 * fails. image_close restores its protection. Both keep errno. */
bool image_open(const struct image *, const void *begin, const void *end);
void image_close(const struct image *, const void *begin, const void *end);

/* Whether the loader has protected the memory after relocation. image_unseal makes all such memory of the
 * object writable, and returns false if that fails; image_seal undoes it. */
static inline bool image_is_sealed(const struct image *image, const void *place) {
    return (uintptr_t)place >= image->relro && (uintptr_t)place < image->relro_end;
}
bool image_unseal(const struct image *);
void image_seal(const struct image *);

/* Writes a word of the object and restores its protection. Other threads see the old or the new word. Returns
 * false if it cannot be written. */
bool image_write(const struct image *, uintptr_t *place, uintptr_t value);

/* ---- Addresses of a loaded ELF object. */

/* Returns its program headers, header->e_phnum of them, if they are in the same page as the ELF header: only
 * that page is known to be mapped. NULL if they are elsewhere, perhaps only in the file, from which the
 * loader reads them, or if this is no ELF header. */
static inline const ElfW(Phdr) * elf_segments(const ElfW(Ehdr) * header) {
    const size_t page = 4096;
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_phentsize != sizeof(ElfW(Phdr)) ||
        header->e_phoff > page || header->e_phnum > (page - header->e_phoff) / sizeof(ElfW(Phdr)))
        return NULL;
    return (const ElfW(Phdr) *)((const char *)header + header->e_phoff);
}

/* Returns the distance from an address in the object's file to the loaded address. Addresses in the headers
 * are relative to the first segment's. */
static inline uintptr_t elf_base(const ElfW(Ehdr) * header) {
    const ElfW(Phdr) *segments = elf_segments(header);
    for (unsigned i = 0; segments && i < header->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD)
            return (uintptr_t)header - (segments[i].p_vaddr - segments[i].p_offset);
    return (uintptr_t)header;
}

/* ---- The object that contains the runtime: the executable, or liballocsite.so. */

/* Linkers define them as its begin and end. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static inline bool elf_is_of_runtime(const void *address) {
    uintptr_t begin = (uintptr_t)&__ehdr_start;
    return (uintptr_t)address - begin < (uintptr_t)_end - begin;
}

#endif
