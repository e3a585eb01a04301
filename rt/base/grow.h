/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arrays that grow. */
#ifndef ALLOCSITE_BASE_GROW_H
#define ALLOCSITE_BASE_GROW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Makes room for one more element behind count; *room is that of the array, at first 0 with NULL. New
 * elements are not initialized. False: out of memory, and the array is as it was. */
static inline bool grow(void *array_pointer, size_t count, size_t *room, size_t element) {
    void **array = array_pointer;
    if (count < *room)
        return true;
    size_t larger = *room ? *room * 2 : 16;
    void *moved = larger <= SIZE_MAX / 2 / element ? realloc(*array, larger * element) : NULL;
    if (!moved)
        return false;
    *array = moved;
    *room = larger;
    return true;
}

#endif
