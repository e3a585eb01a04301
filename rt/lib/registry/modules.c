/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The modules of the process by address, for callers and descriptors. */
#define _GNU_SOURCE
#include "lib/registry/modules.h"

#include "base/elf_note.h"
#include "base/hash.h"
#include "format.h"
#include "lib/base/os.h"
#include "lib/base/table.h"
#include "lib/elf/image.h"
#include "lib/registry/callers.h"
#include "lib/registry/registry.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

struct unloads unloads;

static struct module *modules; /* a list that only grows */

#ifdef ALLOCSITE_STATIC
#define STARTED_BY_LOADER false
#else
/* True if the dynamic loader was started as a command with the program as its argument. */
#define STARTED_BY_LOADER (getauxval(AT_BASE) == 0)
#endif

const char *program_path(void) {
    static char path[PATH_MAX];
    if (!path[0])
        os_program_path(path, sizeof path, STARTED_BY_LOADER);
    return path;
}

uint64_t module_id(const struct module *module) {
    return path_id(module->path);
}

static struct module *module_find(struct module *module, const struct module *end, const char *name) {
    for (; module != end; module = module->next)
        if (strcmp(module->name, name) == 0)
            return module;
    return NULL;
}

/* A module's location in memory, as far as it is known. */
struct module_place {
    const void *start; /* its ELF header; NULL: in no module */
    bool permanent;
};

/* The dynamic loader may name a library relative to the working directory (LD_LIBRARY_PATH=.), which differs
 * when the profile is read. A direct system call, because getcwd may allocate. */
static char *module_path(char *path, const char *name) {
    bool is_relative = name[0] != '/' && strchr(name, '/');
    if (!is_relative || syscall(SYS_getcwd, path, PATH_MAX) < 0 || path[0] != '/')
        return strcpy(path, name);
    while (strncmp(name, "./", 2) == 0)
        name += 2;
    return strcat(strcat(path, "/"), name);
}

static struct module *module_make(const char *name, const struct module_place *found) {
    size_t length = strlen(name) + 1, directory = name[0] == '/' ? 0 : PATH_MAX + 1;
    struct module *module = arena_take(sizeof *module + 2 * length + directory);
    if (!module)
        return NULL;
    module->name = memcpy(module + 1, name, length);
    module->path = module_path((char *)(module + 1) + length, name);
    module->permanent = found->permanent;
    module->start = found->start;
    module->known = found->start;
    module->is_program = name == program_path();
    build_id_read(module->build_id, found->start);
    module->slot = record_add(&(struct record){.module = module, .what = PROFILE_MODULE});
    return module;
}

/* The last modules found, by start address: a stack has many frames of a few modules. */
#define RECENT 64
static const struct module *recent[RECENT];

static const struct module *module_listed(const char *name, const struct module_place *where) {
    struct module *head = __atomic_load_n(&modules, __ATOMIC_ACQUIRE);
    struct module *found = module_find(head, NULL, name);
    struct module *module = found ? NULL : module_make(name, where);
    while (module) {
        struct module *searched = module->next = head;
        if (__atomic_compare_exchange_n(&modules, &head, module, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return module;
        found = module_find(head, searched, name);
        if (found) /* the new record stays unused, with zero counts */
            return found;
    }
    return found;
}

static const struct module *module_named(const char *name, const struct module_place *where) {
    const struct module **place = &recent[(uintptr_t)where->start / 4096 % RECENT];
    const struct module *found = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (found && strcmp(found->name, name) == 0)
        return found;
    found = module_listed(name, where);
    __atomic_store_n(place, found, __ATOMIC_RELEASE);
    return found;
}

/* For example JIT code. */
static struct module_address address_in_no_module(const void *address) {
    return (struct module_address){module_named("[no module]", &(struct module_place){NULL, false}),
                                   (uintptr_t)address};
}

#ifdef ALLOCSITE_STATIC

struct module_address module_address(const void *address) {
    static const struct module *program;
    if (!elf_is_of_runtime(address))
        return address_in_no_module(address);
    if (!program)
        program = module_named(program_path(), &(struct module_place){&__ehdr_start, true});
    return (struct module_address){program, (uintptr_t)address - elf_base(&__ehdr_start)};
}

#else

struct object {
    const struct link_map *map; /* NULL: no module */
    const void *start;
};

static struct object object_at(const void *address) {
#if __GLIBC_PREREQ(2, 35)
    struct dl_find_object found;
    if (_dl_find_object((void *)(uintptr_t)address, &found) == 0)
        return (struct object){found.dlfo_link_map, found.dlfo_map_start};
#else
    Dl_info info;
    struct link_map *map = NULL;
    if (dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP))
        return (struct object){map, info.dli_fbase};
#endif
    return (struct object){NULL, NULL};
}

const struct link_map *object_of(const void *address) {
    return object_at(address).map;
}

/* The objects up to the dynamic loader came with the program and stay. Objects after it may have been opened
 * by dlopen. Only the first part of the list is walked, because it never changes. */
static bool object_is_permanent(const struct link_map *object) {
    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
        if (map == object)
            return true;
        if (map->l_addr == _r_debug.r_ldbase)
            return false;
    }
    return false;
}

