/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the underlying allocator. */
#define _GNU_SOURCE
#include "lib/heap/underlying.h"

#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/state.h"
#include "lib/heap/shadow.h"
#include "lib/registry/modules.h"

#include "lib/elf/image.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define UNDERLYING_STUB_DECLARATION(name, result, parameters, arguments)                                     \
    static result stub_##name parameters;                                                                    \
    static result stub_after_##name parameters;
UNDERLYING_FUNCTIONS(UNDERLYING_STUB_DECLARATION)

struct underlying underlying = {
#define UNDERLYING_STUB(name, result, parameters, arguments) .name = stub_##name,
    UNDERLYING_FUNCTIONS(UNDERLYING_STUB)};

struct underlying underlying_after = {
#define AFTER_STUB(name, result, parameters, arguments) .name = stub_after_##name,
    UNDERLYING_FUNCTIONS(AFTER_STUB)};

static void *bootstrap_malloc(size_t n) {
    return bootstrap_alloc(n);
}

static void *bootstrap_calloc(size_t n, size_t size) {
    size_t bytes;
    return __builtin_mul_overflow(n, size, &bytes) ? NULL : bootstrap_alloc(bytes);
}

/* A block does not know its size, so everything after it in the arena is copied too. */
static void *bootstrap_realloc(void *p, size_t n) {
    void *fresh = bootstrap_alloc(n);
    size_t readable = bootstrap_readable(p);
    return fresh && readable ? memmove(fresh, p, n < readable ? n : readable) : fresh;
}

static void bootstrap_free(void *p) {
    (void)p;
}

static void *bootstrap_none(void) {
    errno = ENOMEM;
    return NULL;
}

#define bootstrap_aligned_alloc(align, n)     ((void)(align), (void)(n), bootstrap_none())
#define bootstrap_memalign(align, n)          ((void)(align), (void)(n), bootstrap_none())
#define bootstrap_valloc(n)                   ((void)(n), bootstrap_none())
#define bootstrap_pvalloc(n)                  ((void)(n), bootstrap_none())
#define bootstrap_posix_memalign(p, align, n) ((void)(p), (void)(align), (void)(n), ENOMEM)

/* A resolver of the dynamic loader (GNU IFUNC) may allocate before thread-local memory is set up: it reads as
 * zero, and stores are lost. So the thread must not be given a structure to keep. */
static void local_lend(void) {
    if (UNLIKELY(!local.alloc_view))
        local = (struct local){
            .alloc_view = &no_thread, .free_view = &no_thread, .context_last = &context_none, .ending = true};
}

#define STUB_BODY(table, stub, name, result, parameters, arguments)                                          \
    static result stub parameters {                                                                          \
        local_lend();                                                                                        \
        if (local.resolving)                                                                                 \
            return bootstrap_##name arguments;                                                               \
        underlying_resolve();                                                                                \
        return table.name arguments;                                                                         \
    }

