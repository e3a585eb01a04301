/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of functions in a form that all demanglers share.
 *
 * The names in site tables come from LLVM's demangler, those in debug information from libiberty's. They
 * differ in template arguments, parameters, return types and lambdas, so the qualified name without these is
 * compared: "std::vector::push_back", "ns::make::{lambda}::operator()". */
#ifndef ALLOCSITE_DUMP_BASE_NAMES_H
#define ALLOCSITE_DUMP_BASE_NAMES_H

#include "model/report.h"

/* Writes the qualified name of a demangled or plain function name to base, which needs as many bytes as
 * function including its NUL. */
void function_base(const char *function, char *base);

/* The same as a string that the caller frees; NULL for NULL. */
char *function_base_copy(const char *function);

/* ---- Names of C++ and Rust functions as in the source. */

/* True for symbols of C++ (_Z) or Rust (_R, older ones _Z), which name_demangle may know. */
static inline bool is_mangled(const char *name) {
    return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

/* NULL: not mangled, unknown to libiberty, or too long to be readable. The caller frees the result. */
char *name_demangle(const char *name);

/* The name without the version that symbol tables append to it (fclose@@GLIBC_2.2.5). The caller frees it. */
char *name_unversioned(const char *symbol);

/* ---- The modules of a report, ordered by path and then by build id. */

/* Some rows have a pseudo name, as below, instead of a module's path. */
static inline bool module_is_file(const char *path) {
    return path && path[0] != '[';
}

void modules_sort(struct report_module *, size_t count);

/* Code without a file, written by a just-in-time compiler. Addresses are those of the process. */
#define MODULE_NONE "[no module]"

/* ---- Rows for sites without known properties. They are unsited rows of a module without path. */

/* Their names are missing from the profile. */
#define ROW_UNNAMED    "[unnamed]"
#define ROW_UNNAMED_ID 1

#endif
