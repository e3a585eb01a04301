/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A profile that is put together in memory. */
#include "dump/profile/image.h"

#include "base/chunks.h"
#include "dump/base/memory.h"
#include "dump/profile/areas.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Not by malloc: what a process says that it has is no memory here until it has been read. */
static void *map(void *bytes, size_t size, size_t larger) {
    if (size)
        return mremap(bytes, size, larger, MREMAP_MAYMOVE);
    return mmap(NULL, larger, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/* size: more, at the end, zeros up to the next page. Returns where they begin. */
static uint64_t extend(struct profile_image *image, size_t size) {
    uint64_t offset = image->size;
    image->size += (size + PROFILE_PAGE - 1) / PROFILE_PAGE * PROFILE_PAGE;
    if (image->size <= image->room)
        return offset;
    size_t room = image->size > 2 * image->room ? image->size : 2 * image->room;
    void *larger = map(image->bytes, image->room, room);
    image->bytes = memory_need(larger == MAP_FAILED ? NULL : larger);
    image->room = room;
    return offset;
}

void profile_image_open(struct profile_image *image) {
    *image = (struct profile_image){.size = 0};
    extend(image, 2 * PROFILE_PAGE);
}

void profile_image_free(struct profile_image *image) {
    if (image->room)
        munmap(image->bytes, image->room);
    free(image->areas);
}

uint64_t profile_image_add(struct profile_image *image, const struct profile_area *area, const void *bytes) {
    memory_grow(&image->areas, image->count, &image->area_room, sizeof *image->areas);
    struct profile_area *kept = &image->areas[image->count++];
    *kept = *area;
    kept->offset = extend(image, area->size);
    kept->size = image->size - kept->offset;
    if (bytes)
        memcpy(image->bytes + kept->offset, bytes, area->size);
    return kept->offset;
}

void profile_image_add_array(struct profile_image *image, enum profile_kind kind, const void *bytes,
                             size_t count) {
    size_t element = profile_element_size(kind), whole = profile_first_chunk(kind);
    for (uint32_t chunk = 0; count; chunk++, whole *= 2) {
        size_t part = count < whole ? count : whole;
        profile_image_add(image, &(struct profile_area){.kind = kind, .index = chunk, .size = part * element},
                          bytes);
        bytes = (const char *)bytes + part * element;
        count -= part;
    }
}

static struct profile_directory *directory_of(struct profile_image *image) {
    return (struct profile_directory *)(void *)(image->bytes + PROFILE_PAGE);
}

/* Chunks of the directory are areas, too; chunk 0 is within its first page. */
void profile_image_end(struct profile_image *image) {
    const uint64_t first = PROFILE_DIRECTORY_FIRST;
    for (unsigned chunk = 1; image->count > chunk_start(first, chunk); chunk++) {
        size_t size = chunk_size(first, chunk) * sizeof *image->areas;
        uint64_t offset = profile_image_add(
            image, &(struct profile_area){.kind = PROFILE_DIRECTORY, .index = chunk, .size = size}, NULL);
        directory_of(image)->chunks[chunk] = offset;
    }
    struct profile_directory *directory = directory_of(image);
    directory->areas = (uint32_t)image->count;
    for (size_t i = 0; i < image->count; i++) {
        struct chunk_place at = chunk_place(first, i);
        void *chunk = at.chunk ? image->bytes + directory->chunks[at.chunk] : (void *)directory->area;
        ((struct profile_area *)chunk)[at.offset] = image->areas[i];
    }
}
