/* Where the calls of wrappers in other modules go (plugin/gate.h).
 *
 * A call by name has just returned, so the linkage table tells what the name reaches, and will tell that as
 * long as the module is there. What comes to a wrapper another way (who was preloaded and passes calls on) is
 * not in the table, and goes on being called.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _GNU_SOURCE
#include "runtime.h"

ALLOCSITE_EXPORT void ALLOCSITE_ENTRY(lead)(struct allocsite_way *);

#ifdef ALLOCSITE_STATIC

/* The linker has found whatever there is. */
static void *code_of(const struct allocsite_way *way) {
    (void)way;
    return NULL;
}

#else

#include "elf_base.h"
#include "elf_image.h"

#include <string.h>

static bool image_at(struct image *image, const void *address) {
    const ElfW(Ehdr) *header = object_start(address);
    const ElfW(Phdr) *segments = header ? elf_segments(header) : NULL;
    if (!segments)
        return false;
    struct dl_phdr_info object = {
        .dlpi_addr = elf_base(header), .dlpi_phdr = segments, .dlpi_phnum = header->e_phnum};
    return image_read(image, &object) && image_holds(image, (uintptr_t)address);
}

/* The word that an entry of the linkage table jumps by; NULL: it has another form. */
static const uintptr_t *slot_of(const struct image *image, const unsigned char *entry) {
    static const unsigned char landing[] = {0xf3, 0x0f, 0x1e, 0xfa}, notrack = 0xf2, jump[] = {0xff, 0x25};
    int32_t distance;
    if (!image_holds(image, (uintptr_t)entry + 15))
        return NULL;
    if (memcmp(entry, landing, sizeof landing) == 0)
        entry += sizeof landing;
    entry += *entry == notrack;
    if (memcmp(entry, jump, sizeof jump) != 0)
        return NULL;
    entry += sizeof jump;
    memcpy(&distance, entry, sizeof distance);
    return (const uintptr_t *)(entry + sizeof distance + distance);
}

/* A program's own functions may begin with such a jump, too. */
static bool is_linkers(const struct image *image, const uintptr_t *slot) {
    const char *name;
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < image->relocations[i].count; k++)
            if (image_reference(image, &image->relocations[i].at[k], &name) == slot)
                return !image_is_data(&image->relocations[i].at[k]);
    return false;
}

/* What a call has reached that goes to this function or entry of the linkage table. */
static const void *reached(const void *callee) {
    struct image image;
    const uintptr_t *slot = image_at(&image, callee) ? slot_of(&image, callee) : NULL;
    return slot && is_linkers(&image, slot) ? (const void *)__atomic_load_n(slot, __ATOMIC_RELAXED) : callee;
}

static void *code_of(const struct allocsite_way *way) {
    const char *wrapper = reached((const char *)&way->callee + way->callee);
    const struct allocsite_sited *sited = (const struct allocsite_sited *)wrapper - 1;
    struct image image;
    if (!image_at(&image, wrapper) || !image_holds(&image, (uintptr_t)sited) || sited->tag != way->tag)
        return NULL;
    const char *code = wrapper + sited->code;
    return image_holds(&image, (uintptr_t)code) ? (void *)(uintptr_t)code : NULL;
}

#endif

void ALLOCSITE_ENTRY(lead)(struct allocsite_way *way) {
    void *code = code_of(way);
    __atomic_store_n(&way->where, code ? code : way->leaving, __ATOMIC_RELAXED);
}
