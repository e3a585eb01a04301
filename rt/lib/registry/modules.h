/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The modules of the process by address. */
#ifndef ALLOCSITE_LIB_REGISTRY_MODULES_H
#define ALLOCSITE_LIB_REGISTRY_MODULES_H

#include "base/elf_note.h"

#include <stdbool.h>
#include <stdint.h>

struct module {
    struct module *next;
    uint32_t slot;        /* of its unsited allocations whose callers have none of their own */
    bool permanent;       /* is never unloaded, so records may point into it */
    bool known;           /* false: stands for all code that is in no module */
    bool is_program;      /* the executable */
    bool is_instrumented; /* some of its code is known to be compiled with the plugin; set at any time */
    const void *start;    /* of its ELF header, when it was found; NULL: of none */
    const char *name;     /* as the dynamic loader has it */
    const char *path;
    char build_id[BUILD_ID_SIZE]; /* GNU build id in hexadecimal digits; "": it has none */
};

/* A number for its row: of its path. */
uint64_t module_id(const struct module *);

/* The module that holds address, never NULL but when memory is out. */
const struct module *module_of(const void *address);

/* An address of code as its module's file has it. */
struct module_address {
    const struct module *module; /* NULL: memory is out */
    uint64_t address;            /* of code in no module: the address itself */
};
struct module_address module_address(const void *);

/* The dynamic loader's structure of the module that holds address; NULL: none. */
struct link_map;
const struct link_map *object_of(const void *address);

/* Path of the executable. */
const char *program_path(void);

/* ---- The modules that were compiled with the plugin. They are in a profile whether they allocate or not,
 * for whoever asks which sites never ran.
 *
 * Modules that a program is linked with are noted when it starts, one that dlopen brought when one of its
 * sites runs, when it may go again, or when the process ends: there is no sign of a dlopen that a runtime
 * could wait for, short of standing in its way, where it would be taken for the caller that libraries are
 * searched for. */

/* Notes that a module is one of them. From the first one on, the callers in libraries that are none are
 * looked at for each allocation (paths/outside.h). */
void instrumented_add(const struct module *);

/* Whether callers in the module are outside instrumented code. The executable is not: its own code is what a
 * user asks for. Nor is the dynamic loader, by whose address readers know the memory of threads and objects,
 * which it keeps where no search for lost blocks looks. */
bool module_is_outside(const struct module *);

#ifdef ALLOCSITE_STATIC

/* The only one is the program, which every profile names. */
static inline void instrumented_note(void) {}

#else

/* Takes the dynamic loader's lock. Costs little if nothing was loaded since the last time. */
void instrumented_note(void);

#endif

/* ---- Unloading modules, after which an address may be that of other code.
 *
 * Knowledge of code by its address is forgotten before a module goes, and nothing more is kept until it has
 * gone: what is kept only afterwards is of code that is there, whoever is loaded in its place meanwhile. */

struct unloads {
    uint32_t begun, ended;
} __attribute__((aligned(8)));

extern struct unloads unloads __attribute__((visibility("hidden")));

/* To be asked before an address is looked at. */
static inline uint32_t unloads_begun(void) {
    return __atomic_load_n(&unloads.begun, __ATOMIC_SEQ_CST);
}

/* A number that no two moments have in common between which a module was unloaded. */
static inline uint64_t unloads_both(void) {
    uint64_t both;
    _Static_assert(sizeof both == sizeof unloads, "");
    __builtin_memcpy(&both, &unloads, sizeof both);
    return both;
}

/* Whether what was found since then may be kept. Who keeps it where others find it asks once more then. */
static inline bool unloads_none_since(uint32_t begun) {
    return __atomic_load_n(&unloads.ended, __ATOMIC_SEQ_CST) == begun && unloads_begun() == begun;
}

/* A module is about to go; one has gone. */
void unload_begin(void);
void unload_end(void);

#endif
