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

/* The word of the linkage table that a relocation fills; NULL: it fills a variable of the program, whose own
 * functions may begin with a jump by it, too. */
static const uintptr_t *linkers_word(const struct image *image, const ElfW(Rela) * relocation) {
    const char *name;
    return image_is_data(relocation) ? NULL : image_reference(image, relocation, &name);
}

static const ElfW(Rela) * relocation_of(const struct image *image, const uintptr_t *slot) {
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < image->relocations[i].count; k++)
            if (linkers_word(image, &image->relocations[i].at[k]) == slot)
                return &image->relocations[i].at[k];
    return NULL;
}

/* The word of the same function that was filled when the module was loaded; NULL: there is none. */
static const uintptr_t *loaded_word(const struct image *image, const ElfW(Rela) * relocation) {
    for (size_t k = 0; k < image->relocations[0].count; k++) {
        const ElfW(Rela) *other = &image->relocations[0].at[k];
        if (ELF64_R_SYM(other->r_info) == ELF64_R_SYM(relocation->r_info) && linkers_word(image, other))
            return linkers_word(image, other);
    }
    return NULL;
}

/* Of a word that leads back to its own module nobody has made use: where calls go by words that were filled
 * at load (-fno-plt), lld gives the entry another one. */
static const uintptr_t *bound_word(const struct image *image, const uintptr_t *slot) {
    const ElfW(Rela) *relocation = relocation_of(image, slot);
    if (!relocation)
        return NULL;
    bool is_bound = !image_holds(image, __atomic_load_n(slot, __ATOMIC_RELAXED));
    const uintptr_t *loaded = is_bound ? NULL : loaded_word(image, relocation);
    return loaded ? loaded : slot;
}

/* What a call has reached that goes to this function or entry of the linkage table. */
static const void *reached(const void *callee) {
    struct image image;
    const uintptr_t *slot = image_at(&image, callee) ? slot_of(&image, callee) : NULL;
    const uintptr_t *bound = slot ? bound_word(&image, slot) : NULL;
    return bound ? (const void *)__atomic_load_n(bound, __ATOMIC_RELAXED) : callee;
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
