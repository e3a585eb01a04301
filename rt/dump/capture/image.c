/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the mappings of a process and its modules, and copies its pages. */
#include "base/arrays.h"
#include "base/path.h"
#include "dump/base/memory.h"
#include "dump/capture/capture.h"
#include "dump/capture/heap.h"
#include "dump/process/process.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- Mappings and modules. */

#define PAGE UINT64_C(4096)

enum { SEGMENTS_MAX = 128 };

struct reading {
    struct capture_maps *maps;
    struct remote_memory *memory;
    const struct remote_root *root;
    const struct heap *heap;
};

static bool holds_c_library(const struct reading *reading, const char *path) {
    return path_is_c_library(path) || reading->root->root.flags & ROOT_IS_STATIC;
}

/* If linked statically, the runtime has no segment of its own. */
static bool is_of_runtime(const struct reading *reading, uint64_t begin, uint64_t end) {
    uint64_t small_table = (uintptr_t)reading->heap->layout.small;
    return !(reading->root->root.flags & ROOT_IS_STATIC) && begin <= small_table && small_table < end;
}

static void add_data(struct reading *reading, uint64_t base, const Elf64_Phdr *segment, const char *path) {
    struct capture_maps *maps = reading->maps;
    uint64_t begin = base + segment->p_vaddr, end = begin + segment->p_memsz;
    if (is_of_runtime(reading, begin, end)) {
        maps->runtime_data = (struct span){begin, end};
        return;
    }
    memory_grow(&maps->data, maps->data_count, &maps->data_capacity, sizeof *maps->data);
    maps->data[maps->data_count++] =
        (struct capture_data){begin, end, base, path, holds_c_library(reading, path)};
}

static bool has_address(const Elf64_Phdr *segment, uint64_t address) {
    return segment->p_type == PT_LOAD && address - segment->p_vaddr < segment->p_filesz;
}

static void add_module(struct capture_maps *maps, uint64_t base, const Elf64_Phdr *segments, unsigned count,
                       const char *path) {
    struct capture_module module = {.begin = UINT64_MAX, .base = base, .path = path};
    for (unsigned i = 0; i < count; i++) {
        uint64_t begin = base + segments[i].p_vaddr;
        if (segments[i].p_type == PT_GNU_EH_FRAME)
            module.header = begin;
        if (segments[i].p_type != PT_LOAD)
            continue;
        module.begin = begin < module.begin ? begin : module.begin;
        module.end = begin + segments[i].p_memsz;
    }
    for (unsigned i = 0; module.header && i < count; i++)
        if (has_address(&segments[i], module.header - base)) {
            module.tables = base + segments[i].p_vaddr;
            module.tables_size = segments[i].p_filesz;
        }
    memory_grow(&maps->modules, maps->module_count, &maps->module_capacity, sizeof *maps->modules);
    maps->modules[maps->module_count++] = module;
}

static uint64_t base_of(uint64_t start, const Elf64_Phdr *segments, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (segments[i].p_type == PT_LOAD)
            return start - (segments[i].p_vaddr - segments[i].p_offset);
    return start;
}

static void see_module(struct reading *reading, uint64_t start, const char *path) {
    Elf64_Ehdr header;
    Elf64_Phdr segments[SEGMENTS_MAX];
    if (!remote_read(reading->memory, start, &header, sizeof header) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof *segments ||
        header.e_phnum > SEGMENTS_MAX ||
        !remote_read(reading->memory, start + header.e_phoff, segments, header.e_phnum * sizeof *segments))
        return;
    uint64_t base = base_of(start, segments, header.e_phnum);
    add_module(reading->maps, base, segments, header.e_phnum, path);
    for (unsigned i = 0; i < header.e_phnum; i++) {
        if (segments[i].p_type == PT_LOAD && segments[i].p_flags & PF_W)
            add_data(reading, base, &segments[i], path);
        if (segments[i].p_type == PT_TLS)
            reading->maps->thread_local += segments[i].p_memsz + segments[i].p_align;
    }
}