#define UNDERLYING_STUB_BODY(name, result, parameters, arguments)                                            \
    STUB_BODY(underlying, stub_##name, name, result, parameters, arguments)                                  \
    STUB_BODY(underlying_after, stub_after_##name, name, result, parameters, arguments)
UNDERLYING_FUNCTIONS(UNDERLYING_STUB_BODY)

#ifdef ALLOCSITE_STATIC

/* See unwrapped.c. */
#define UNDERLYING_REAL(name, result, parameters, arguments) extern result __real_##name parameters;
UNDERLYING_FUNCTIONS(UNDERLYING_REAL)

/* With --wrap=malloc both are the same function. Volatile, because the compiler assumes otherwise. */
extern void *__wrap_malloc(size_t);
static void *(*volatile const plain_malloc)(size_t) = malloc;
static void *(*volatile const wrap_malloc)(size_t) = __wrap_malloc;

void underlying_resolve(void) {
#define UNDERLYING_TAKE(name, result, parameters, arguments)                                                 \
    underlying.name = underlying_after.name = __real_##name;
    UNDERLYING_FUNCTIONS(UNDERLYING_TAKE)
    if (plain_malloc != wrap_malloc) {
        gap_set(GAP_UNWRAPPED);
        gap_set(GAP_FREES);
    }
}

/* Weak, because a strong reference would link glibc's malloc into a program that uses another one. */
#pragma weak __real___libc_free
extern void __real___libc_free(void *);

bool underlying_is_glibc(void) {
    return __real___libc_free && underlying_after.free == __real___libc_free;
}

#else

#include "lib/elf/image.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <link.h>

static const char *interposer;
static const struct link_map *object; /* the module whose malloc sited calls reach */

const char *underlying_interposer(void) {
    return interposer;
}

const struct link_map *underlying_object(void) {
    return object;
}

/* If a non-PIC executable takes the address of a function, the address is a stub in its procedure linkage
 * table, which dlsym then returns. dladdr1 searches all symbols of an object. */
static bool is_linkage_stub(void *address) {
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    return object_of(address) == _r_debug.r_map &&
           dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol &&
           symbol->st_shndx == SHN_UNDEF;
}

struct definition {
    const char *name;
    bool has_begun;  /* the search has passed the modules to skip */
    uintptr_t until; /* the search ends at this address; 0: at the dynamic loader */
    void *found;
};

/* Modules after the dynamic loader were opened by dlopen and may be in no scope that the caller sees. */
static int find_definition(struct dl_phdr_info *module, size_t size, void *context) {
    struct definition *definition = context;
    struct image image;
    (void)size;
    if (module->dlpi_addr == _r_debug.r_ldbase)
        return 1;
    bool is_of_runtime = elf_is_of_runtime(module->dlpi_phdr);
    if (is_of_runtime || !definition->has_begun) {
        bool is_end =
            definition->has_begun && definition->until && elf_is_of_runtime((const void *)definition->until);
        definition->has_begun |= is_of_runtime;
        return is_end;
    }
    image = (struct image){
        .base = module->dlpi_addr, .headers = module->dlpi_phdr, .header_count = module->dlpi_phnum};
    if (definition->until && image_holds(&image, definition->until))
        return 1;
    if (!image_read(&image, module)) /* tested last because it is slow */
        return 0;
    const ElfW(Sym) *symbol = image_symbol(&image, definition->name);
    if (symbol && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC)
        definition->found = (void *)(image.base + symbol->st_value);
    return symbol != NULL;
}

/* dlsym skips a definition without the default version, such as those of libc_malloc_debug.so.0, although
 * references of that version are bound to it. Returns the first definition before the one that dlsym found,
 * or else that one. */
static void *definition_until(const char *name, void *found, bool has_begun) {
    if (underlying_is_sanitizers())
        return found; /* a sanitizer's dl_iterate_phdr crashes before the sanitizer is set up */
    struct definition definition = {.name = name, .has_begun = has_begun, .until = (uintptr_t)found};
    dl_iterate_phdr(find_definition, &definition);
    return definition.found ? definition.found : found;
}

void *underlying_defined_after(const char *name) {
    return definition_until(name, NULL, false);
}

/* A linkage stub leads to the runtime, unless an earlier module has a definition. Any address in the runtime
 * then represents its definition. */
static void *global_symbol(const char *name) {
    void *found = dlsym(RTLD_DEFAULT, name), *runtime_module = (void *)(uintptr_t)underlying_object;
    return definition_until(name, found && is_linkage_stub(found) ? runtime_module : found, true);
}

static void *definition_after(const char *name) {
    void *hidden = rebind_hidden(name);
    return hidden ? hidden : definition_until(name, dlsym(RTLD_NEXT, name), false);
}

static void *symbol_after(const char *name) {
    void *found = global_symbol(name);
    return found && !elf_is_of_runtime(found) ? found : definition_after(name);
}

/* A failed look-up allocates, and its error would show in the program's next dlerror. */
static void *symbol_look_up(void *(*how)(const char *), const char *name) {
    int error = errno;
    bool was_silent = silence_begin();
    void *found = how(name);
    if (!found)
        dlerror();
    silence_end(was_silent);
    errno = error;
    return found;
}

void *underlying_symbol(const char *name) {
    return symbol_look_up(symbol_after, name);
}

void *underlying_first(const char *name) {
    return symbol_look_up(global_symbol, name);
}

void *underlying_symbol_after(const char *name) {
    return symbol_look_up(definition_after, name);
}

void *underlying_symbol_in(const char *library, const char *name) {
    int error = errno;
    bool was_silent = silence_begin();
    void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    void *found = handle ? dlsym(handle, name) : NULL;
    if (handle)
        dlclose(handle);
    if (!found || elf_is_of_runtime(found)) {
        found = NULL;
        dlerror();
    }
    silence_end(was_silent);
    errno = error;
    return found;
}

/* Blocks of bootstrap_alloc may be freed through either table. */
#define WITH_BOOTSTRAP(table)                                                                                \
    static void (*table##_free)(void *);                                                                     \
    static void *(*table##_realloc)(void *, size_t);                                                         \
    static void table##_free_with_bootstrap(void *p) {                                                       \
        if (!bootstrap_readable(p))                                                                          \
            table##_free(p);                                                                                 \
    }                                                                                                        \
    static void *table##_realloc_with_bootstrap(void *p, size_t n) {                                         \
        size_t readable = bootstrap_readable(p);                                                             \
        if (!readable)                                                                                       \
            return table##_realloc(p, n);                                                                    \
        void *fresh = table.malloc(n);                                                                       \
        return fresh ? memcpy(fresh, p, n < readable ? n : readable) : NULL;                                 \
    }                                                                                                        \
    static void table##_with_bootstrap(struct underlying *found) {                                           \
        table##_free = found->free;                                                                          \
        table##_realloc = found->realloc;                                                                    \
        found->free = table##_free_with_bootstrap;                                                           \
        found->realloc = table##_realloc_with_bootstrap;                                                     \
    }

WITH_BOOTSTRAP(underlying)
WITH_BOOTSTRAP(underlying_after)

/* Valgrind redirects calls regardless of how the dynamic loader bound them. Calls posix_memalign with an
 * invalid alignment, which every allocator refuses at once, and returns whether the runtime's function was
 * reached. */
static bool ours_is_reached(void) {
    void *none = NULL;
    bool was_silent = silence_begin();
    local.heard = false;
    if (posix_memalign(&none, 3, 1) == 0)
        underlying.free(none);
    silence_end(was_silent);
    return local.heard;
}

/* A symbol in the interface that all sanitizers share. */
extern const char sanitizer_mark[] __asm__("__sanitizer_set_report_path") __attribute__((weak));

bool underlying_is_sanitizers(void) {
    return sanitizer_mark && !elf_is_of_runtime((const void *)(uintptr_t)malloc);
}

/* If the C library's malloc comes first and no malloc follows it, the runtime was opened by dlopen or linked
 * after the C library, and there is nothing to redirect. A malloc of the program must stay, because the
 * program calls it directly. */
const struct link_map *underlying_replaceable(void) {
    const struct module *runtime_module = module_of(&interposer);
    const void *found = runtime_module && runtime_module->permanent ? underlying_first("malloc") : NULL;
    const struct link_map *object = found && !elf_is_of_runtime(found) ? object_of(found) : NULL;
    const void *after = object && *object->l_name ? symbol_look_up(definition_after, "malloc") : NULL;
    return after && object_of(after) != object && !underlying_is_sanitizers() ? object : NULL;
}

static const char *malloc_before_ours(void) {
    const void *found = global_symbol("malloc");
    if (!found)
        return NULL;
    if (elf_is_of_runtime(found) || rebind_is_done())
        return ours_is_reached() ? NULL : "the tool that runs this program";
    const struct link_map *other = object_of(found);
    return other && *other->l_name ? other->l_name : program_path();
}

/* A program may define free alone. A sanitizer reports every free through a hook (run/start.c). */
static void interposer_find(bool has_other_free) {
    int error = errno;
    interposer = malloc_before_ours();
    if (interposer)
        gap_set(GAP_INTERPOSITION);
    if ((interposer || has_other_free) && !underlying_is_sanitizers())
        gap_set(GAP_FREES);
    errno = error;
}

/* Other C libraries also define __libc_malloc, but only glibc defines gnu_get_libc_version. */
static const struct link_map *glibc(void) {
    return object_of((const void *)(uintptr_t)gnu_get_libc_version);
}

bool underlying_is_glibc(void) {
    return object_of((const void *)(uintptr_t)underlying_after.malloc) == glibc();
}

const char *underlying_copier(void) {
    const void *copier = object && object != glibc() ? underlying_symbol("strdup") : NULL;
    return copier && object_of(copier) == object ? object->l_name : NULL;
}

struct definitions {
    void *first, *after;
};

/* Both are NULL without any definition. */
static struct definitions find_definitions(const char *name) {
    void *first = underlying_first(name), *after = underlying_symbol_after(name);
    if (!first || elf_is_of_runtime(first))
        first = after;
    return (struct definitions){first, after ? after : first};
}

void underlying_resolve(void) {
    bool was_resolving = local.resolving;
    local.resolving = true;
    struct underlying found = underlying,
                      found_after =
                          underlying_after; /* other threads never see a table that is only half filled */
#define UNDERLYING_FIND(name, result, parameters, arguments)                                                 \
    struct definitions name = find_definitions(#name);                                                       \
    if (name.first)                                                                                          \
        found.name = (result(*) parameters)name.first;                                                       \
    if (name.after)                                                                                          \
        found_after.name = (result(*) parameters)name.after;
    UNDERLYING_FUNCTIONS(UNDERLYING_FIND)
    object = object_of((const void *)(uintptr_t)found.malloc);
    bool has_other_free = found.free != found_after.free;
    if (!underlying_is_sanitizers())
        front_pass(&found, &found_after);
    if (bootstrap_used()) {
        underlying_with_bootstrap(&found);
        underlying_after_with_bootstrap(&found_after);
    }
    underlying = found;
    underlying_after = found_after;
    local.resolving = was_resolving;
    interposer_find(has_other_free);
    shadow_know_allocator(object && object == glibc());
}

#endif

/* ---- Memory for allocations that happen before the underlying allocator is known: some C libraries
 * allocate in dlsym. */

static _Alignas(16) char arena[4096];
static size_t used;

void *bootstrap_alloc(size_t n) {
    size_t size = (n + 15) & ~(size_t)15;
    if (n > sizeof arena)
        return NULL;
    size_t at = __atomic_fetch_add(&used, size, __ATOMIC_RELAXED);
    return at + size <= sizeof arena ? arena + at : NULL;
}

size_t bootstrap_readable(const void *p) {
    size_t at = (uintptr_t)p - (uintptr_t)arena;
    return at < sizeof arena ? sizeof arena - at : 0;
}

int bootstrap_used(void) {
    return __atomic_load_n(&used, __ATOMIC_RELAXED) != 0;
}
