/* Other copies of the runtime in the process. Each carries an ELF note, which one finds in the other: a copy
 * in the executable and one in a library share no symbol that the two would agree on.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _GNU_SOURCE
#include "copies.h"
#include "runtime.h"

#include <link.h>
#include <string.h>

struct note {
    ElfW(Nhdr) header;
    char name[12]; /* NUL-terminated and padded to a multiple of 4 */
    uint32_t version;
};

static const struct note own_note __attribute__((section(".note.allocsite"), used, aligned(4))) = {
    .header = {.n_namesz = sizeof "allocsite", .n_descsz = sizeof(uint32_t), .n_type = 1},
    .name = "allocsite",
    .version = ALLOCSITE_FORMAT_VERSION,
};

static size_t padded(size_t size, size_t align) {
    return (size + align - 1) & -align;
}

static bool is_mark(const ElfW(Nhdr) * note) {
    return note->n_namesz == own_note.header.n_namesz && note->n_type == own_note.header.n_type &&
           memcmp(note + 1, own_note.name, note->n_namesz) == 0;
}

/* Whether a segment of notes holds a mark that is not this copy's. */
static bool marks_another(const char *at, size_t size, size_t align) {
    while (size >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
        size_t name = padded((size_t)note->n_namesz, 4), data = padded((size_t)note->n_descsz, align);
        size_t whole = padded(sizeof *note + name, align) + data;
        if (whole > size)
            break;
        if (is_mark(note) && note != &own_note.header)
            return true;
        at += whole;
        size -= whole;
    }
    return false;
}

static int visit_notes(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size;
    (void)unused;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        const char *at = (const char *)(object->dlpi_addr + segment->p_vaddr);
        if (segment->p_type == PT_NOTE && marks_another(at, segment->p_filesz, segment->p_align == 8 ? 8 : 4))
            return 1;
    }
    return 0;
}

bool copies_exist(void) {
    return dl_iterate_phdr(visit_notes, NULL);
}

/* The kernel's own object has a name without a slash. */
static int visit_library(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size;
    (void)unused;
    return object->dlpi_name && strchr(object->dlpi_name, '/') != NULL;
}

bool copies_have_libraries(void) {
    return dl_iterate_phdr(visit_library, NULL);
}
