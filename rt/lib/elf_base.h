/* Where a loaded ELF object's addresses begin.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_ELF_BASE_H
#define ALLOCSITE_ELF_BASE_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* What is to be added to an address that the object's file has. Addresses in the headers are relative to that
 * of the first segment. */
static inline uintptr_t elf_base(const ElfW(Ehdr) * header) {
    const ElfW(Phdr) *segments = elf_segments(header);
    for (unsigned i = 0; segments && i < header->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD)
            return (uintptr_t)header - (segments[i].p_vaddr - segments[i].p_offset);
    return (uintptr_t)header;
}

#endif
