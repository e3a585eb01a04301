/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Split debug information (-gsplit-dwarf): the module has a skeleton of each unit, with its line table, and
 * the functions are in a .dwo file for each unit, or in a package of all, MODULE.dwp. */
#ifndef ALLOCSITE_DUMP_DEBUG_SPLIT_H
#define ALLOCSITE_DUMP_DEBUG_SPLIT_H

#include "dump/debug/handle.h"
#include "dump/elf/module_files.h"

/* A .dwo or .dwp file that is open. Stays where it is. */
struct split_file {
    struct module_file file;
    struct debug_handle handle;
    bool is_open;
};

struct split {
    const struct elf_file *elf;
    struct debug_handle
        skeletons; /* of its own: libdwarf goes through the units, and begins where others are */
    bool has_skeletons, lacks_skeletons;
    const char *module, *sysroot; /* paths; sysroot may be NULL */
    bool was_package_tried;
    struct split_file package, unit;
    Dwarf_Die die; /* NULL: none */
};

void split_open(struct split *, const struct elf_file *, const char *module, const char *sysroot);
void split_close(struct split *);

/* The whole unit of a skeleton, and in *debug what it is read with; valid until the next call. NULL: there is
 * no such file, or its unit is of another build. */
Dwarf_Die split_unit(struct split *, Dwarf_Die skeleton, uint64_t id, Dwarf_Debug *debug);

#endif
