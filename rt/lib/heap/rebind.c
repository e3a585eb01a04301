/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An allocator that comes before the runtime in the loader's order (LD_PRELOAD=libjemalloc.so.2) receives the
 * calls of all libraries. The functions that it defines and the runtime interposes are redirected to the
 * runtime:
 *
 * - Its symbols get the addresses of the runtime's functions. Later bindings then reach the runtime: those
 *   of libraries loaded later, of lazy calls, and of dlsym.
 * - References that are already bound are rewritten, by name, because in mimalloc free and operator delete
 *   have the same address.
 * - The runtime's own symbols get the addresses of the definitions that follow. The allocator looks these
 *   up (RTLD_NEXT) to pass its calls on. If it found the runtime's functions, it would call itself.
 * - The dynamic loader keeps the addresses of malloc and free in variables that no symbol or relocation
 *   names. These variables are found by their values.
 *
 * The allocator's own references are unchanged. A call that is not redirected still reaches the same
 * allocator, so a program that is only partly redirected is not counted in full, but runs as before. */
#define _GNU_SOURCE
#include "lib/heap/underlying.h"

#include "lib/base/state.h"

#include "lib/elf/image.h"
#include "lib/heap/rebind.h"
#include "lib/registry/modules.h"

#include <string.h>

/* Names separated by NUL: an array of pointers would need relocations. */
#define NAME(symbol, ...) #symbol "\0"
#define HEAP_ALLOC        NAME
#define HEAP_REALLOC      NAME
#define HEAP_FREE         NAME
#define HEAP_LIBC         NAME
#define OPERATOR_NEW      NAME
#define OPERATOR_DELETE   NAME
#define BESIDE            NAME
#define BESIDE_LOADER     NAME
const char rebind_names[] =
#include "allocators.def"
    ;

#define ONE(...)        +1
#define HEAP_ALLOC      ONE
#define HEAP_REALLOC    ONE
#define HEAP_FREE       ONE
#define HEAP_LIBC       ONE
#define OPERATOR_NEW    ONE
#define OPERATOR_DELETE ONE
#define BESIDE          ONE
#define BESIDE_LOADER   ONE
enum {
    INTERPOSED_COUNT = 0
#include "allocators.def"
};

struct hidden rebind_table[INTERPOSED_COUNT];
size_t rebind_used;
static bool is_redirected; /* the table describes an allocator that came before the runtime */
static const struct link_map *allocator;
static struct image allocator_image, runtime_image;

bool rebind_is_done(void) {
    return is_redirected;
}

void rebind_begin(void) {
    is_redirected = true;
}

static const struct hidden *hidden_named(const char *name) {
    for (size_t i = 0; i < rebind_used; i++)
        if (strcmp(rebind_table[i].name, name) == 0)
            return &rebind_table[i];
    return NULL;
}

void *rebind_hidden(const char *name) {
    const struct hidden *hidden = hidden_named(name);
    return hidden ? (void *)hidden->theirs : NULL;
}

/* Only if every other module finds the allocator's definition: the program may have its own. */
static void symbol_hide(const char *name) {
    const ElfW(Sym) *theirs = image_symbol(&allocator_image, name),
                    *ours = image_symbol(&runtime_image, name);
    if (!theirs || !ours || ELF64_ST_TYPE(theirs->st_info) != STT_FUNC ||
        (uintptr_t)underlying_first(name) != allocator_image.base + theirs->st_value)
        return;
    rebind_table[rebind_used] = (struct hidden){
        .name = name,
        .their_symbol = (ElfW(Sym) *)theirs,
        .our_symbol = (ElfW(Sym) *)ours,
        .theirs = allocator_image.base + theirs->st_value,
        .ours = runtime_image.base + ours->st_value,
        .after = (uintptr_t)underlying_defined_after(name),
    };
    rebind_used++; /* underlying_symbol_after uses the table from here on */
}

static void symbols_hide(void) {
    for (const char *name = rebind_names; *name; name += strlen(name) + 1)
        symbol_hide(name);
}

static int find_images(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size;
    (void)unused;
    struct image image;
    if (!image_read(&image, object))
        return 0;
    if (image_holds(&image, (uintptr_t)allocator->l_ld))
        allocator_image = image;
    else if (image_holds(&image, (uintptr_t)&rebind_table))
        runtime_image = image;
    return 0;
}

/* The difference may wrap around, because the loader adds the base again. */
static bool redirect_symbol(const struct image *image, ElfW(Sym) * symbol, uintptr_t to) {
    return image_write(image, (uintptr_t *)&symbol->st_value, to - image->base);
}

