/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finding the note with the build id (elf(5)) in a mapped module. */
#include "build_id.h"
#include "elf_note.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static bool take(void *text, const struct elf_note *note) {
    char *to = text;
    bool is_it = note->type == NT_GNU_BUILD_ID && note->name_size == sizeof "GNU" &&
                 memcmp(note->name, "GNU", sizeof "GNU") == 0;
    if (!is_it || note->size * 2 >= BUILD_ID_SIZE)
        return false;
    for (size_t i = 0; i < note->size; i++) {
        *to++ = "0123456789abcdef"[(unsigned char)note->data[i] >> 4];
        *to++ = "0123456789abcdef"[note->data[i] & 15];
    }
    *to = '\0';
    return true;
}

/* Addresses in the headers are relative to that of the first segment. */
static uintptr_t base_of(const ElfW(Ehdr) * header, const ElfW(Phdr) * segments) {
    for (unsigned i = 0; i < header->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD)
            return (uintptr_t)header - (segments[i].p_vaddr - segments[i].p_offset);
    return (uintptr_t)header;
}

void build_id_read(char text[BUILD_ID_SIZE], const void *start) {
    const ElfW(Ehdr) *header = start;
    text[0] = '\0';
    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return;
    const ElfW(Phdr) *segments = (const ElfW(Phdr) *)((const char *)start + header->e_phoff);
    uintptr_t base = base_of(header, segments);
    for (unsigned i = 0; i < header->e_phnum; i++)
        if (segments[i].p_type == PT_NOTE &&
            elf_notes_find((const char *)(base + segments[i].p_vaddr), segments[i].p_filesz,
                           segments[i].p_align, take, text))
            return;
}
