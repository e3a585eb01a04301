/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finding the note with the build id (elf(5)) in a mapped module. */
#include "build_id.h"
#include "build_id_note.h"
#include "elf_base.h"

#include <link.h>
#include <stdint.h>

void build_id_read(char text[BUILD_ID_SIZE], const void *start) {
    const ElfW(Ehdr) *header = start;
    text[0] = '\0';
    const ElfW(Phdr) *segments = header ? elf_segments(header) : NULL;
    uintptr_t base = segments ? elf_base(header) : 0;
    for (unsigned i = 0; segments && i < header->e_phnum; i++)
        if (segments[i].p_type == PT_NOTE &&
            elf_notes_find((const char *)(base + segments[i].p_vaddr), segments[i].p_filesz,
                           segments[i].p_align, build_id_take, text))
            return;
}
