/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The run that the commands sites and wrappers share: they print the tables of modules. */
#ifndef ALLOCSITE_DUMP_TABLE_RUN_H
#define ALLOCSITE_DUMP_TABLE_RUN_H

#include "base/out.h"
#include "dump/elf/elf_file.h"
#include "dump/table/listing.h"
#include "dump/table/table.h"

struct table_run {
    /* Writes one table to out; may set status. */
    void (*show)(struct table_run *, const char *module, const struct elf_file *, const struct table *);
    struct out out;
    bool is_json;
    struct listing listing;
    bool is_verifying;  /* the sites are checked in place of being shown */
    bool has_heading;   /* text tells of which module the table is */
    size_t table_count; /* in the present file */
    int status;
};

/* The parts that a command has of its own. */
struct table_command {
    const char *name;
    int (*help)(void);
    bool is_of_sites; /* and has the options that are about them */
};

/* Reads the command's options and shows the tables of all the files on standard output. Returns an exit
 * status. */
int table_run(struct table_run *, const struct table_command *, int count, char **arguments);

#endif
