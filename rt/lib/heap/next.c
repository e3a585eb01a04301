/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finding the allocator behind ours. */
#define _GNU_SOURCE
#include "lib/heap/next.h"

#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/state.h"
#include "lib/heap/shadow.h"
#include "lib/who/modules.h"

#include "lib/elf/image.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NEXT_STUB_DECLARATION(name, result, parameters, arguments) static result stub_##name parameters;
NEXT_FUNCTIONS(NEXT_STUB_DECLARATION)

struct next next = {
#define NEXT_STUB(name, result, parameters, arguments) .name = stub_##name,
    NEXT_FUNCTIONS(NEXT_STUB)};

static void *bootstrap_malloc(size_t n) {
    return bootstrap_alloc(n);
}

static void *bootstrap_calloc(size_t n, size_t size) {
    size_t bytes;
    return __builtin_mul_overflow(n, size, &bytes) ? NULL : bootstrap_alloc(bytes);
}

/* A block does not know its size: whatever lies behind it in the arena is copied with it. */
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

/* A function that the dynamic loader asks which other one to take (GNU IFUNC) may allocate before
 * thread-local memory is set up: there are zeros, and what is stored is lost. So no thread is taken to be
 * kept. */
static void local_lend(void) {
    if (UNLIKELY(!local.current))
        local = (struct local){
            .current = &no_thread, .seen = &no_thread, .context_last = &context_none, .ending = true};
}

#define NEXT_STUB_BODY(name, result, parameters, arguments)                                                  \
    static result stub_##name parameters {                                                                   \
        local_lend();                                                                                        \
        if (local.resolving)                                                                                 \
            return bootstrap_##name arguments;                                                               \
        next_resolve();                                                                                      \
        return next.name arguments;                                                                          \
    }
NEXT_FUNCTIONS(NEXT_STUB_BODY)

#ifdef ALLOCSITE_STATIC

/* See unwrapped.c. */
#define NEXT_REAL(name, result, parameters, arguments) extern result __real_##name parameters;
NEXT_FUNCTIONS(NEXT_REAL)

/* In a link that was told --wrap=malloc these two are one. Volatile, or the compiler knows that they are not.
 */
extern void *__wrap_malloc(size_t);
static void *(*volatile const plain_malloc)(size_t) = malloc;
static void *(*volatile const wrap_malloc)(size_t) = __wrap_malloc;

void next_resolve(void) {
#define NEXT_TAKE(name, result, parameters, arguments) next.name = __real_##name;
    NEXT_FUNCTIONS(NEXT_TAKE)
    if (plain_malloc != wrap_malloc)
        hole_set(HOLE_UNWRAPPED);
}

#else

#include "lib/elf/image.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <link.h>

static const char *interposer;

const char *next_interposer(void) {
    return interposer;
}

/* An executable that is not position-independent gives a function whose address it takes one in its own
 * procedure linkage table, and dlsym finds that. dladdr1 looks at every symbol of an object. */
static bool is_linkage_stub(void *address) {
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    return object_of(address) == _r_debug.r_map &&
           dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol &&
           symbol->st_shndx == SHN_UNDEF;
}

struct definition {
    const char *name;
    bool is_behind; /* the executable */
    void *found;
};

/* dlsym cannot be asked about one object that was not opened by dlopen. */
static int find_definition(struct dl_phdr_info *object, size_t size, void *context) {
    struct definition *definition = context;
    struct image image;
    (void)size;
    if (!definition->is_behind) {
        definition->is_behind = true;
        return 0;
    }
    const ElfW(Sym) *symbol = image_read(&image, object) ? image_symbol(&image, definition->name) : NULL;
    if (symbol)
        definition->found = (void *)(image.base + symbol->st_value);
    return symbol != NULL;
}

static void *first_definition(const char *name) {
    struct definition definition = {.name = name};
    dl_iterate_phdr(find_definition, &definition);
    return definition.found;
}

static void *global_symbol(const char *name) {
    void *found = dlsym(RTLD_DEFAULT, name);
    return found && is_linkage_stub(found) ? first_definition(name) : found;
}

static void *definition_behind(const char *name) {
    void *hidden = rebind_hidden(name);
    return hidden ? hidden : dlsym(RTLD_NEXT, name);
}

static void *symbol_behind(const char *name) {
    void *hidden = rebind_hidden(name), *found = hidden ? hidden : global_symbol(name);
    return found && !elf_is_own(found) ? found : definition_behind(name);
}

/* A look-up that fails allocates and would be the program's next dlerror. */
static void *look_up(void *(*how)(const char *), const char *name) {
    int error = errno;
    bool was_silent = silence_begin();
    void *found = how(name);
    if (!found)
        dlerror();
    silence_end(was_silent);
    errno = error;
    return found;
}

