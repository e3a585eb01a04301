/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of the C library, and of its mathematics, that neither allocate nor call back. No LLVM here. */
#ifndef ALLOCSITE_BASE_LEAVES_H
#define ALLOCSITE_BASE_LEAVES_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* symbol need not be terminated. */
bool leaf_has(const char *symbol, size_t length);

#ifdef __cplusplus
}
#endif

#endif
