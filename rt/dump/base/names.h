/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of functions reduced to what every demangler prints alike.
 *
 * The table's names come from LLVM's demangler, those of the debug information go through libiberty's. The
 * two differ in template arguments, parameters, return types and lambdas, so what is compared is the
 * qualified name without them: "std::vector::push_back", "ns::make::{lambda}::operator()". */
#ifndef ALLOCSITE_DUMP_BASE_NAMES_H
#define ALLOCSITE_DUMP_BASE_NAMES_H

/* Writes the qualified name of a demangled or plain function name to base, which has room for as many bytes
 * as function, with its NUL, has. */
void function_base(const char *function, char *base);

/* The part of a qualified name behind the last "::". */
const char *function_last(const char *base);

/* ---- Names of C++ functions as they are in the source. */

/* NULL: not mangled, newer than libiberty, or too long for anybody to read. The result is the caller's to
 * free. */
char *demangle(const char *name);

#endif
