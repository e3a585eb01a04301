/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The memory of a process: its mappings, and what of them modules have. */
#include "dump/capture/roots.h"

#include "base/path.h"
#include "base/sort.h"
#include "dump/base/memory.h"
#include "dump/process/process.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { SEGMENTS_MAX = 128 };

struct reading {
    struct capture_maps *maps;
    struct remote_memory *memory;
    const struct remote_root *root;
    const struct heap *heap;
};

static bool is_c_library(const struct reading *reading, const char *path) {
    return strncmp(path_base(path), "libc.so", strlen("libc.so")) == 0 ||
           strncmp(path_base(path), "libc-", strlen("libc-")) == 0 ||
           reading->root->root.flags & ROOT_IS_STATIC;
}

/* Linked statically, the runtime has no segment of its own. */
static bool is_own(const struct reading *reading, uint64_t begin, uint64_t end) {
    uint64_t own = (uintptr_t)reading->heap->layout.small;
    return !(reading->root->root.flags & ROOT_IS_STATIC) && begin <= own && own < end;
}

static void add_data(struct reading *reading, uint64_t base, const Elf64_Phdr *segment, const char *path) {
    struct capture_maps *maps = reading->maps;
    uint64_t begin = base + segment->p_vaddr, end = begin + segment->p_memsz;
    if (is_own(reading, begin, end))
        return;
    memory_grow(&maps->data, maps->data_count, &maps->data_room, sizeof *maps->data);
    maps->data[maps->data_count++] =
        (struct capture_data){begin, end, base, path, NULL, is_c_library(reading, path)};
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
    memory_grow(&maps->modules, maps->module_count, &maps->module_room, sizeof *maps->modules);
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

static void see(struct reading *reading, const struct process_mapping *mapping) {
    struct capture_maps *maps = reading->maps;
    bool is_module =
        mapping->inode && mapping->offset == 0 && mapping->flags[0] == 'r' && mapping->flags[3] == 'p';
    memory_grow(&maps->list, maps->count, &maps->room, sizeof *maps->list);
    maps->list[maps->count++] = (struct capture_map){
        .begin = mapping->start,
        .end = mapping->end,
        .is_readable = mapping->flags[0] == 'r',
        .is_writable = mapping->flags[0] == 'r' && mapping->flags[1] == 'w',
        .is_stack = strcmp(mapping->path, "[stack]") == 0,
    };
    if (is_module)
        see_module(reading, mapping->start, string_keep(&maps->strings, mapping->path));
}

bool capture_maps_read(struct capture_maps *maps, struct remote_memory *memory,
                       const struct remote_root *root, const struct heap *heap, struct reason *why) {
    struct reading reading = {maps, memory, root, heap};
    struct process_maps file;
    *maps = (struct capture_maps){.count = 0};
    if (!process_maps_open(&file, memory->pid, why))
        return false;
    for (struct process_mapping mapping; process_maps_next(&file, &mapping);)
        see(&reading, &mapping);
    process_maps_close(&file);
    return maps->count || reason_set(why, "has ended, or is a part of the kernel");
}

void capture_maps_free(struct capture_maps *maps) {
    free(maps->list);
    free(maps->data);
    free(maps->modules);
    string_pool_free(&maps->strings);
    *maps = (struct capture_maps){.count = 0};
}

bool capture_maps_at(const struct capture_maps *maps, uint64_t address) {
    size_t next = sorted_up_to(maps->list, maps->count, sizeof *maps->list,
                               offsetof(struct capture_map, begin), address);
    return next && address < maps->list[next - 1].end;
}

static bool has(const struct capture_map *map, uint64_t address) {
    return map->begin <= address && address < map->end;
}

bool capture_maps_is_root(const struct capture_maps *maps, const struct capture_map *map,
                          const struct stop *stop) {
    for (size_t i = 0; i < maps->data_count; i++)
        if (maps->data[i].begin < map->end && map->begin < maps->data[i].end)
            return true;
    for (size_t i = 0; i < stop->count; i++)
        if (has(map, stop->threads[i].sp) || has(map, stop->threads[i].tp))
            return true;
    return map->is_stack;
}
