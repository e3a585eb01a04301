/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Redirects the functions of a process that was started without the runtime, and restores them
 * (run/attach.c).
 *
 * The runtime was opened by dlopen, so no reference is bound to it. As in rebind.c, the symbols of the
 * functions that the process uses get the addresses of the runtime's functions, for everything that is bound
 * later: libraries opened later, lazy calls, dlsym. References that are bound already are rewritten by name.
 * The variables of the dynamic loader are found by their values.
 *
 * Other threads run meanwhile. Each change is one store of a word, and a call reaches either the runtime or
 * the function that it passes the call on to. Nothing is counted until all changes are made. */
#define _GNU_SOURCE
#include "lib/heap/underlying.h"

#include "lib/base/os.h"
#include "lib/base/state.h"
#include "lib/elf/image.h"
#include "lib/heap/rebind.h"
#include "lib/registry/modules.h"

#include <string.h>

static struct image runtime_image;
static const struct link_map *allocator; /* the module whose malloc the process uses */
static bool is_back;                     /* the process is given its functions back */

static int find_runtime(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size, (void)unused;
    struct image image;
    if (!elf_is_of_runtime(object->dlpi_phdr) || !image_read(&image, object))
        return 0;
    runtime_image = image;
    return 1;
}

/* A definition in the executable is not redirected, because the executable may call it without a
 * relocation. */
static void definition_note(const char *name) {
    const ElfW(Sym) *ours = image_symbol(&runtime_image, name);
    void *first = underlying_first(name);
    const struct link_map *object = first && !elf_is_of_runtime(first) ? object_of(first) : NULL;
    if (ours && object && object != _r_debug.r_map)
        rebind_table[rebind_used++] = (struct hidden){
            .name = name, .theirs = (uintptr_t)first, .ours = runtime_image.base + ours->st_value};
}

static bool is_in_table(const char *name) {
    for (size_t i = 0; i < rebind_used; i++)
        if (strcmp(rebind_table[i].name, name) == 0)
            return true;
    return false;
}

static const char *const needed[] = {"malloc", "calloc", "realloc", "free"};

enum { NEEDED_COUNT = sizeof needed / sizeof *needed };

static bool is_needed(const char *name) {
    size_t i = 0;
    while (i < NEEDED_COUNT && strcmp(needed[i], name) != 0)
        i++;
    return i < NEEDED_COUNT;
}

static const char *definitions_find(void) {
    dl_iterate_phdr(find_runtime, NULL);
    for (const char *name = rebind_names; runtime_image.hash && *name; name += strlen(name) + 1)
        definition_note(name);
    for (size_t i = 0; i < NEEDED_COUNT; i++)
        if (!is_in_table(needed[i])) {
            rebind_used = 0;
            return "has a malloc of its own in its executable";
        }
    allocator = object_of(underlying_first("malloc"));
    return NULL;
}

static uintptr_t from_of(const struct hidden *hidden) {
    return is_back ? hidden->ours : hidden->theirs;
}

static uintptr_t to_of(const struct hidden *hidden) {
    return is_back ? hidden->theirs : hidden->ours;
}

/* Several functions may have one address, and a function several symbols with different versions. */
static const struct hidden *hidden_with(uintptr_t value, const char *name) {
    for (size_t i = 0; i < rebind_used; i++)
        if (from_of(&rebind_table[i]) == value && strcmp(rebind_table[i].name, name) == 0)
            return &rebind_table[i];
    return NULL;
}

/* An allocator other than the C library passes calls on to the C library, which were counted before. */
static bool is_left_alone(const struct image *image) {
    return !underlying_is_glibc() && image_holds(image, (uintptr_t)allocator->l_ld);
}

static void word_write(const struct image *image, uintptr_t *place, uintptr_t value, bool *is_unsealed) {
    if (!image_is_sealed(image, place))
        image_write(image, place, value);
    else if (*is_unsealed || (*is_unsealed = image_unseal(image)))
        __atomic_store_n(place, value, __ATOMIC_RELEASE);
}

