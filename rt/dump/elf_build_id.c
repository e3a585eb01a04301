/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The build id of an ELF file. */
#include "elf_build_id.h"

#include "../lib/build_id_note.h"

#include <string.h>

/* Linkers keep it in a section of its own. A larger one is no such section. */
enum { SECTION_MAX = 1024 };

/* A damaged file has its sections anywhere; notes are read at multiples of 4. */
static bool find(const struct elf_section *section, char text[BUILD_ID_SIZE]) {
    _Alignas(8) char notes[SECTION_MAX];
    if (section->type != SHT_NOTE || !section->bytes || section->size > sizeof notes)
        return false;
    memcpy(notes, section->bytes, section->size);
    return elf_notes_find(notes, section->size, 4, build_id_take, text);
}

void elf_build_id(const struct elf_file *elf, char text[BUILD_ID_SIZE]) {
    text[0] = '\0';
    for (size_t i = 0; i < elf->count; i++)
        if (find(&elf->sections[i], text))
            return;
}
