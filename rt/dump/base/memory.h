/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory that is there. Who has none left says so in one line and ends with STATUS_FAILED: no command could
 * do anything better. How much a file or a process can make of it is bounded where it is read (extents.h). */
#ifndef ALLOCSITE_DUMP_BASE_MEMORY_H
#define ALLOCSITE_DUMP_BASE_MEMORY_H

#include <stddef.h>

/* How it ends: exit, or in a child that is not to do what its parent does at its end, _exit. */
extern void (*memory_exit)(int status);

/* The block, which is NULL if there was no memory for it. */
void *memory_need(void *block);

/* One more than so many elements, all zero: an array that is empty is not NULL. */
void *memory_zeros(size_t count, size_t element);

/* A copy of so many bytes; NULL for none. */
void *memory_copy(const void *bytes, size_t size);

/* A text to be freed. */
__attribute__((format(printf, 1, 2))) char *memory_text(const char *format, ...);

/* Makes room for one more element behind count; *room is that of the array, at first 0 with NULL. New
 * elements are not initialized. */
void memory_grow(void *array_pointer, size_t count, size_t *room, size_t element);

#endif
