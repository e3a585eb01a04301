/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a profile of the current state. */
#include "base/arrays.h"
#include "lib/base/os.h"
#include "lib/store/store.h"

#include <errno.h>
#include <string.h>

/* The parts of the file, in their order. */
struct copy {
    struct store_area *list; /* the areas at the beginning of the copy */
    uint32_t count;
    struct profile_directory *directory; /* followed by all its further chunks */
    size_t directory_size;
    char *areas;
    size_t areas_size;
};

/* Returns the number of entries in this many chunks of the directory. */
static uint32_t entries_in(uint32_t chunks) {
    return (uint32_t)chunk_start(PROFILE_DIRECTORY_FIRST, chunks);
}

static size_t size_of_directory(uint32_t areas) {
    uint32_t chunks = 1;
    while (entries_in(chunks) < areas)
        chunks++;
    return PROFILE_PAGE + (entries_in(chunks) - PROFILE_DIRECTORY_FIRST) * sizeof(struct profile_area);
}

/* Other threads may add areas meanwhile. */
static void copy_take_list(struct copy *copy, uint32_t most) {
    for (uint32_t i = 0; i < most; i++) {
        const struct store_area *area = store_area(i);
        if (!area)
            continue;
        copy->list[copy->count++] = *area;
        copy->areas_size += area->size;
    }
}

static struct profile_area *entry_at(struct copy *copy, uint32_t index) {
    struct profile_area *later_areas = (struct profile_area *)(copy->directory + 1);
    return index < PROFILE_DIRECTORY_FIRST ? &copy->directory->area[index]
                                           : &later_areas[index - PROFILE_DIRECTORY_FIRST];
}

static void write_chunks(struct copy *copy) {
    for (uint32_t chunk = 1; chunk < PROFILE_CHUNKS && entries_in(chunk) < copy->directory->areas; chunk++)
        copy->directory->chunks[chunk] =
            2 * PROFILE_PAGE + (entries_in(chunk) - PROFILE_DIRECTORY_FIRST) * sizeof(struct profile_area);
}

static void write_directory(struct copy *copy) {
    uint64_t offset = PROFILE_PAGE + copy->directory_size;
    copy->directory->areas = copy->count;
    write_chunks(copy);
    for (uint32_t i = 0; i < copy->count; i++) {
        const struct store_area *area = &copy->list[i];
        *entry_at(copy, i) = (struct profile_area){.kind = area->kind,
                                                   .index = area->index,
                                                   .offset = offset,
                                                   .size = area->size,
                                                   .first = area->first};
        offset += area->size;
    }
}

static void copy_refresh(char *to, const struct store_area *area) {
    if (area->kind == PROFILE_EXTRAS)
        extras_take_came((struct extra *)to, (const struct extra *)area->address,
                         area->size / sizeof(struct extra));
    else
        tallies_take_came((struct tally *)to, (const struct tally *)area->address,
                          area->size / sizeof(struct tally));
}

static void copy_kind(struct copy *copy, enum profile_kind kind, bool again) {
    char *to = copy->areas;
    for (uint32_t i = 0; i < copy->count; i++) {
        const struct store_area *area = &copy->list[i];
        if (area->kind == kind && again)
            copy_refresh(to, area);
        else if (area->kind == kind)
            memcpy(to, area->address, area->size);
        to += area->size;
    }
}

static void copy_areas(struct copy *copy) {
    copy_kind(copy, PROFILE_EXTRAS, false);
    copy_kind(copy, PROFILE_TALLIES, false);
    copy_kind(copy, PROFILE_EXTRAS, true);
    copy_kind(copy, PROFILE_TALLIES, true);
    for (enum profile_kind kind = PROFILE_NAMES; kind < PROFILE_KINDS; kind++)
        if (kind != PROFILE_EXTRAS && kind != PROFILE_TALLIES)
            copy_kind(copy, kind, false);
}

static int copy_write(int fd, const struct profile_header *header, const struct copy *copy) {
    char page[PROFILE_PAGE] = {0};
    memcpy(page, header, sizeof *header);
    int error = os_write(fd, page, sizeof page);
    if (!error)
        error = os_write(fd, copy->directory, copy->directory_size);
    return error ? error : os_write(fd, copy->areas, copy->areas_size);
}

static int copy_listed(int fd, const struct profile_header *header, struct copy *copy) {
    copy->directory_size = size_of_directory(copy->count);
    size_t size = copy->directory_size + copy->areas_size;
    char *memory = os_map(size, OS_FORK_KEEPS);
    if (!memory)
        return ENOMEM;
    copy->directory = (struct profile_directory *)memory;
    copy->areas = memory + copy->directory_size;
    write_directory(copy);
    copy_areas(copy);
    int error = copy_write(fd, header, copy);
    os_unmap(memory, size);
    return error;
}

int store_copy(int fd, const struct profile_header *header) {
    uint32_t most = store_area_count();
    struct copy copy = {.list = os_map((most + 1) * sizeof *copy.list, OS_FORK_KEEPS)};
    if (!copy.list)
        return ENOMEM;
    copy_take_list(&copy, most);
    int error = copy_listed(fd, header, &copy);
    os_unmap(copy.list, (most + 1) * sizeof *copy.list);
    return error;
}
