/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The modules that were compiled with the plugin. */
#define _GNU_SOURCE
#include "lib/who/modules.h"

#include "format.h"

#include "lib/elf/image.h"

#include <string.h>

static bool is_to_runtime(const struct image *image, const ElfW(Rela) * relocation) {
    const ElfW(Sym) *symbol = &image->symbols[ELF64_R_SYM(relocation->r_info)];
    return symbol->st_shndx == SHN_UNDEF && strncmp(image->strings + symbol->st_name, ALLOCSITE_ENTRY_PREFIX,
                                                    strlen(ALLOCSITE_ENTRY_PREFIX)) == 0;
}

/* Its calls are bound to the runtime's entries. */
static bool is_instrumented(const struct image *image) {
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < image->relocations[i].count; k++)
            if (ELF64_R_SYM(image->relocations[i].at[k].r_info) &&
                is_to_runtime(image, &image->relocations[i].at[k]))
                return true;
    return false;
}

static int note(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    const unsigned long long *seen = context;
    struct image image;
    if (object->dlpi_adds == *seen)
        return 1;
    if (image_read(&image, object) && is_instrumented(&image))
        module_of(image.symbols);
    return 0;
}

static int count_loads(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    *(unsigned long long *)context = object->dlpi_adds;
    return 1;
}

/* A module that is loaded between the two is looked at twice rather than never. */
void instrumented_note(void) {
    static unsigned long long seen;
    unsigned long long loads = 0, noted = __atomic_load_n(&seen, __ATOMIC_RELAXED);
    dl_iterate_phdr(count_loads, &loads);
    dl_iterate_phdr(note, &noted);
    __atomic_store_n(&seen, loads, __ATOMIC_RELAXED);
}
