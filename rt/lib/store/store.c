/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The areas of a profile, and the table of slots. */
#define _GNU_SOURCE
#include "lib/store/store.h"

#include "base/arrays.h"
#include "lib/base/os.h"
#include "lib/base/state.h"
#include "lib/base/table.h"
#include "root.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

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
static uint32_t area_count;

/* Of the file that the areas are mapped from. A child that has left its parent's has none. */
static struct {
    bool is_open;
    struct os_file file;
    char path[PATH_MAX];
    uint64_t end;
    struct profile_directory *directory;
    struct profile_area *chunks[PROFILE_CHUNKS];
    char *names[PROFILE_CHUNKS], *records[PROFILE_CHUNKS]; /* chunks, mapped besides those of the memory */
} the_file;

struct profile_header *store_header_made;

const struct root_store root_store = {
    .areas = &areas, .area_count = &area_count, .header = &store_header_made};

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
        hole_set(HOLE_MEMORY);
    errno = error;
    return store_header_made;
}

uint32_t store_area_count(void) {
    return __atomic_load_n(&area_count, __ATOMIC_ACQUIRE);
}

const struct store_area *store_area(uint32_t number) {
    const struct store_area *area = table_peek(&areas, number);
    return area && __atomic_load_n(&area->kind, __ATOMIC_ACQUIRE) ? area : NULL;
}

bool store_is_file(void) {
    return the_file.is_open;
}

const char *store_path(void) {
    return the_file.is_open ? the_file.path : NULL;
}

void store_look_for_file(void) {
    if (the_file.is_open && os_file_is_removed(&the_file.file))
        os_say("the profile ", the_file.path, " is lost: it was removed while the program ran");
}

static void note_missing(int error) {
    struct profile_header *told = store_header();
    if (__atomic_fetch_add(&told->missing, 1, __ATOMIC_RELAXED) > 0)
        return;
    told->missing_error = (uint32_t)error;
    os_say("the profile ", the_file.path,
           " cannot grow and lacks what is counted from here on: ", strerrordesc_np(error));
}

/* The descriptor, anew if the program has closed it. -1 with errno. */
static int descriptor(void) {
    if (os_file_is_open(&the_file.file))
        return the_file.file.fd;
    return os_file_reopen(&the_file.file, the_file.path) ? the_file.file.fd : -1;
}

/* Maps what is at offset of the file at the address. 0 or errno. */
static int map_at(void *address, size_t size, uint64_t offset, bool keep) {
    int fd = descriptor();
    if (fd < 0)
        return errno;
    int error = keep ? os_write_at(fd, address, size, offset) : os_allocate(fd, offset, size);
    if (!error && !os_map_file(address, size, fd, offset))
        error = errno;
    return error;
}

/* A chunk of the directory, which is no area of its own. NULL: none, with errno. */
static struct profile_area *chunk_made(size_t size, uint64_t *offset) {
    struct profile_area *fresh = os_map(size, OS_FORK_KEEPS);
    if (!fresh)
        return NULL;
    *offset = __atomic_fetch_add(&the_file.end, size, __ATOMIC_RELAXED);
    errno = map_at(fresh, size, *offset, false);
    if (!errno)
        return fresh;
    os_unmap(fresh, size);
    return NULL;
}

/* NULL, with errno. */
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

static void enter(struct store_area *area, uint64_t offset) {
    uint32_t index = __atomic_fetch_add(&the_file.directory->areas, 1, __ATOMIC_ACQ_REL);
    struct profile_area *entry = entry_of(index);
    if (!entry) {
        note_missing(errno);
        return;
    }
    entry->index = area->index;
    entry->offset = offset;
    entry->size = area->size;
    entry->first = area->first;
    __atomic_store_n(&entry->kind, area->kind, __ATOMIC_RELEASE);
    area->entry = entry;
}

/* Areas that a child goes on from. */
static bool is_kept(const struct store_area *area) {
    return area->kind == PROFILE_NAMES || area->kind == PROFILE_RECORDS;
}

static char **told_chunk(enum profile_kind kind, uint32_t index) {
    return kind == PROFILE_NAMES ? &the_file.names[index] : &the_file.records[index];
}

