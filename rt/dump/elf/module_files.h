/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The files of a module that a profile names: the module itself, its separate debug file, and the compressed
 * symbol table in the module (MiniDebugInfo).
 *
 * Separate debug files are searched where debuggers do: by build id as DIRECTORY/.build-id/xx/yyyy.debug,
 * then by the name in .gnu_debuglink in the module's folder, in .debug there, and in DIRECTORY/FOLDER OF THE
 * MODULE, and last on the servers in DEBUGINFOD_URLS, if that is set. */
#ifndef ALLOCSITE_DUMP_ELF_MODULE_FILES_H
#define ALLOCSITE_DUMP_ELF_MODULE_FILES_H

#include "dump/base/files.h"
#include "dump/elf/elf_file.h"

#define MODULE_FILE_DIRECTORY "/usr/lib/debug"

/* All zero: this system's files. */
struct module_search {
    const char *debug_directory; /* NULL: MODULE_FILE_DIRECTORY below the system root */
    bool stays_local;            /* do not use servers */
    const char *sysroot; /* folder with a copy of the system on which the program ran; NULL: this system */
};

struct module_file {
    struct file_map map;
    struct elf_file elf;
    bool is_open;
};

/* False: missing, or not an ELF file; *why has the reason. */
bool module_file_open(struct module_file *, const char *path, struct reason *why);

/* False: the file was truncated while it was open; *why says so. Does nothing if the file is not open. */
bool module_file_close(struct module_file *, struct reason *why);

struct module_files {
    char *path;                /* path of the module below the system root */
    struct module_file module; /* not open: missing, or not the module of the profile */
    struct module_file debug;  /* not open: none, or the module contains its debug information */
    struct elf_file mini;      /* symbols from .gnu_debugdata; if has_mini */
    bool has_mini;
    unsigned char *unpacked; /* contains `mini` */
    struct reason why;       /* why module is not open */
};

/* True if a file has symbols of functions that are not exported. */
bool module_files_have_symbols(const struct module_files *);

/* build_id: NULL if unknown. */
void module_files_open(struct module_files *, const char *path, const char *build_id,
                       const struct module_search *);

/* False: a file was truncated while it was open; *why says so. */
bool module_files_close(struct module_files *, struct reason *why);

/* The file that has a section with this name; NULL: none. */
const struct elf_file *module_files_with(const struct module_files *, const char *section);

#endif
