/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An allocator that stands before ours in the loader's order (LD_PRELOAD=libjemalloc.so.2) takes the calls of
 * all libraries. Functions that it defines and we interpose are led to us:
 *
 * - its symbols get the addresses of our functions, so that everything bound from now on is bound to us:
 *   libraries that come later, before their first instruction and whoever loads them, lazy calls, dlsym;
 * - references that are bound already are written anew, by name: in mimalloc free and operator delete are one
 *   address;
 * - our own symbols get the addresses of what stands behind: whoever finds them from now on is the allocator,
 *   looking for what it passes its calls on to (RTLD_NEXT), and would be called in circles;
 * - the dynamic loader keeps the addresses of malloc and free in variables of its own, which no symbol or
 *   relocation names. They are found by their values.
 *
 * The allocator's own references stay its own. Whatever is not led to us still reaches the same allocator, so
 * a program in which only a part could be changed is not counted in full, but runs as before. */
#define _GNU_SOURCE
#include "lib/heap/next.h"

#include "lib/base/state.h"

#include "lib/elf/image.h"

#include <string.h>

struct hidden {
    const char *name;
    ElfW(Sym) * their_symbol, *our_symbol;
    uintptr_t theirs, ours, behind; /* 0: nothing stands behind ours */
};

/* Names one behind the other, for pointers would be relocations. */
#define NAME(symbol, ...) #symbol "\0"
#define HEAP_ALLOC        NAME
#define HEAP_REALLOC      NAME
#define HEAP_FREE         NAME
#define OPERATOR_NEW      NAME
#define OPERATOR_DELETE   NAME
#define BESIDE            NAME
static const char interposed[] =
#include "allocators.def"
    ;

#define ONE(...)        +1
#define HEAP_ALLOC      ONE
#define HEAP_REALLOC    ONE
#define HEAP_FREE       ONE
#define OPERATOR_NEW    ONE
#define OPERATOR_DELETE ONE
#define BESIDE          ONE
enum {
    INTERPOSED_COUNT = 0
#include "allocators.def"
};

static struct hidden table[INTERPOSED_COUNT];
static size_t table_used;
static const struct link_map *allocator;
static struct image allocator_image, own_image;

bool rebind_is_done(void) {
    return table_used != 0;
}

const char *rebind_allocator(void) {
    return allocator->l_name;
}

