/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The C++ standard library: code in headers that no person would name as the line that allocates. */
#ifndef ALLOCSITE_BASE_LIBRARY_H
#define ALLOCSITE_BASE_LIBRARY_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a function belongs to it, by the mangled name. */
bool library_has(const char *symbol);

#ifdef __cplusplus
}
#endif

#endif
