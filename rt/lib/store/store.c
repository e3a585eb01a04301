/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The areas of a profile, and the table of slots. */
#define _GNU_SOURCE
#include "lib/store/store.h"

#include "base/arrays.h"
#include "lib/base/os.h"
#include "lib/base/state.h"
#include "lib/base/table.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>

/* ---- The table of slots. */

static struct table slots = {.element = sizeof(struct profile_slot),
                             .first = PROFILE_SLOTS_FIRST,
                             .fork = OS_FORK_WIPES,
                             .areas = &store_areas,
                             .kind = PROFILE_SLOTS};

struct profile_slot *slot_at(uint32_t slot) {
    return table_at(&slots, slot);
}

const struct profile_slot *slot_known(uint32_t slot) {
    static const struct profile_slot nothing;
    const struct profile_slot *found = table_peek(&slots, slot);
    return found ? found : &nothing;
}

static uint32_t most = SLOTS_MOST;

uint32_t slots_most(void) {
    return __atomic_load_n(&most, __ATOMIC_RELAXED);
}

void slots_limit(uint32_t fewer) {
    __atomic_store_n(&most, fewer, __ATOMIC_RELAXED);
}

/* ---- The areas of the profile, in memory and in its file. */

static struct table areas = {.element = sizeof(struct store_area), .first = 64};
uint32_t store_areas_given;

/* The file that the areas are mapped from. A child that has left its parent's file has no file. */
static struct {
    bool is_open;
    struct os_file file;
    char path[PATH_MAX];
    uint64_t end;
    bool is_memory; /* a memfd: it needs no disk space and has no path */
    struct profile_directory *directory;
    struct profile_area *chunks[PROFILE_CHUNKS];
} the_file;

struct profile_header *store_header_made;

struct profile_header *store_header_make(void) {
    static struct profile_header without_memory;
    struct profile_header *none = NULL;
    int error = errno;
    struct profile_header *mapped = os_map(PROFILE_PAGE, OS_FORK_WIPES);
    struct profile_header *fresh = mapped ? mapped : &without_memory;
    if (!__atomic_compare_exchange_n(&store_header_made, &none, fresh, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE) &&
        mapped)
        os_unmap(mapped, PROFILE_PAGE);
    if (store_header_made == &without_memory)
        gap_set(GAP_MEMORY);
    errno = error;
    return store_header_made;
}

uint32_t store_area_count(void) {
    return __atomic_load_n(&store_areas_given, __ATOMIC_ACQUIRE);
}

const struct store_area *store_area(uint32_t number) {
    const struct store_area *area = table_peek(&areas, number);
    return area && __atomic_load_n(&area->kind, __ATOMIC_ACQUIRE) ? area : NULL;
}

bool store_is_file(void) {
    return the_file.is_open;
}

const char *store_path(void) {
    return the_file.is_open && !the_file.is_memory ? the_file.path : NULL;
}

void store_look_for_file(void) {
    if (the_file.is_open && !the_file.is_memory && os_file_is_removed(&the_file.file))
        os_say("the profile ", the_file.path, " is lost: it was removed while the program ran");
}

static void area_missing(int error) {
    struct profile_header *header = store_header();
    if (__atomic_fetch_add(&header->missing, 1, __ATOMIC_RELAXED) > 0)
        return;
    header->missing_error = (uint32_t)error;
    if (!the_file.is_memory)
        os_say("the profile ", the_file.path,
               " cannot grow, later counts will be missing: ", strerrordesc_np(error));
}

/* Returns the descriptor, reopened if the program has closed it; -1 with errno. */
static int file_descriptor(void) {
    if (os_file_is_open(&the_file.file))
        return the_file.file.fd;
    errno = EBADF;
    return !the_file.is_memory && os_file_reopen(&the_file.file, the_file.path) ? the_file.file.fd : -1;
}

int store_descriptor(void) {
    return the_file.is_open ? file_descriptor() : -1;
}

/* Maps a range of the file, preserving the first `kept` bytes and zeroing others. Returns 0 or an errno. */
static int map_at(void *address, size_t size, uint64_t offset, size_t kept) {
    int fd = file_descriptor();
    if (fd < 0)
        return errno;
    int error = the_file.is_memory ? os_memory_reach(fd, offset + size) : os_allocate(fd, offset, size);
    if (!error && kept)
        error = os_write_at(fd, address, kept, offset);
    if (!error && !os_map_file(address, size, fd, offset))
        error = errno;
    return error;
}