struct module_address module_address(const void *address) {
    struct object object = object_at(address);
    if (!object.map)
        return address_in_no_module(address);
    const char *name = object.map->l_name && *object.map->l_name ? object.map->l_name : program_path();
    struct module_place found = {object.start, object_is_permanent(object.map)};
    return (struct module_address){module_named(name, &found), (uintptr_t)address - object.map->l_addr};
}

#endif

const struct module *module_of(const void *address) {
    return module_address(address).module;
}

/* ---- Finds the note with the build id (elf(5)) in a mapped module. */

void build_id_read(char text[BUILD_ID_SIZE], const void *start) {
    const ElfW(Ehdr) *header = start;
    text[0] = '\0';
    const ElfW(Phdr) *segments = header ? elf_segments(header) : NULL;
    uintptr_t base = segments ? elf_base(header) : 0;
    for (unsigned i = 0; segments && i < header->e_phnum; i++)
        if (segments[i].p_type == PT_NOTE &&
            elf_notes_find((const char *)(base + segments[i].p_vaddr), segments[i].p_filesz,
                           segments[i].p_align, build_id_take, text))
            return;
}

/* ---- Modules that were compiled with the plugin. */

static bool has_instrumented;

void instrumented_add(const struct module *module) {
    if (!module || __atomic_load_n(&module->is_instrumented, __ATOMIC_RELAXED))
        return;
    __atomic_store_n(&((struct module *)module)->is_instrumented, true, __ATOMIC_RELAXED);
    if (!__atomic_exchange_n(&has_instrumented, true, __ATOMIC_SEQ_CST))
        records_set_outside();
}

bool module_is_outside(const struct module *module) {
    bool is_loader = module->start && module->start == (const void *)getauxval(AT_BASE);
    return module->known && !module->is_program && !is_loader &&
           __atomic_load_n(&has_instrumented, __ATOMIC_SEQ_CST) &&
           !__atomic_load_n(&module->is_instrumented, __ATOMIC_RELAXED);
}

#ifndef ALLOCSITE_STATIC

static bool is_to_runtime(const struct image *image, const ElfW(Rela) * relocation) {
    const ElfW(Sym) *symbol = &image->symbols[ELF64_R_SYM(relocation->r_info)];
    return symbol->st_shndx == SHN_UNDEF && strncmp(image->strings + symbol->st_name, ALLOCSITE_ENTRY_PREFIX,
                                                    strlen(ALLOCSITE_ENTRY_PREFIX)) == 0;
}

/* Such a module calls entries of the runtime. */
static bool is_instrumented(const struct image *image) {
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < image->relocations[i].count; k++)
            if (ELF64_R_SYM(image->relocations[i].at[k].r_info) &&
                is_to_runtime(image, &image->relocations[i].at[k]))
                return true;
    return false;
}

static int instrumented_visit(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    const unsigned long long *loads_noted = context;
    struct image image;
    if (object->dlpi_adds == *loads_noted)
        return 1;
    if (image_read(&image, object) && is_instrumented(&image))
        instrumented_add(module_of(image.symbols));
    return 0;
}

static int count_loads(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    *(unsigned long long *)context = object->dlpi_adds;
    return 1;
}

/* Counts loads before the search: a module loaded in between is checked twice rather than never. */
bool instrumented_note(void) {
    static unsigned long long loads_noted;
    unsigned long long loads = 0, noted = __atomic_load_n(&loads_noted, __ATOMIC_RELAXED);
    dl_iterate_phdr(count_loads, &loads);
    dl_iterate_phdr(instrumented_visit, &noted);
    __atomic_store_n(&loads_noted, loads, __ATOMIC_RELAXED);
    return loads != noted;
}

/* The runtime refers to one of its entries, too. */
static int find_instrumented(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size, (void)unused;
    struct image image;
    return !elf_is_of_runtime(object->dlpi_phdr) && image_read(&image, object) && is_instrumented(&image);
}

bool instrumented_exist(void) {
    return dl_iterate_phdr(find_instrumented, NULL);
}

#endif
