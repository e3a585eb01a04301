/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Split debug information (-gsplit-dwarf). The module contains a skeleton of each unit with its line table.
 * The functions are in a .dwo file per unit, or in a package of all units, MODULE.dwp. */
#ifndef ALLOCSITE_DUMP_DEBUG_SPLIT_H
#define ALLOCSITE_DUMP_DEBUG_SPLIT_H

#include "dump/debug/handle.h"
#include "dump/elf/module_files.h"

/* An open .dwo or .dwp file. It must not move. */
struct split_file {
    struct module_file file;
    struct debug_handle handle;
    bool is_open;
};

struct split {
    const struct elf_file *elf;
    struct debug_handle
        skeletons; /* a separate handle, because libdwarf has one iterator over units per handle */
    bool has_skeletons, lacks_skeletons;
    const char *module, *sysroot; /* paths; sysroot may be NULL */
    bool was_package_tried;
    struct split_file package, unit;
    Dwarf_Die die; /* NULL: none */
};

void split_open(struct split *, const struct elf_file *, const char *module, const char *sysroot);
void split_close(struct split *);

/* The complete unit of a skeleton, and in *debug its handle; valid until the next call. NULL: there is no
 * such file, or its unit is from another build. */
Dwarf_Die split_unit(struct split *, Dwarf_Die skeleton, uint64_t id, Dwarf_Debug *debug);

#endif
