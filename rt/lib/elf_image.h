/* A loaded ELF object as it lies in memory: its symbols, its relocations, and writing to it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_ELF_IMAGE_H
#define ALLOCSITE_ELF_IMAGE_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Lets what lies between the two be written, in one segment; and makes it as protected as it was. False: it
 * cannot be. Keep errno. */
bool image_open(const struct image *, const void *begin, const void *end);
void image_close(const struct image *, const void *begin, const void *end);

/* Writes a word of the object, which stays as protected as it was. Other threads see the old word or the new
 * one. False: it cannot be written. */
bool image_write(const struct image *, uintptr_t *place, uintptr_t value);

#endif