static const struct hidden *hidden_named(const char *name) {
    for (size_t i = 0; i < table_used; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

void *rebind_hidden(const char *name) {
    const struct hidden *hidden = hidden_named(name);
    return hidden ? (void *)hidden->theirs : NULL;
}

struct search {
    const char *name;
    bool is_behind;
};

static int look_behind(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    struct search *search = context;
    struct image image;
    if (search->is_behind && image_read(&image, object) && image_symbol(&image, search->name))
        return 1;
    search->is_behind |= object->dlpi_addr == own_image.base;
    return 0;
}

/* A look-up that fails allocates the message, which would come past us and be freed by us. */
static bool is_defined_behind(const char *name) {
    struct search search = {.name = name};
    return dl_iterate_phdr(look_behind, &search);
}

/* Only if everything else finds the allocator's: the program may have brought its own. */
static void hide(const char *name) {
    const ElfW(Sym) *theirs = image_symbol(&allocator_image, name), *ours = image_symbol(&own_image, name);
    if (!theirs || !ours || ELF64_ST_TYPE(theirs->st_info) != STT_FUNC ||
        (uintptr_t)next_first(name) != allocator_image.base + theirs->st_value)
        return;
    table[table_used] = (struct hidden){
        .name = name,
        .their_symbol = (ElfW(Sym) *)theirs,
        .our_symbol = (ElfW(Sym) *)ours,
        .theirs = allocator_image.base + theirs->st_value,
        .ours = own_image.base + ours->st_value,
        .behind = is_defined_behind(name) ? (uintptr_t)next_behind(name) : 0,
    };
    table_used++; /* from here on next_behind answers otherwise */
}

static void hide_all(void) {
    for (const char *name = interposed; *name; name += strlen(name) + 1)
        hide(name);
}

static int find_images(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size;
    (void)unused;
    struct image image;
    if (!image_read(&image, object))
        return 0;
    if (image_holds(&image, (uintptr_t)allocator->l_ld))
        allocator_image = image;
    else if (image_holds(&image, (uintptr_t)&table))
        own_image = image;
    return 0;
}

/* A sum that wraps: the loader adds the base again. */
static bool lead_symbol(const struct image *image, ElfW(Sym) * symbol, uintptr_t to) {
    return image_write(image, (uintptr_t *)&symbol->st_value, to - image->base);
}

static bool lead_symbols(void) {
    for (size_t i = 0; i < table_used; i++) {
        const struct hidden *hidden = &table[i];
        if (!lead_symbol(&allocator_image, hidden->their_symbol, hidden->ours) ||
            (hidden->behind && !lead_symbol(&own_image, hidden->our_symbol, hidden->behind)))
            return false;
    }
    return true;
}

/* Writes one reference. A slot of the allocator that the loader would fill at the first call is filled now,
 * before its symbol leads elsewhere. */
static bool bind(const struct image *image, const ElfW(Rela) * relocation) {
    const char *name;
    uintptr_t *place = image_reference(image, relocation, &name);
    bool allocators = image->base == allocator_image.base;
    if (!place || (!allocators && !image_holds(&allocator_image, *place)))
        return true;
    const struct hidden *hidden = hidden_named(name);
    if (!hidden || relocation->r_addend != 0)
        return true;
    if (allocators)
        return !image_holds(image, *place) || image_write(image, place, hidden->theirs);
    return *place != hidden->theirs || image_write(image, place, hidden->ours);
}

static int bind_all(struct dl_phdr_info *object, size_t size, void *complete) {
    (void)size;
    struct image image;
    if (!image_read(&image, object))
        return 0;
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < image.relocations[i].count; k++)
            if (!bind(&image, &image.relocations[i].at[k]))
                *(bool *)complete = false;
    return 0;
}

static bool lead_word(const struct image *image, const struct hidden *hidden) {
    bool found = false;
    for (size_t i = 0; i < image->header_count; i++) {
        const ElfW(Phdr) *segment = &image->headers[i];
        uintptr_t *word = (uintptr_t *)((image->base + segment->p_vaddr + 7) & -(uintptr_t)8);
        uintptr_t *end = (uintptr_t *)((image->base + segment->p_vaddr + segment->p_memsz) & -(uintptr_t)8);
        for (; segment->p_type == PT_LOAD && segment->p_flags & PF_W && word < end; word++)
            if (*word == hidden->theirs) {
                if (!image_write(image, word, hidden->ours))
                    return false;
                found = true;
            }
    }
    return found;
}

static int lead_loader(struct dl_phdr_info *object, size_t size, void *complete) {
    (void)size;
    static const char *const kept[] = {"malloc", "calloc", "realloc", "free"};
    struct image image;
    if (object->dlpi_addr != _r_debug.r_ldbase || !image_read(&image, object))
        return 0;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const struct hidden *hidden = hidden_named(kept[i]);
        if (hidden && !lead_word(&image, hidden))
            *(bool *)complete = false;
    }
    return 1;
}

static void lead_all(bool complete) {
    dl_iterate_phdr(bind_all, &complete);
    if (!lead_symbols() || dl_iterate_phdr(lead_loader, &complete) == 0 || !complete)
        hole_set(HOLE_PAST);
}

void rebind(bool is_first) {
    allocator = next_replaceable();
    if (!allocator)
        return;
    dl_iterate_phdr(find_images, NULL);
    if (allocator_image.hash && own_image.hash)
        hide_all();
    if (hidden_named("malloc"))
        lead_all(is_first);
    else
        table_used = 0;
}
