/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of functions reduced to what every demangler prints alike.
 *
 * The table's names come from LLVM's demangler, those of the debug information go through libiberty's. The
 * two differ in template arguments, parameters, return types and lambdas, so what is compared is the
 * qualified name without them: "std::vector::push_back", "ns::make::{lambda}::operator()". */
#ifndef ALLOCSITE_DUMP_BASE_NAMES_H
#define ALLOCSITE_DUMP_BASE_NAMES_H

#include "model/report.h"

/* Writes the qualified name of a demangled or plain function name to base, which has room for as many bytes
 * as function, with its NUL, has. */
void function_base(const char *function, char *base);

/* The same as a text to be freed; NULL for NULL. */
char *function_base_copy(const char *function);

/* ---- Names of C++ and Rust functions as they are in the source. */

/* Whether it is a symbol of C++ (_Z) or Rust (_R, older ones _Z), which demangle may know. */
static inline bool is_mangled(const char *name) {
    return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

/* NULL: not mangled, newer than libiberty, or too long for anybody to read. The result is the caller's to
 * free. */
char *demangle(const char *name);

/* ---- The modules of a report, in order: by path, then by build id. */

/* Rows have other names in the place of a module's path, too: those below. */
static inline bool module_is_file(const char *path) {
    return path && path[0] != '[';
}

void modules_sort(struct report_module *, size_t count);

/* Code that no file has: a just-in-time compiler wrote it. Addresses are those of the process. */
#define MODULE_NONE "[no module]"

/* ---- Rows that stand for sites of which nothing is known but their counters: unsited rows of a module that
 * has no path. */

/* Their names did not get into the profile. */
#define ROW_UNNAMED    "[unnamed]"
#define ROW_UNNAMED_ID 1

#endif
