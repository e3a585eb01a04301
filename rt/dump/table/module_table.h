/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The site table of an ELF file: finds its sections, relocates them in a relocatable object, decodes them. */
#ifndef ALLOCSITE_DUMP_TABLE_MODULE_TABLE_H
#define ALLOCSITE_DUMP_TABLE_MODULE_TABLE_H

#include "dump/elf/elf_file.h"
#include "dump/table/table.h"

struct module_table {
    struct table table;
    struct table_region *regions; /* of all kinds */
    unsigned char **copies;       /* of each section of a relocatable object; NULL: not copied */
    size_t count;                 /* of copies */
};

/* Strings of the table point into the file's bytes, which must outlive it. On failure *why says what is
 * wrong. */
bool module_table_read(struct module_table *, const struct elf_file *, struct reason *why);
void module_table_free(struct module_table *);

/* Whether the file has a section for sites at all, whatever is in it. */
bool module_has_table(const struct elf_file *);

#endif
