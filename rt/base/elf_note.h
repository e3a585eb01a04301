/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The ELF notes in a segment of a loaded module. */
#ifndef ALLOCSITE_BASE_ELF_NOTE_H
#define ALLOCSITE_BASE_ELF_NOTE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct elf_note {
    const char *start; /* its header */
    uint32_t type;
    const char *name;
    size_t name_size; /* including the NUL */
    const char *data;
    size_t size;
};

/* Calls test for each note until it returns true. Returns whether it did. align: of the segment. */
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

/* ---- The build id of a loaded module. */

#define BUILD_ID_SIZE 65

/* Writes the GNU build id in hexadecimal digits; "": none. start: the mapped ELF header, or NULL. */
void build_id_read(char text[BUILD_ID_SIZE], const void *start);

/* ---- The note with a module's build id (elf(5)). */

/* A test for elf_notes_find. text: BUILD_ID_SIZE bytes, written if the note has a build id that fits. */
static inline bool build_id_take(void *text, const struct elf_note *note) {
    char *to = text;
    bool is_build_id = note->type == NT_GNU_BUILD_ID && note->name_size == sizeof "GNU" &&
                       memcmp(note->name, "GNU", sizeof "GNU") == 0;
    if (!is_build_id || note->size * 2 >= BUILD_ID_SIZE)
        return false;
    for (size_t i = 0; i < note->size; i++) {
        *to++ = "0123456789abcdef"[(unsigned char)note->data[i] >> 4];
        *to++ = "0123456789abcdef"[note->data[i] & 15];
    }
    *to = '\0';
    return true;
}

#endif
