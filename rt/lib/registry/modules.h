/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The modules of the process, by address. */
#ifndef ALLOCSITE_LIB_REGISTRY_MODULES_H
#define ALLOCSITE_LIB_REGISTRY_MODULES_H

#include "base/elf_note.h"

#include <stdbool.h>
#include <stdint.h>

struct module {
    struct module *next;
    uint32_t slot;        /* for unsited allocations whose callers have no slot */
    bool permanent;       /* never unloaded, so records may point into it */
    bool known;           /* false: represents all code that is in no module */
    bool is_program;      /* the executable */
    bool is_instrumented; /* has code that was compiled with the plugin; may be set at any time */
    const void *start;    /* its ELF header, when it was found; NULL: none */
    const char *name;     /* from the dynamic loader */
    const char *path;
    char build_id[BUILD_ID_SIZE]; /* GNU build id in hexadecimal digits; "": none */
};

/* Returns the id of its row: a hash of its path. */
uint64_t module_id(const struct module *);

/* Returns the module that holds address; NULL only if memory is out. */
const struct module *module_of(const void *address);

/* An address of code relative to its module's file. */
struct module_address {
    const struct module *module; /* NULL: memory is out */
    uint64_t address;            /* in no module: the address itself */
};
struct module_address module_address(const void *);

/* Returns the dynamic loader's structure for the module that holds address; NULL if none. */
struct link_map;
const struct link_map *object_of(const void *address);

/* Returns the path of the executable. */
const char *program_path(void);

/* ---- Modules that were compiled with the plugin. A profile lists them even if they never allocate, so that
 * reports can show sites that never ran.
 *
 * Modules that the program is linked with are found when it starts. A module opened by dlopen is found when
 * one of its sites runs, when it may be unloaded, or when the process ends. The runtime does not interpose
 * dlopen, because it would become the caller whose search path the loader uses. */

/* Notes that the module is instrumented. After the first call, allocations by callers in other libraries are
 * attributed to the program's line (paths/outside.h). */
void instrumented_add(const struct module *);

/* Returns whether callers in the module are outside instrumented code. The executable is not, because users
 * ask for its code. The dynamic loader is not either: readers use its address to recognize the memory of
 * threads and objects, to which it keeps pointers where no search for leaked blocks looks. */
bool module_is_outside(const struct module *);

#ifdef ALLOCSITE_STATIC

/* The only such module is the program, which every profile names. */
static inline bool instrumented_note(void) {
    return false;
}

#else

/* Finds these modules. Returns whether any module was loaded since the last call; if none was, it is cheap.
 * Takes the dynamic loader's lock. */
bool instrumented_note(void);

/* Returns whether there is any, without noting it. */
bool instrumented_exist(void);

#endif

/* ---- Unloading of modules. An address may belong to other code afterwards.
 *
 * Caches by address are emptied before a module goes, and nothing is cached until it has gone. So a cache
 * only has addresses of code that is still loaded. */

struct unloads {
    uint32_t begun, ended;
} __attribute__((aligned(8)));

extern struct unloads unloads __attribute__((visibility("hidden")));

/* Called before an address is looked up. */
static inline uint32_t unloads_begun(void) {
    return __atomic_load_n(&unloads.begun, __ATOMIC_SEQ_CST);
}

/* Returns a number that changes whenever a module is unloaded. */
static inline uint64_t unloads_both(void) {
    uint64_t both;
    _Static_assert(sizeof both == sizeof unloads, "");
    __builtin_memcpy(&both, &unloads, sizeof both);
    return both;
}

/* Returns whether a result found since then may be cached. Called again after the result was cached, because
 * another thread may unload a module in between. */
static inline bool unloads_none_since(uint32_t begun) {
    return __atomic_load_n(&unloads.ended, __ATOMIC_SEQ_CST) == begun && unloads_begun() == begun;
}

/* unload_begin is called before a module goes, unload_end after it. */
void unload_begin(void);
void unload_end(void);

#endif
