/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of C++ functions as they are in the source. */
#ifndef ALLOCSITE_DEMANGLE_H
#define ALLOCSITE_DEMANGLE_H

/* NULL: not mangled, or newer than libiberty. The result is the caller's to free. */
char *demangle(const char *name);

#endif
