/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory that never fails, and extents of sparse files. */
#include "dump/base/memory.h"

#include "base/arrays.h"
#include "dump/base/terminal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void (*memory_exit)(int status) = exit;

void *memory_need(void *block) {
    if (!block)
        memory_exit(complain_file(NULL, "out of memory"));
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

void memory_grow(void *array_pointer, size_t count, size_t *capacity, size_t element) {
    if (!array_grow(array_pointer, count, capacity, element))
        memory_need(NULL);
}

/* ---- The parts of a file that are not holes. */

static void add_extent(struct extents *extents, uint64_t begin, uint64_t end) {
    memory_grow(&extents->list, extents->count, &extents->capacity, sizeof *extents->list);
    extents->list[extents->count++] = (struct extent){begin, end};
    extents->size += end - begin;
}

struct extents extents_of_all(uint64_t size) {
    struct extents extents = {.count = 0};
    add_extent(&extents, 0, size);
    return extents;
}

static bool is_sparse(int fd, uint64_t size) {
    struct stat status;
    return size > OUTSIDE_ALWAYS && fstat(fd, &status) == 0 && size / 2 > (uint64_t)status.st_blocks * 512;
}

/* An error ends the list: the file may have been truncated. */
struct extents extents_of_file(int fd, uint64_t size) {
    struct extents extents = {.count = 0};
    if (!is_sparse(fd, size))
        return extents_of_all(size);
    for (off_t begin = 0, end = 0; (begin = lseek(fd, end, SEEK_DATA)) >= 0 && (uint64_t)begin < size;) {
        end = lseek(fd, begin, SEEK_HOLE);
        if (end <= begin)
            break;
        add_extent(&extents, (uint64_t)begin, (uint64_t)end < size ? (uint64_t)end : size);
    }
    return extents;
}

void extents_free(struct extents *extents) {
    free(extents->list);
}

bool extents_equal(const struct extents *a, const struct extents *b) {
    return a->count == b->count && (!a->count || memcmp(a->list, b->list, a->count * sizeof *a->list) == 0);
}

bool extents_next(const struct extents *extents, struct extent *part, uint64_t limit) {
    size_t found = sorted_up_to(extents->list, extents->count, sizeof *extents->list,
                                offsetof(struct extent, end), part->end);
    if (found == extents->count || extents->list[found].begin >= limit)
        return false;
    const struct extent *extent = &extents->list[found];
    part->begin = extent->begin > part->end ? extent->begin : part->end;
    part->end = extent->end < limit ? extent->end : limit;
    return part->begin < part->end;
}
