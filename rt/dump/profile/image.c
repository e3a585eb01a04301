/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A profile that is put together in memory. */
#include "dump/profile/image.h"

#include "base/grow.h"
#include "dump/profile/areas.h"

#include <string.h>
#include <sys/mman.h>

/* Not by malloc: what a process says that it has is no memory here until it has been read. */
static void *map(void *bytes, size_t size, size_t larger) {
    if (size)
        return mremap(bytes, size, larger, MREMAP_MAYMOVE);
    return mmap(NULL, larger, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/* size: more, at the end, a multiple of pages; zeros. False: out of memory. */
static bool extend(struct profile_image *image, size_t size) {
    size_t needed = image->size + size;
    if (needed > image->room) {
        size_t room = needed > 2 * image->room ? needed : 2 * image->room;
        void *larger = map(image->bytes, image->room, room);
        if (larger == MAP_FAILED)
            return false;
        image->bytes = larger;
        image->room = room;
    }
    image->size = needed;
    return true;
}

bool profile_image_open(struct profile_image *image) {
    *image = (struct profile_image){.size = 0};
    return extend(image, 2 * PROFILE_PAGE);
}

void profile_image_free(struct profile_image *image) {
    if (image->room)
        munmap(image->bytes, image->room);
    free(image->areas);
}

bool profile_image_add(struct profile_image *image, const struct profile_area *area, uint64_t *offset) {
    struct profile_area kept = *area;
    kept.offset = *offset = image->size;
    kept.size = (kept.size + PROFILE_PAGE - 1) / PROFILE_PAGE * PROFILE_PAGE;
    if (!grow(&image->areas, image->count, &image->area_room, sizeof *image->areas) ||
        !extend(image, kept.size))
        return false;
    image->areas[image->count++] = kept;
    return true;
}

bool profile_image_add_array(struct profile_image *image, enum profile_kind kind, const void *bytes,
                             size_t size) {
    size_t whole = profile_first_chunk(kind) * profile_element_size(kind);
    for (uint32_t chunk = 0; size; chunk++, whole *= 2) {
        size_t part = size < whole ? size : whole;
        struct profile_area area = {.kind = kind, .index = chunk, .size = part};
        uint64_t offset;
        if (!profile_image_add(image, &area, &offset))
            return false;
        memcpy(image->bytes + offset, bytes, part);
        bytes = (const char *)bytes + part;
        size -= part;
    }
    return true;
}

static struct profile_directory *directory_of(struct profile_image *image) {
    return (struct profile_directory *)(void *)(image->bytes + PROFILE_PAGE);
}

/* Chunk 0 is within the directory, at another place than the offsets say of the others. */
static bool end_chunk(struct profile_image *image, unsigned chunk, size_t from, size_t count) {
    size_t size = count * sizeof *image->areas;
    if (chunk == 0) {
        memcpy(directory_of(image)->area, image->areas, size);
        return true;
    }
    uint64_t offset = image->size;
    if (!extend(image, (size + PROFILE_PAGE - 1) / PROFILE_PAGE * PROFILE_PAGE))
        return false;
    directory_of(image)->chunks[chunk] = offset;
    memcpy(image->bytes + offset, image->areas + from, size);
    return true;
}

bool profile_image_end(struct profile_image *image) {
    size_t whole = PROFILE_DIRECTORY_FIRST;
    directory_of(image)->areas = (uint32_t)image->count;
    for (size_t chunk = 0, from = 0; from < image->count; chunk++, from += whole, whole *= 2) {
        size_t left = image->count - from;
        if (!end_chunk(image, (unsigned)chunk, from, left < whole ? left : whole))
            return false;
    }
    return true;
}