static bool redirect_symbols(void) {
    for (size_t i = 0; i < rebind_used; i++) {
        const struct hidden *hidden = &rebind_table[i];
        if (!redirect_symbol(&allocator_image, hidden->their_symbol, hidden->ours) ||
            (hidden->after && !redirect_symbol(&runtime_image, hidden->our_symbol, hidden->after)))
            return false;
    }
    return true;
}

/* Rewrites one reference. References of the allocator itself that the loader would bind at the first call are
 * bound now, before the symbol changes. */
static bool redirect_reference(const struct image *image, const ElfW(Rela) * relocation) {
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

static int redirect_references(struct dl_phdr_info *object, size_t size, void *complete) {
    (void)size;
    struct image image;
    if (!image_read(&image, object))
        return 0;
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < image.relocations[i].count; k++)
            if (!redirect_reference(&image, &image.relocations[i].at[k]))
                *(bool *)complete = false;
    return 0;
}

bool rebind_words(const struct image *image, uintptr_t from, uintptr_t to) {
    bool found = false;
    for (size_t i = 0; i < image->header_count; i++) {
        const ElfW(Phdr) *segment = &image->headers[i];
        uintptr_t *word = (uintptr_t *)((image->base + segment->p_vaddr + 7) & -(uintptr_t)8);
        uintptr_t *end = (uintptr_t *)((image->base + segment->p_vaddr + segment->p_memsz) & -(uintptr_t)8);
        for (; segment->p_type == PT_LOAD && segment->p_flags & PF_W && word < end; word++)
            if (*word == from) {
                if (!image_write(image, word, to))
                    return false;
                found = true;
            }
    }
    return found;
}

static int redirect_loader(struct dl_phdr_info *object, size_t size, void *complete) {
    (void)size;
    static const char *const kept[] = {"malloc", "calloc", "realloc", "free"};
    struct image image;
    if (object->dlpi_addr != _r_debug.r_ldbase || !image_read(&image, object))
        return 0;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const struct hidden *hidden = hidden_named(kept[i]);
        if (hidden && !rebind_words(&image, hidden->theirs, hidden->ours))
            *(bool *)complete = false;
    }
    return 1;
}

static void redirect_all(bool complete) {
    dl_iterate_phdr(redirect_references, &complete);
    if (!redirect_symbols() || dl_iterate_phdr(redirect_loader, &complete) == 0 || !complete)
        gap_set(GAP_PAST);
}

void rebind_heap(bool is_first) {
    allocator = underlying_replaceable();
    if (!allocator)
        return;
    dl_iterate_phdr(find_images, NULL);
    if (allocator_image.hash && runtime_image.hash)
        symbols_hide();
    is_redirected = hidden_named("malloc");
    if (is_redirected)
        redirect_all(is_first);
    else
        rebind_used = 0;
}

/* ---- Calls that bypass the runtime and reach glibc's malloc. */

#define HEAP_ALLOC   NAME
#define HEAP_REALLOC NAME
#define HEAP_FREE    NAME
#define HEAP_LIBC    NAME
static const char heap[] =
#include "allocators.def"
    ;

#define HEAP_LIBC NAME
static const char names_of_libc[] =
#include "allocators.def"
    ;

static bool is_of_libc(const char *name) {
    const char *at = names_of_libc;
    while (*at && strcmp(at, name) != 0)
        at += strlen(at) + 1;
    return *at;
}

static void reference_bypass(const struct image *image, const ElfW(Rela) * relocation) {
    const char *name;
    uintptr_t *place = image_reference(image, relocation, &name);
    if (place && is_of_libc(name) && (elf_is_of_runtime((const void *)*place) || image_holds(image, *place)))
        image_write(image, place, (uintptr_t)underlying_symbol_after(name));
}

/* A library between the program and glibc's malloc (libc_malloc_debug.so.0, or one that counts) passes calls
 * on to __libc_malloc. They were counted before, so its references bypass the runtime. */
static int module_bypass(struct dl_phdr_info *object, size_t size, void *underlying) {
    (void)size;
    struct image image;
    if (!image_read(&image, object) || !image_holds(&image, *(uintptr_t *)underlying))
        return 0;
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < image.relocations[i].count; k++)
            reference_bypass(&image, &image.relocations[i].at[k]);
    return 1;
}

