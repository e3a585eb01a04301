/* The note with a module's build id (elf(5)).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_BUILD_ID_NOTE_H
#define ALLOCSITE_BUILD_ID_NOTE_H

#include "build_id.h"
#include "elf_note.h"

#include <string.h>

/* For elf_notes_find. text: BUILD_ID_SIZE bytes, written if the note is the one, and not too long. */
static inline bool build_id_take(void *text, const struct elf_note *note) {
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

#endif
