/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens files of the command line and the modules in them. */
#ifndef ALLOCSITE_DUMP_ELF_INPUT_H
#define ALLOCSITE_DUMP_ELF_INPUT_H

#include "dump/base/terminal.h"

#include <stddef.h>
#include <stdint.h>

struct module_bytes {
    const char *name; /* the path; for an archive's member "lib.a(member.o)" */
    const unsigned char *bytes;
    size_t size;
    bool is_member;
};

/* Called once for each module. Everything in it is borrowed. */
typedef void input_function(const struct module_bytes *, void *context);

/* Calls the function for the file, or for each member if it is an archive. False: the file or the rest of the
 * archive cannot be read; *why has the reason. */
bool input_each(const char *path, input_function *function, void *context, struct reason *why);

/* The same for a file in memory. */
bool input_each_in(const struct module_bytes *file, input_function *function, void *context,
                   struct reason *why);

/* ---- Members of ar archives, regular and thin, in memory. The bytes are hostile. */

struct archive {
    const unsigned char *bytes;
    size_t size;
    size_t next; /* offset of the next header */
    const char *long_names;
    size_t long_names_size;
    bool is_thin;
};

struct archive_member {
    const char
        *name; /* not terminated; for a thin archive the file's path relative to the archive's folder */
    size_t name_size;
    const unsigned char *bytes; /* NULL: the member is a separate file (thin archive) */
    size_t size;
};

/* False: not an archive. The bytes are borrowed. */
bool archive_open(struct archive *, const unsigned char *bytes, size_t size);

enum archive_step { ARCHIVE_MEMBER, ARCHIVE_END, ARCHIVE_DAMAGED };

/* Skips symbol tables. */
enum archive_step archive_next(struct archive *, struct archive_member *, struct reason *why);

#endif
