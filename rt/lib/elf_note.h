/* The notes in a segment of a module that is in memory.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_ELF_NOTE_H
#define ALLOCSITE_ELF_NOTE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_note {
    const char *start; /* of its header */
    uint32_t type;
    const char *name;
    size_t name_size; /* with the NUL */
    const char *data;
    size_t size;
};

/* Calls test for each note until one passes, and says whether one did. align: of the segment. */
static inline bool elf_notes_find(const char *at, size_t size, size_t align,
                                  bool (*test)(void *context, const struct elf_note *), void *context) {
    align = align == 8 ? 8 : 4;
    while (size >= sizeof(Elf64_Nhdr)) {
        const Elf64_Nhdr *header = (const Elf64_Nhdr *)at;
        size_t name = ((size_t)header->n_namesz + 3) & ~(size_t)3;
        size_t data = (sizeof *header + name + align - 1) & -align;
        size_t whole = data + (((size_t)header->n_descsz + align - 1) & -align);
        struct elf_note note = {at,        header->n_type,  at + sizeof *header, header->n_namesz,
                                at + data, header->n_descsz};
        if (whole > size)
            return false;
        if (test(context, &note))
            return true;
        at += whole;
        size -= whole;
    }
    return false;
}

#endif