/* The memory stays what it is. EEXIST: another thread, that makes the same chunk, was first to do it. */
static int map_besides(const struct store_area *area, uint64_t offset) {
    char *memory = os_map(area->size, OS_FORK_KEEPS), *nobody = NULL;
    int fd = descriptor();
    int error = !memory ? ENOMEM : fd < 0 ? errno : os_write_at(fd, area->address, area->size, offset);
    if (!error && !os_map_file(memory, area->size, fd, offset))
        error = errno;
    if (!error && !__atomic_compare_exchange_n(told_chunk(area->kind, area->index), &nobody, memory, false,
                                               __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        error = EEXIST;
    if (error && memory)
        os_unmap(memory, area->size);
    return error;
}

void store_tell(enum profile_kind kind, uint32_t index, size_t offset, const void *bytes, size_t size) {
    char *told = the_file.is_open ? __atomic_load_n(told_chunk(kind, index), __ATOMIC_ACQUIRE) : NULL;
    if (!told)
        return;
    uint32_t word;
    if (size != sizeof word) {
        memcpy(told + offset, bytes, size);
        return;
    }
    /* At once: what is written last must not come before the rest. */
    memcpy(&word, bytes, sizeof word);
    __atomic_store_n((uint32_t *)(told + offset), word, __ATOMIC_RELEASE);
}

/* keep: with what is in the memory. */
static void put_into_file(struct store_area *area, bool keep) {
    uint64_t offset = __atomic_fetch_add(&the_file.end, area->size, __ATOMIC_RELAXED);
    area->is_mapped =
        !is_kept(area); /* before it is, or a child that is forked in between would not leave it */
    int error = is_kept(area) ? map_besides(area, offset) : map_at(area->address, area->size, offset, keep);
    if (!error) {
        enter(area, offset);
        return;
    }
    area->is_mapped = false;
    if (error != EEXIST)
        note_missing(error);
}

uint32_t store_add(enum profile_kind kind, uint32_t index, uint64_t first, void *address, size_t size) {
    uint32_t number = __atomic_fetch_add(&area_count, 1, __ATOMIC_ACQ_REL);
    struct store_area *area = table_at(&areas, number);
    if (!area) {
        hole_set(HOLE_MEMORY);
        return number;
    }
    int error = errno;
    *area = (struct store_area){.index = index, .first = first, .address = address, .size = size};
    __atomic_store_n(&area->kind, kind, __ATOMIC_RELEASE);
    if (the_file.is_open)
        put_into_file(area, false);
    errno = error;
    return number;
}

void store_drop(uint32_t number) {
    struct store_area *area = table_peek(&areas, number);
    if (!area)
        return;
    /* Names and records are told to the first one that came, whichever chunk is used. */
    bool is_told = is_kept(area);
    __atomic_store_n(&area->kind, PROFILE_NONE, __ATOMIC_RELEASE);
    if (area->entry && the_file.is_open && !is_told)
        __atomic_store_n(&area->entry->kind, PROFILE_NONE, __ATOMIC_RELEASE);
}

void store_drop_slab(uint32_t number) {
    for (uint32_t i = 0; i < store_area_count(); i++) {
        const struct store_area *area = store_area(i);
        if (area && profile_is_of_block(area->kind) && area->index == number)
            store_drop(i);
    }
}

/* The header last: what comes before it changes nothing. */
static int enter_head(void) {
    struct profile_directory *directory = os_map(PROFILE_PAGE, OS_FORK_KEEPS);
    if (!directory)
        return ENOMEM;
    int error = map_at(directory, PROFILE_PAGE, PROFILE_PAGE, false);
    if (!error)
        error = map_at(store_header(), PROFILE_PAGE, 0, true);
    if (error) {
        os_unmap(directory, PROFILE_PAGE);
        return error;
    }
    the_file.directory = directory;
    the_file.chunks[0] = directory->area;
    the_file.end = 2 * PROFILE_PAGE;
    return 0;
}

static uint64_t *holes_in_file(void) {
    return store_is_file() ? &store_header()->holes : NULL;
}

int store_enter(int fd, const char *path, bool is_child) {
    memset(the_file.chunks, 0, sizeof the_file.chunks);
    memset(the_file.names, 0, sizeof the_file.names);
    memset(the_file.records, 0, sizeof the_file.records);
    strcpy(the_file.path, path);
    os_file_note(&the_file.file, fd);
    int error = enter_head();
    if (error) {
        os_file_close(&the_file.file);
        return error;
    }
    the_file.is_open = true;
    holes_told = holes_in_file;
    uint32_t count = __atomic_load_n(&area_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++) {
        struct store_area *area = table_peek(&areas, i);
        if (!area || !area->kind)
            continue;
        if (is_child && profile_is_of_block(area->kind))
            area->kind = PROFILE_NONE;
        else
            put_into_file(area, !is_child);
    }
    return 0;
}

void store_leave(void) {
    uint32_t count = __atomic_load_n(&area_count, __ATOMIC_ACQUIRE);
    if (!the_file.is_open)
        return;
    the_file.is_open = false;
    os_map_over(store_header_made, PROFILE_PAGE, OS_FORK_WIPES);
    for (uint32_t i = 0; i < count; i++) {
        struct store_area *area = table_peek(&areas, i);
        if (area && area->is_mapped) {
            os_map_over(area->address, area->size, OS_FORK_WIPES);
            area->is_mapped = false;
        }
        if (area)
            area->entry = NULL;
    }
    os_unmap(the_file.directory, PROFILE_PAGE);
    os_file_close(&the_file.file);
}

const struct table_areas store_areas = {.add = store_add, .drop = store_drop, .tell = store_tell};
