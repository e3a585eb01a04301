/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files of the command line, and the modules in them. */
#ifndef ALLOCSITE_DUMP_ELF_INPUT_H
#define ALLOCSITE_DUMP_ELF_INPUT_H

#include "dump/base/terminal.h"

#include <stddef.h>
#include <stdint.h>

struct module_bytes {
    const char *name; /* the path; of an archive's member: "lib.a(member.o)" */
    const unsigned char *bytes;
    size_t size;
    bool is_member;
};

/* Called once for each module; everything in it is borrowed. */
typedef void input_function(const struct module_bytes *, void *context);

/* Calls function for the file, or for each member if it is an archive. False: the file, or what follows in
 * the archive, cannot be read; *why says why. */
bool input_each(const char *path, input_function *function, void *context, struct reason *why);

/* The same for a file that is in memory already. */
bool input_each_in(const struct module_bytes *file, input_function *function, void *context,
                   struct reason *why);

/* ---- Members of ar archives, plain and thin, in memory. The bytes are hostile. */

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
        *name; /* not terminated; of a thin archive: the path of the file from the archive's directory */
    size_t name_size;
    const unsigned char *bytes; /* NULL: the member stands in a file of its own (thin archive) */
    size_t size;
};

/* False: not an archive. The bytes are borrowed. */
bool archive_open(struct archive *, const unsigned char *bytes, size_t size);

enum archive_step { ARCHIVE_MEMBER, ARCHIVE_END, ARCHIVE_DAMAGED };

/* Symbol tables are passed over. */
enum archive_step archive_next(struct archive *, struct archive_member *, struct reason *why);

#endif
