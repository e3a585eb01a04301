/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory that is there. */
#include "dump/base/memory.h"

#include "base/grow.h"
#include "dump/base/complain.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void (*memory_exit)(int status) = exit;

void *memory_need(void *block) {
    if (!block)
        memory_exit(complain(NULL, "out of memory"));
    return block;
}

void *memory_zeros(size_t count, size_t element) {
    return memory_need(calloc(count + 1, element));
}

void *memory_copy(const void *bytes, size_t size) {
    return size ? memcpy(memory_need(malloc(size)), bytes, size) : NULL;
}

char *memory_text(const char *format, ...) {
    va_list arguments;
    char *text;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return memory_need(length < 0 ? NULL : text);
}

void memory_grow(void *array_pointer, size_t count, size_t *room, size_t element) {
    if (!grow(array_pointer, count, room, element))
        memory_need(NULL);
}
