/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files of a module that a profile names: the module itself, the file that its debug information was
 * separated into, and the symbol table that is packed into the module (MiniDebugInfo).
 *
 * Separate debug information is looked for where debuggers do: by build id as
 * DIRECTORY/.build-id/xx/yyyy.debug, by the name in .gnu_debuglink beside the module, in .debug there, and in
 * DIRECTORY/FOLDER OF THE MODULE; last from the servers in DEBUGINFOD_URLS, if that is set. */
#ifndef ALLOCSITE_DUMP_ELF_MODULE_FILES_H
#define ALLOCSITE_DUMP_ELF_MODULE_FILES_H

#include "dump/base/files.h"
#include "dump/elf/elf_file.h"

#define MODULE_FILE_DIRECTORY "/usr/lib/debug"

/* All zero: where this system has its files. */
struct module_search {
    const char *debug_directory; /* NULL: MODULE_FILE_DIRECTORY below the sysroot */
    bool stays_local;            /* servers are not asked */
    const char *sysroot; /* a folder with a copy of the system that the program ran on; NULL: this one */
};

struct module_file {
    struct file_map map;
    struct elf_file elf;
    bool is_open;
};

/* False: it is not there, or is no ELF file; *why says which. */
bool module_file_open(struct module_file *, const char *path, struct reason *why);

/* False: it was cut while it was open; *why says so. Does nothing if it is not open. */
bool module_file_close(struct module_file *, struct reason *why);

struct module_files {
    char *path;                /* where the module is looked for, below the sysroot */
    struct module_file module; /* not open: it is not there, or is not the one that the profile is of */
    struct module_file debug;  /* not open: there is none, or the module has its debug information itself */
    struct elf_file mini;      /* symbols from .gnu_debugdata; if has_mini */
    bool has_mini;
    unsigned char *unpacked; /* that they are in */
    struct reason why;       /* module is not open */
};

/* build_id: NULL if it is not known. */
void module_files_open(struct module_files *, const char *path, const char *build_id,
                       const struct module_search *);

/* False: one of them was cut while it was open; *why says so. */
bool module_files_close(struct module_files *, struct reason *why);

/* The file that has a section of this name; NULL: none. */
const struct elf_file *module_files_with(const struct module_files *, const char *section);

#endif
