/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Other copies of the runtime in the process. Each carries an ELF note, which one finds in the other: a copy
 * in the executable and one in a library share no symbol that the two would agree on. */
#define _GNU_SOURCE
#include "lib/collect/copies.h"

#include "lib/own/own.h"

#include "base/elf_note.h"
#include "root.h"

#include <link.h>
#include <string.h>

#define STRING(number)    STRING_OF(number)
#define STRING_OF(number) #number

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

/* The note of rt/root.h. In assembly, for in C no initializer is a distance. */
__asm__(".pushsection .note.allocsite, \"a\", @note\n\t"
        ".balign 4\n\t"
        ".long 2f - 1f, 4f - 3f, " STRING(ROOT_NOTE) "\n"
                                                     "1:\t.asciz \"" ROOT_NOTE_NAME "\"\n"
                                                     "2:\t.balign 4\n"
                                                     "3:\t.quad allocsite_root - 3b\n"
                                                     "4:\t.popsection");

static bool marks_another(void *unused, const struct elf_note *note) {
    (void)unused;
    return note->name_size == own_note.header.n_namesz && note->type == own_note.header.n_type &&
           memcmp(note->name, own_note.name, note->name_size) == 0 && note->start != (const char *)&own_note;
}

static int visit_notes(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        const char *at = (const char *)(object->dlpi_addr + segment->p_vaddr);
        if (segment->p_type == PT_NOTE &&
            elf_notes_find(at, segment->p_filesz, segment->p_align, marks_another, unused))
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