void *next_symbol(const char *name) {
    return look_up(symbol_behind, name);
}

void *next_first(const char *name) {
    return look_up(global_symbol, name);
}

void *next_behind(const char *name) {
    return look_up(definition_behind, name);
}

void *next_symbol_in(const char *library, const char *name) {
    int error = errno;
    bool was_silent = silence_begin();
    void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    void *found = handle ? dlsym(handle, name) : NULL;
    if (handle)
        dlclose(handle);
    if (!found || elf_is_own(found)) {
        found = NULL;
        dlerror();
    }
    silence_end(was_silent);
    errno = error;
    return found;
}

static void (*free_behind)(void *);
static void *(*realloc_behind)(void *, size_t);

static void free_beside_bootstrap(void *p) {
    if (!bootstrap_readable(p))
        free_behind(p);
}

static void *realloc_beside_bootstrap(void *p, size_t n) {
    size_t readable = bootstrap_readable(p);
    if (!readable)
        return realloc_behind(p, n);
    void *fresh = next.malloc(n);
    return fresh ? memcpy(fresh, p, n < readable ? n : readable) : NULL;
}

static void free_look_out(struct next *found) {
    free_behind = found->free;
    realloc_behind = found->realloc;
    found->free = free_beside_bootstrap;
    found->realloc = realloc_beside_bootstrap;
}

/* Valgrind redirects calls whatever the dynamic loader has bound them to. An alignment that is none makes
 * every allocator refuse at once, and ours is heard if it was reached. */
static bool is_heard(void) {
    void *none = NULL;
    bool was_silent = silence_begin();
    local.heard = false;
    if (posix_memalign(&none, 3, 1) == 0)
        next.free(none);
    silence_end(was_silent);
    return local.heard;
}

/* In the interface that all sanitizers have. */
extern const char sanitizer_mark[] __asm__("__sanitizer_set_report_path") __attribute__((weak));

bool next_is_sanitizers(void) {
    return sanitizer_mark && !elf_is_own((const void *)(uintptr_t)malloc);
}

/* Nothing stands behind the C library's: if that is the first one, this runtime came by dlopen or the linker
 * was told to. The program's own malloc is called directly by the program. */
const struct link_map *next_replaceable(void) {
    const struct module *own = module_of(&interposer);
    const void *found = own && own->permanent ? next_first("malloc") : NULL;
    const struct link_map *object = found && !elf_is_own(found) ? object_of(found) : NULL;
    const void *behind = object && *object->l_name ? look_up(definition_behind, "malloc") : NULL;
    return behind && object_of(behind) != object && !next_is_sanitizers() ? object : NULL;
}

static const char *malloc_before_ours(void) {
    const void *found = global_symbol("malloc");
    if (!found)
        return NULL;
    if (elf_is_own(found) || rebind_is_done())
        return is_heard() ? NULL : "the tool that runs this program";
    const struct link_map *object = object_of(found);
    return object && *object->l_name ? object->l_name : "the program";
}

static void find_interposer(void) {
    int error = errno;
    interposer = malloc_before_ours();
    if (interposer)
        hole_set(HOLE_INTERPOSITION);
    errno = error;
}

/* Others name theirs __libc_malloc, too, but nobody tells the version. */
static bool is_glibc(void) {
    const struct link_map *library = object_of((const void *)(uintptr_t)gnu_get_libc_version);
    return library && object_of((const void *)(uintptr_t)next.malloc) == library;
}

const char *next_copier(void) {
    const void *copier = is_glibc() ? NULL : next_symbol("strdup");
    const struct link_map *object = copier ? object_of(copier) : NULL;
    bool is_allocators = object && object == object_of((const void *)(uintptr_t)next.malloc);
    return is_allocators ? object->l_name : NULL;
}

void next_resolve(void) {
    bool was_resolving = local.resolving;
    local.resolving = true;
    struct next found = next; /* other threads are given none that is not ready */
#define NEXT_FIND(name, result, parameters, arguments)                                                       \
    result(*real_##name) parameters = (result(*) parameters)next_symbol(#name);                              \
    if (real_##name)                                                                                         \
        found.name = real_##name;
    NEXT_FUNCTIONS(NEXT_FIND)
    if (bootstrap_used())
        free_look_out(&found);
    next = found;
    local.resolving = was_resolving;
    find_interposer();
    shadow_know_allocator(is_glibc());
}

#endif

/* ---- Memory for who allocates while the allocator is being looked up: dlsym itself, in some C libraries. */

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
