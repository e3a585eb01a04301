/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ld --wrap of an allocator's function, which must reach the calls that the plugin leads to the runtime. */
#ifndef ALLOCSITE_DRIVER_WRAPS_H
#define ALLOCSITE_DRIVER_WRAPS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether clang's arguments, up to a NULL, say --wrap=NAME to the linker. */
bool wraps_tell(char *const *arguments, const char *name);

/* Functions whose entry in the runtime takes what they do and the site behind that. Up to a NULL. */
extern const char *const wraps_known[];

#endif