static bool has_prefix(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Reading from a device may change its state. */
static bool is_memory(const char *path) {
    bool is_device =
        has_prefix(path, "/dev/") && !has_prefix(path, "/dev/shm/") && !has_prefix(path, "/dev/zero");
    return *path == '/' ? !is_device && !has_prefix(path, "/dmabuf:")
                        : !*path || has_prefix(path, "[heap]") || has_prefix(path, "[anon");
}

/* The heap and the first stack have names, and are data. */
static enum map_kind kind_of(const struct process_mapping *mapping) {
    bool is_readable = mapping->flags[0] == 'r', is_writable = mapping->flags[1] == 'w';
    bool is_named = *mapping->path && !has_prefix(mapping->path, "[anon:");
    if (!is_readable || !is_memory(mapping->path) || (!is_writable && mapping->inode))
        return MAP_OTHER;
    bool is_anonymous = is_writable && mapping->flags[3] == 'p' && !mapping->inode && !is_named;
    return is_anonymous ? MAP_ANONYMOUS_DATA : MAP_DATA;
}

static void add_mapping(struct reading *reading, const struct process_mapping *mapping) {
    struct capture_maps *maps = reading->maps;
    bool is_module =
        mapping->inode && mapping->offset == 0 && mapping->flags[0] == 'r' && mapping->flags[3] == 'p';
    memory_grow(&maps->list, maps->count, &maps->capacity, sizeof *maps->list);
    maps->list[maps->count++] = (struct capture_map){
        .begin = mapping->start,
        .end = mapping->end,
        .is_readable = mapping->flags[0] == 'r',
        .is_writable = mapping->flags[0] == 'r' && mapping->flags[1] == 'w',
        .is_stack = strcmp(mapping->path, "[stack]") == 0,
        .kind = kind_of(mapping),
    };
    if (is_module)
        see_module(reading, mapping->start, string_keep(&maps->strings, mapping->path));
}

/* Returns a copy of one of the runtime's lists, sorted by address, with the first `size` bytes of each entry.
 * The caller frees it. NULL: unreadable or empty. */
static void *read_list(struct remote_memory *memory, const struct root_list *from, size_t size,
                       size_t *kept) {
    struct root_list layout;
    uint64_t entries = 0;
    *kept = 0;
    if (!remote_read(memory, (uintptr_t)from, &layout, sizeof layout) || layout.entry_size < size ||
        !remote_read(memory, (uintptr_t)layout.entries, &entries, sizeof entries) || !entries)
        return NULL;
    uint32_t count = remote_u32(memory, layout.count);
    count = count < layout.most ? count : layout.most;
    char *list = memory_zeros(count, layout.entry_size);
    char *found = memory_zeros(count, size);
    if (!remote_read(memory, entries, list, (size_t)count * layout.entry_size))
        count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t begin;
        const char *entry = list + (size_t)i * layout.entry_size;
        memcpy(&begin, entry, sizeof begin);
        if (begin >= PAGE)
            memcpy(found + (*kept)++ * size, entry, size);
    }
    free(list);
    sort_list(found, *kept, size, compare_first_u64);
    return found;
}

static void read_program(struct capture_maps *maps, unsigned pid) {
    char link[32], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%u/exe", pid);
    ssize_t size = readlink(link, path, sizeof path - 1);
    path[size > 0 ? size : 0] = '\0';
    maps->program = string_keep(&maps->strings, path);
}

bool capture_maps_read(struct capture_maps *maps, struct remote_memory *memory,
                       const struct remote_root *root, const struct heap *heap, struct reason *why) {
    struct reading reading = {maps, memory, root, heap};
    struct process_maps file;
    *maps = (struct capture_maps){.count = 0};
    if (!process_maps_open(&file, memory->pid, why))
        return false;
    for (struct process_mapping mapping; process_maps_next(&file, &mapping);)
        add_mapping(&reading, &mapping);
    process_maps_close(&file);
    maps->runtime_spans =
        read_list(memory, root->root.runtime_spans, sizeof *maps->runtime_spans, &maps->runtime_span_count);
    maps->registered =
        read_list(memory, root->root.registered, sizeof *maps->registered, &maps->registered_count);
    maps->mappings = read_list(memory, root->root.mappings, sizeof *maps->mappings, &maps->mapping_count);
    read_program(maps, memory->pid);
    if (!remote_read(memory, (uintptr_t)root->root.malloc, &maps->allocator, sizeof maps->allocator))
        maps->allocator = 0;
    return maps->count || reason_set(why, "has ended, or is a kernel thread");
}

void capture_maps_free(struct capture_maps *maps) {
    free(maps->list);
    free(maps->data);
    free(maps->modules);
    free(maps->runtime_spans);
    free(maps->registered);
    free(maps->mappings);
    string_pool_free(&maps->strings);
    *maps = (struct capture_maps){.count = 0};
}

