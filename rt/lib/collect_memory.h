/* The memory that a report is made of.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_COLLECT_MEMORY_H
#define ALLOCSITE_COLLECT_MEMORY_H

#include <stddef.h>

/* Zeroed memory until collect_done; NULL: there is none. One report at a time. */
void *collect_take(size_t size);

#endif
