/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of functions and files for people: one line, of bearable length. */
#ifndef ALLOCSITE_NAMES_NAMES_H
#define ALLOCSITE_NAMES_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes that a shortened name has at most, its NUL included. */
#define NAME_SIZE 512

/* A function's qualified name, of a symbol or demangled, as its programmer would write it: without return
 * type, parameters, inline namespaces of libraries and default template arguments of the standard library.
 * What is wider than so many columns loses template arguments (<...>), then outer scopes (...::); the
 * function's own name stays whole. NULL is "?". Other names than those of C++ stay as they are. */
void name_function(char text[NAME_SIZE], const char *function, size_t columns);

/* The same of a type, which keeps its scopes. Of more than three types (A or B or C) the first three. */
void name_type(char text[NAME_SIZE], const char *type, size_t columns);

/* ---- Symbols of C++ (the Itanium ABI), for a process that has no demangler: only the names, for that is
 * what is shown of a function. */

/* Writes the qualified name, "<...>" for template arguments, cut to size. False: it is none, or of a kind
 * that is not known here. */
bool mangled_name(char *text, size_t size, const char *symbol);

#endif
