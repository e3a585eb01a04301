/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Members of ar archives, plain and thin, in memory. The bytes are hostile. */
#ifndef ALLOCSITE_ARCHIVE_H
#define ALLOCSITE_ARCHIVE_H

#include "reason.h"

#include <stddef.h>
#include <stdint.h>

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