static void references_turn(const struct image *image) {
    const char *name;
    bool is_unsealed = false;
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < image->relocations[i].count; k++) {
            const ElfW(Rela) *relocation = &image->relocations[i].at[k];
            uintptr_t *place = image_reference(image, relocation, &name);
            const struct hidden *hidden =
                place && relocation->r_addend == 0 ? hidden_with(*place, name) : NULL;
            if (hidden)
                word_write(image, place, to_of(hidden), &is_unsealed);
        }
    if (is_unsealed)
        image_seal(image);
}

static void symbols_turn(const struct image *image) {
    uint32_t first, end;
    bool is_open = false;
    image_defined_symbols(image, &first, &end);
    ElfW(Sym) *symbols = (ElfW(Sym) *)(uintptr_t)image->symbols;
    for (uint32_t i = first; i < end; i++) {
        const struct hidden *hidden =
            symbols[i].st_shndx != SHN_UNDEF
                ? hidden_with(image->base + symbols[i].st_value, image->strings + symbols[i].st_name)
                : NULL;
        if (hidden && !is_open)
            is_open = image_open(image, symbols + first, symbols + end);
        if (hidden && is_open)
            __atomic_store_n((uintptr_t *)&symbols[i].st_value, to_of(hidden) - image->base,
                             __ATOMIC_RELEASE);
    }
    if (is_open)
        image_close(image, symbols + first, symbols + end);
}

static void loader_turn(const struct image *image) {
    for (size_t i = 0; i < rebind_used; i++)
        if (is_needed(rebind_table[i].name))
            rebind_words(image, from_of(&rebind_table[i]), to_of(&rebind_table[i]));
}

static bool has_copy(const uintptr_t *word, const uintptr_t *end) {
    for (; word < end; word++)
        for (size_t i = 0; i < rebind_used; i++)
            if (*word == rebind_table[i].theirs && is_needed(rebind_table[i].name))
                return true;
    return false;
}

/* Looks for addresses of the functions that no reference has put there: a variable of the program, which may
 * call what it points to. The program may have made its variables unreadable. */
static void copies_note(const struct image *image) {
    enum { PAGE = 4096, PAGES_MOST = 4096 };
    for (size_t i = 0; i < image->header_count; i++) {
        const ElfW(Phdr) *segment = &image->headers[i];
        uintptr_t begin = (image->base + segment->p_vaddr + 7) & -(uintptr_t)8;
        uintptr_t end = (image->base + segment->p_vaddr + segment->p_memsz) & -(uintptr_t)8;
        bool is_data = segment->p_type == PT_LOAD && segment->p_flags & PF_W;
        for (size_t pages = 0; is_data && begin < end && pages < PAGES_MOST; pages++) {
            uintptr_t next = (begin | (PAGE - 1)) + 1, last = next < end ? next : end;
            if (os_can_read((const void *)begin) &&
                has_copy((const uintptr_t *)begin, (const uintptr_t *)last))
                gap_set(GAP_PAST);
            begin = next;
        }
    }
}

static int module_symbols(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size, (void)unused;
    struct image image;
    if (image_read(&image, object) && image.base != runtime_image.base)
        symbols_turn(&image);
    return 0;
}

static int module_references(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size, (void)unused;
    struct image image;
    if (!image_read(&image, object) || image.base == runtime_image.base)
        return 0;
    if (object->dlpi_addr == _r_debug.r_ldbase)
        loader_turn(&image);
    else if (!is_left_alone(&image)) {
        references_turn(&image);
        if (!is_back)
            copies_note(&image);
    }
    return 0;
}

/* The runtime's own references are changed first, and stay: underlying_resolve finds out that they reach it.
 */
const char *attach_begin(void) {
    const char *why = definitions_find();
    if (why)
        return why;
    references_turn(&runtime_image);
    rebind_begin();
    underlying_resolve();
    return NULL;
}

/* The symbols come first, so that what is bound meanwhile is bound as wanted. */
void attach_turn(bool back) {
    is_back = back;
    dl_iterate_phdr(module_symbols, NULL);
    dl_iterate_phdr(module_references, NULL);
}
