/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Symbols of C++ (the Itanium ABI), for a process that has no demangler: only the names, for that is what is
 * shown of a function. */
#ifndef ALLOCSITE_NAMES_MANGLED_H
#define ALLOCSITE_NAMES_MANGLED_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the qualified name, "<...>" for template arguments, cut to size. False: it is none, or of a kind
 * that is not known here. */
bool mangled_name(char *text, size_t size, const char *symbol);

#endif