const struct capture_map *capture_maps_at(const struct capture_maps *maps, uint64_t address) {
    size_t next = sorted_up_to(maps->list, maps->count, sizeof *maps->list,
                               offsetof(struct capture_map, begin), address);
    return next && address < maps->list[next - 1].end ? &maps->list[next - 1] : NULL;
}

static bool map_contains(const struct capture_map *map, uint64_t address) {
    return map->begin <= address && address < map->end;
}

bool capture_maps_is_root(const struct capture_maps *maps, const struct capture_map *map,
                          const struct stop *stop) {
    for (size_t i = 0; i < maps->data_count; i++)
        if (maps->data[i].begin < map->end && map->begin < maps->data[i].end)
            return true;
    for (size_t i = 0; i < maps->registered_count; i++)
        if (maps->registered[i].begin < map->end && map->begin < maps->registered[i].end)
            return true;
    for (size_t i = 0; i < stop->count; i++)
        if (map_contains(map, stop->threads[i].sp) || map_contains(map, stop->threads[i].tp))
            return true;
    return map->is_stack;
}

/* ---- A copy of the pages. */

/* Linux, Documentation/admin-guide/mm/pagemap.rst: present or swapped; file-mapped or shared. */
#define PAGEMAP_TOUCHED (UINT64_C(3) << 62)
#define PAGEMAP_SHARED  (UINT64_C(1) << 61)

enum { ENTRIES = 8192 };

static int open_pagemap(unsigned pid) {
    char path[32];
    snprintf(path, sizeof path, "/proc/%u/pagemap", pid);
    return open(path, O_RDONLY | O_CLOEXEC);
}

bool image_open(struct image *image, unsigned pid, struct reason *why) {
    *image = (struct image){.pagemap = open_pagemap(pid)};
    return image->pagemap >= 0 || process_refuses(pid, why);
}

void image_close(struct image *image) {
    close(image->pagemap);
    free(image->runs);
    if (image->bytes)
        munmap(image->bytes, image->room_bytes);
}

bool image_make_room(struct image *image, uint64_t size, struct reason *why) {
    size = (size + (UINT64_C(1) << 21)) & -(UINT64_C(1) << 21);
    void *bytes =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bytes == MAP_FAILED)
        return reason_errno(why);
    madvise(bytes, size, MADV_HUGEPAGE);
    madvise(bytes, size, MADV_POPULATE_WRITE);
    image->bytes = bytes;
    image->room_bytes = size;
    return true;
}

static void add_page(struct image *image, uint64_t address, bool is_shared) {
    struct image_run *last = image->count ? &image->runs[image->count - 1] : NULL;
    if (last && last->address + last->size == address && last->is_shared == is_shared) {
        last->size += PAGE;
        return;
    }
    memory_grow(&image->runs, image->count, &image->capacity, sizeof *image->runs);
    image->runs[image->count++] = (struct image_run){address, PAGE, NULL, is_shared};
}

/* Reads pagemap entries from a page on. Returns their number; 0: none, or unreadable. */
static size_t read_entries(int pagemap, uint64_t page, uint64_t page_end, uint64_t entries[ENTRIES]) {
    size_t count = page_end - page < ENTRIES ? page_end - page : ENTRIES;
    ssize_t got = pread(pagemap, entries, count * sizeof *entries, (off_t)(page * sizeof *entries));
    return got > 0 ? (size_t)got / sizeof *entries : 0;
}

uint64_t image_want(struct image *image, uint64_t begin, uint64_t end) {
    uint64_t entries[ENTRIES], size = 0, page_end = (end + PAGE - 1) / PAGE;
    size_t count;
    for (uint64_t page = begin / PAGE; page < page_end; page += count) {
        count = read_entries(image->pagemap, page, page_end, entries);
        if (!count)
            break;
        for (size_t i = 0; i < count; i++)
            if (entries[i] & PAGEMAP_TOUCHED) {
                add_page(image, (page + i) * PAGE, entries[i] & PAGEMAP_SHARED);
                size += PAGE;
            }
    }
    image->size += size;
    return size;
}

void image_want_none(struct image *image) {
    image->count = 0;
    image->size = 0;
}