/* Makes a chunk of the directory, which is no area itself. Returns NULL with errno if it fails. */
static struct profile_area *chunk_made(size_t size, uint64_t *offset) {
    struct profile_area *fresh = os_map(size, OS_FORK_KEEPS);
    if (!fresh)
        return NULL;
    *offset = __atomic_fetch_add(&the_file.end, size, __ATOMIC_RELAXED);
    errno = map_at(fresh, size, *offset, 0);
    if (!errno)
        return fresh;
    os_unmap(fresh, size);
    return NULL;
}

/* Returns the entry of the directory; NULL with errno if it fails. */
static struct profile_area *entry_of(uint32_t index) {
    struct chunk_place at = chunk_place(PROFILE_DIRECTORY_FIRST, index);
    uint32_t chunk = at.chunk;
    errno = ENOSPC;
    if (chunk >= PROFILE_CHUNKS)
        return NULL;
    struct profile_area *found = __atomic_load_n(&the_file.chunks[chunk], __ATOMIC_ACQUIRE);
    if (!found) {
        size_t size = chunk_size(PROFILE_DIRECTORY_FIRST, chunk) * sizeof *found;
        uint64_t offset;
        struct profile_area *fresh = chunk_made(size, &offset);
        if (!fresh)
            return NULL;
        if (__atomic_compare_exchange_n(&the_file.chunks[chunk], &found, fresh, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            __atomic_store_n(&the_file.directory->chunks[chunk], offset, __ATOMIC_RELEASE);
            found = fresh;
        } else {
            os_unmap(fresh, size);
        }
    }
    return &found[at.offset];
}

static void area_enter(struct store_area *area, uint64_t offset) {
    uint32_t index = __atomic_fetch_add(&the_file.directory->areas, 1, __ATOMIC_ACQ_REL);
    struct profile_area *entry = entry_of(index);
    if (!entry) {
        area_missing(errno);
        return;
    }
    entry->index = area->index;
    entry->offset = offset;
    entry->size = area->size;
    entry->first = area->first;
    __atomic_store_n(&entry->kind, area->kind, __ATOMIC_RELEASE);
    area->entry = entry;
}

/* Names and records never change once written, so a child continues with its parent's. */
static bool is_inherited(const struct store_area *area) {
    return area->kind == PROFILE_NAMES || area->kind == PROFILE_RECORDS;
}

/* Returns the number of bytes of such an area that were written before the fork. The parent may write further
 * bytes of the area at any time until the child has left its file. */
static size_t inherited_size(const struct store_area *area, uint32_t records) {
    bool is_names = area->kind == PROFILE_NAMES;
    uint64_t before = chunk_start(is_names ? PROFILE_NAMES_FIRST : PROFILE_RECORDS_FIRST, area->index);
    uint64_t end = is_names ? names_size() : records;
    uint64_t size = end > before ? (end - before) * (is_names ? 1 : sizeof(struct profile_record)) : 0;
    return size < area->size ? size : area->size;
}

/* The first `kept` bytes of the memory are preserved. */
static void area_put_into_file(struct store_area *area, size_t kept) {
    uint64_t offset = __atomic_fetch_add(&the_file.end, area->size, __ATOMIC_RELAXED);
    bool was_mapped = area->is_mapped;
    area->is_mapped = true; /* set before the mapping, so that a child forked in between leaves it */
    int error = map_at(area->address, area->size, offset, kept);
    if (!error) {
        area_enter(area, offset);
        return;
    }
    area->is_mapped = was_mapped;
    area_missing(error);
}

uint32_t store_add(enum profile_kind kind, uint32_t index, uint64_t first, void *address, size_t size) {
    uint32_t number = __atomic_fetch_add(&store_areas_given, 1, __ATOMIC_ACQ_REL);
    struct store_area *area = table_at(&areas, number);
    if (!area) {
        gap_set(GAP_MEMORY);
        return number;
    }
    int error = errno;
    *area = (struct store_area){.index = index, .first = first, .address = address, .size = size};
    __atomic_store_n(&area->kind, kind, __ATOMIC_RELEASE);
    if (the_file.is_open)
        area_put_into_file(area, 0);
    errno = error;
    return number;
}

void store_drop(uint32_t number) {
    struct store_area *area = table_peek(&areas, number);
    if (!area)
        return;
    __atomic_store_n(&area->kind, PROFILE_NONE, __ATOMIC_RELEASE);
    if (area->entry && the_file.is_open)
        __atomic_store_n(&area->entry->kind, PROFILE_NONE, __ATOMIC_RELEASE);
}

void store_drop_slab(uint32_t number) {
    for (uint32_t i = 0; i < store_area_count(); i++) {
        const struct store_area *area = store_area(i);
        if (area && profile_is_of_block(area->kind) && area->index == number)
            store_drop(i);
    }
}

/* The directory comes first and the header last, because a failure must leave the header unchanged. */
static int file_enter_head(void) {
    struct profile_directory *directory = os_map(PROFILE_PAGE, OS_FORK_KEEPS);
    if (!directory)
        return ENOMEM;
    int error = map_at(directory, PROFILE_PAGE, PROFILE_PAGE, 0);
    if (!error)
        error = map_at(store_header(), PROFILE_PAGE, 0, PROFILE_PAGE);
    if (error) {
        os_unmap(directory, PROFILE_PAGE);
        return error;
    }
    the_file.directory = directory;
    the_file.chunks[0] = directory->area;
    the_file.end = 2 * PROFILE_PAGE;
    return 0;
}

static uint64_t *gaps_in_file(void) {
    return store_is_file() ? &store_header()->gaps : NULL;
}

static void file_use(int fd, const char *path) {
    memset(the_file.chunks, 0, sizeof the_file.chunks);
    the_file.is_memory = !path;
    strcpy(the_file.path, path ? path : "");
    os_file_note(&the_file.file, fd);
}

int store_enter(int fd, const char *path, uint32_t child_records) {
    struct os_file before = the_file.file;
    bool had_file = the_file.is_open;
    file_use(fd, path);
    int error = file_enter_head();
    if (had_file)
        os_file_close(&before);
    the_file.is_open = !error;
    if (error) {
        os_file_close(&the_file.file);
        return error;
    }
    gaps_mirror = gaps_in_file;
    uint32_t count = __atomic_load_n(&store_areas_given, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++) {
        struct store_area *area = table_peek(&areas, i);
        if (!area || !area->kind)
            continue;
        if (child_records && profile_is_of_block(area->kind))
            area->kind = PROFILE_NONE;
        else
            area_put_into_file(area, !child_records       ? area->size
                                     : is_inherited(area) ? inherited_size(area, child_records)
                                                          : 0);
    }
    return 0;
}

void store_leave(void) {
    uint32_t count = __atomic_load_n(&store_areas_given, __ATOMIC_ACQUIRE);
    if (!the_file.is_open)
        return;
    the_file.is_open = false;
    os_map_over(store_header_made, PROFILE_PAGE, OS_FORK_WIPES);
    for (uint32_t i = 0; i < count; i++) {
        struct store_area *area = table_peek(&areas, i);
        if (area && area->is_mapped && !is_inherited(area)) {
            os_map_over(area->address, area->size, OS_FORK_WIPES);
            area->is_mapped = false;
        }
        if (area)
            area->entry = NULL;
    }
    os_unmap(the_file.directory, PROFILE_PAGE);
    os_file_close(&the_file.file);
}

/* Replaces a mapping of the parent's file by a copy. Returns false, and changes nothing, if that fails. */
static bool copy_inherited(struct store_area *area, size_t size) {
    char *copy = os_map(area->size, OS_FORK_KEEPS);
    if (!copy)
        return false;
    memcpy(copy, area->address, size);
    return mremap(copy, area->size, area->size, MREMAP_MAYMOVE | MREMAP_FIXED, area->address) != MAP_FAILED;
}

void store_detach(uint32_t records) {
    uint32_t count = __atomic_load_n(&store_areas_given, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++) {
        struct store_area *area = table_peek(&areas, i);
        if (area && area->kind && area->is_mapped && is_inherited(area))
            area->is_mapped = !copy_inherited(area, inherited_size(area, records));
    }
}

const struct table_areas store_areas = {.add = store_add, .drop = store_drop};
