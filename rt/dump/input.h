/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files of the command line, and the modules in them. */
#ifndef ALLOCSITE_INPUT_H
#define ALLOCSITE_INPUT_H

#include "reason.h"

#include <stddef.h>

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

#endif