static bool is_look_up(const char *name) {
    static const char *const names[] = {"dlsym", "dlopen", "dlvsym", "dlmopen"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static int find_look_up(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size;
    (void)unused;
    struct image image;
    return image_read(&image, object) && !elf_is_of_runtime(image.symbols) &&
           image_refers(&image, is_look_up);
}

/* A library opened with RTLD_DEEPBIND finds the C library's malloc first, and so does dlsym with a library's
 * handle. From now on they find the runtime's. About eight pages of the C library's symbols are then no
 * longer shared, so this is done only in a process that refers to these functions. A call that still bypasses
 * the runtime is noticed when its block is freed (GAP_ELSEWHERE). */
static void hide_libc(void) {
    uint32_t first, end;
    allocator = object_of((const void *)(uintptr_t)underlying_after.malloc);
    dl_iterate_phdr(find_images, NULL);
    image_defined_symbols(&allocator_image, &first, &end);
    ElfW(Sym) *symbols = (ElfW(Sym) *)(uintptr_t)allocator_image.symbols;
    if (first == end || !image_open(&allocator_image, symbols + first, symbols + end))
        return;
    for (const char *name = heap; *name; name += strlen(name) + 1) {
        const ElfW(Sym) *theirs = image_symbol(&allocator_image, name),
                        *ours = image_symbol(&runtime_image, name);
        if (!theirs || !ours || !theirs->st_value)
            continue;
        rebind_table[rebind_used++] =
            (struct hidden){.name = name, .theirs = allocator_image.base + theirs->st_value};
        __atomic_store_n((uintptr_t *)&theirs->st_value,
                         runtime_image.base + ours->st_value - allocator_image.base, __ATOMIC_RELEASE);
    }
    image_close(&allocator_image, symbols + first, symbols + end);
}

/* ---- Calls that bypass the runtime and reach another allocator. */

static bool has_any(const char *name, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strstr(name, words[i]))
            return true;
    return false;
}

/* Returns whether the allocator's function allocates or frees, such as mallocx, tc_free and mi_new. Others
 * query or configure, such as malloc_usable_size and MallocExtension_GetStats. */
static bool is_bypass(const char *name) {
    static const char *const gives[] = {"alloc", "free", "_new", "_delete"};
    static const char *const tells[] = {"_Z",   "size", "stats", "info",    "trim",
                                        "hook", "Hook", "Ext",   "nallocx", "sallocx"};
    if (!has_any(name, gives, sizeof gives / sizeof *gives) ||
        has_any(name, tells, sizeof tells / sizeof *tells) || image_symbol(&runtime_image, name))
        return false;
    const ElfW(Sym) *symbol = image_symbol(&allocator_image, name);
    return symbol && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC;
}

static int find_bypass(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size;
    (void)unused;
    struct image image;
    return object->dlpi_addr != allocator_image.base && image_read(&image, object) &&
           image_refers(&image, is_bypass);
}

/* Such calls are not seen. The runtime does not interpose them, because programs test for such a name to find
 * out whether the allocator is present. */
static void find_bypasses(void) {
    allocator = underlying_object();
    dl_iterate_phdr(find_images, NULL);
    if (allocator_image.hash && runtime_image.hash && dl_iterate_phdr(find_bypass, NULL))
        gap_set(GAP_PAST);
}

static bool may_bypass; /* the underlying allocator has functions that is_bypass finds */

/* ---- Namespaces of dlmopen. Each namespace has a separate C library with a separate malloc. */

/* Returns whether the modules include a copy of the runtime, which counts their calls. */
static bool has_runtime(const struct link_map *map) {
    while (map && !strstr(map->l_name, "/liballocsite.so"))
        map = map->l_next;
    return map;
}

#if __GLIBC_PREREQ(2, 35)

/* The loader's list of namespaces, which the program's DT_DEBUG leads to. The symbol _r_debug may be a copy
 * of its beginning. NULL: the loader is older, or there is one namespace. */
static const struct r_debug_extended *first_namespace(void) {
    const ElfW(Dyn) *entry = _r_debug.r_map->l_ld;
    while (entry->d_tag != DT_NULL && entry->d_tag != DT_DEBUG)
        entry++;
    const struct r_debug_extended *first = (const void *)entry->d_un.d_ptr;
    return entry->d_tag == DT_DEBUG && first && first->base.r_version >= 2 ? first->r_next : NULL;
}

/* Runs once, while the loader's lock is held. */
static int find_namespace(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)object;
    (void)size;
    (void)unused;
    for (const struct r_debug_extended *space = first_namespace(); space; space = space->r_next)
        if (space->base.r_map && !has_runtime(space->base.r_map))
            gap_set(GAP_NAMESPACE);
    return 1;
}

#endif

void rebind_look(void) {
    if (may_bypass)
        find_bypasses();
#if __GLIBC_PREREQ(2, 35)
    dl_iterate_phdr(find_namespace, NULL);
#endif
}

void rebind_libc(void) {
    const struct module *runtime_module = module_of(&rebind_table);
    uintptr_t underlying = (uintptr_t)underlying_symbol_after("malloc");
    if (!underlying || !runtime_module || !runtime_module->permanent || underlying_is_sanitizers())
        return;
    if (!underlying_is_glibc()) {
        dl_iterate_phdr(module_bypass, &underlying);
        find_bypasses();
        may_bypass = true;
    } else if (dl_iterate_phdr(find_look_up, NULL))
        hide_libc();
}
