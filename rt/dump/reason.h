/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Why something could not be read: one line for the user, without the name of the file. */
#ifndef ALLOCSITE_REASON_H
#define ALLOCSITE_REASON_H

#include <stdbool.h>

struct reason {
    char text[256];
};

/* Always false, so that a check that fails can return it. */
__attribute__((format(printf, 2, 3))) bool reason_set(struct reason *, const char *format, ...);

#endif
