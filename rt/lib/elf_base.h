/* Where a loaded ELF object's addresses begin.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_ELF_BASE_H
#define ALLOCSITE_ELF_BASE_H

#include <link.h>
#include <stdint.h>

/* What is to be added to an address that the object's file has. Addresses in the headers are relative to that
 * of the first segment. */
static inline uintptr_t elf_base(const ElfW(Ehdr) * header) {
    const ElfW(Phdr) *segments = (const ElfW(Phdr) *)((const char *)header + header->e_phoff);
    for (unsigned i = 0; i < header->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD)
            return (uintptr_t)header - (segments[i].p_vaddr - segments[i].p_offset);
    return (uintptr_t)header;
}

#endif
