/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files of a module that a profile names: the module itself, and the file that its debug information was
 * separated into.
 *
 * That is looked for where debuggers do: by build id as DIRECTORY/.build-id/xx/yyyy.debug, by the name in
 * .gnu_debuglink beside the module, in .debug there, and in DIRECTORY/FOLDER OF THE MODULE. */
#ifndef ALLOCSITE_DUMP_ELF_MODULE_FILE_H
#define ALLOCSITE_DUMP_ELF_MODULE_FILE_H

#include "base/elf_note.h"
#include "dump/base/files.h"
#include "dump/elf/elf_file.h"

#define MODULE_FILE_DIRECTORY "/usr/lib/debug"

struct module_file {
    struct file_map map;
    struct elf_file elf;
    bool is_open;
};

struct module_files {
    struct module_file module; /* not open: it is not there, or is not the one that the profile is of */
    struct module_file debug;  /* not open: there is none, or the module has its debug information itself */
    struct reason why;         /* module is not open */
};

/* build_id: NULL if it is not known. directory: NULL is MODULE_FILE_DIRECTORY. */
void module_files_open(struct module_files *, const char *path, const char *build_id, const char *directory);

/* False: one of them was cut while it was open; *why says so. */
bool module_files_close(struct module_files *, struct reason *why);

/* The file that has a section of this name; NULL: none. */
const struct elf_file *module_files_with(const struct module_files *, const char *section);

/* ---- The build id of an ELF file: the same in the file, in its separate debug file and in the running
 * program. */

/* Writes the GNU build id in hexadecimal digits, "" if the file has none, or one that is longer. */
void elf_build_id(const struct elf_file *, char text[BUILD_ID_SIZE]);

#endif
