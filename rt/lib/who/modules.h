/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The modules of the process by address. */
#ifndef ALLOCSITE_LIB_WHO_MODULES_H
#define ALLOCSITE_LIB_WHO_MODULES_H

#include "base/elf_note.h"

#include <stdbool.h>
#include <stdint.h>

struct module {
    struct module *next;
    uint32_t slot;     /* of its unsited allocations whose callers have none of their own */
    bool permanent;    /* is never unloaded, so records may point into it */
    bool known;        /* false: stands for all code that is in no module */
    const void *start; /* of its ELF header, when it was found; NULL: of none */
    const char *name;  /* as the dynamic loader has it */
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

#endif