/* Two mappings may share a page of a table: removes duplicates. */
static void drop_doubles(struct image *image) {
    size_t kept = 0;
    qsort(image->runs, image->count, sizeof *image->runs, compare_first_u64);
    for (size_t i = 0; i < image->count; i++) {
        struct image_run run = image->runs[i];
        const struct image_run *last = kept ? &image->runs[kept - 1] : NULL;
        uint64_t begin =
            last && last->address + last->size > run.address ? last->address + last->size : run.address;
        if (run.address + run.size <= begin)
            continue;
        image->runs[kept++] = (struct image_run){begin, run.address + run.size - begin, NULL, run.is_shared};
    }
    image->count = kept;
}

/* A forked copy lacks pages that the process keeps from its children, or has them empty (madvise(2)). */
static void share_run(struct image *image, int pagemap, const struct image_run *run) {
    uint64_t entries[ENTRIES], page_end = (run->address + run->size) / PAGE;
    size_t count;
    for (uint64_t page = run->address / PAGE; page < page_end; page += count) {
        count = read_entries(pagemap, page, page_end, entries);
        for (size_t i = 0; i < count; i++)
            add_page(image, (page + i) * PAGE, run->is_shared || !(entries[i] & PAGEMAP_TOUCHED));
        if (count)
            continue;
        add_page(image, page * PAGE, true);
        count = 1;
    }
}

bool image_share(struct image *image, unsigned copy, struct reason *why) {
    struct image_run *runs = image->runs;
    size_t count = image->count;
    int pagemap = open_pagemap(copy);
    if (pagemap < 0)
        return reason_errno(why);
    image->runs = NULL;
    image->count = image->capacity = 0;
    for (size_t i = 0; i < count; i++)
        share_run(image, pagemap, &runs[i]);
    free(runs);
    close(pagemap);
    return true;
}

bool image_end(struct image *image, struct reason *why) {
    drop_doubles(image);
    if (image->size > image->room_bytes) {
        munmap(image->bytes, image->room_bytes);
        image->bytes = NULL;
        if (!image_make_room(image, image->size, why))
            return false;
    }
    char *to = image->bytes;
    for (size_t i = 0; i < image->count; i++) {
        image->runs[i].bytes = to;
        to += image->runs[i].size;
    }
    return true;
}

/* Copies up to the first unreadable page, such as a page of a device. */
static void copy_pages(struct remote_memory *memory, struct image_run *run) {
    uint64_t size = 0;
    while (size < run->size && remote_read(memory, run->address + size, run->bytes + size, PAGE))
        size += PAGE;
    run->size = size;
}

static void copy_some(struct remote_memory *memory, struct image_run *const *runs, size_t count) {
    struct iovec local[IOV_MAX], remote[IOV_MAX];
    for (size_t i = 0; i < count; i++) {
        local[i] = (struct iovec){runs[i]->bytes, runs[i]->size};
        remote[i] = (struct iovec){(void *)(uintptr_t)runs[i]->address, runs[i]->size};
    }
    if (remote_read_all(memory, local, remote, count))
        return;
    for (size_t i = 0; i < count; i++)
        copy_pages(memory, runs[i]);
}

void image_copy(struct image *image, struct remote_memory *memory, bool is_shared) {
    struct image_run *runs[IOV_MAX];
    size_t count = 0;
    for (size_t i = 0; i < image->count; i++) {
        if (image->runs[i].is_shared == is_shared)
            runs[count++] = &image->runs[i];
        if (count == IOV_MAX || i + 1 == image->count) {
            copy_some(memory, runs, count);
            count = 0;
        }
    }
}

/* ---- Reading the copy. */

size_t image_first_from(const struct image *image, uint64_t address) {
    size_t next = sorted_up_to(image->runs, image->count, sizeof *image->runs,
                               offsetof(struct image_run, address), address);
    bool is_in = next && address - image->runs[next - 1].address < image->runs[next - 1].size;
    return is_in ? next - 1 : next;
}

const char *image_at(const struct image *image, uint64_t address, uint64_t *size) {
    size_t i = image_first_from(image, address);
    const struct image_run *run = &image->runs[i];
    if (i == image->count || run->address > address)
        return NULL;
    uint64_t left = run->size - (address - run->address);
    *size = *size < left ? *size : left;
    return run->bytes + (address - run->address);
}

bool image_read(const struct image *image, uint64_t address, void *to, size_t size) {
    while (size) {
        uint64_t part = size;
        const char *from = image_at(image, address, &part);
        if (!from)
            return false;
        memcpy(to, from, part);
        to = (char *)to + part;
        address += part;
        size -= part;
    }
    return true;
}
