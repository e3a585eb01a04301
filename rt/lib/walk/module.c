/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the module of an address by the ELF headers at the start of the module. */
#define _GNU_SOURCE
#include "lib/walk/rule.h"

#include "lib/elf/image.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

/* In a static program _dl_find_object gives no ELF header; older C libraries have no such function. */
#if defined ALLOCSITE_STATIC || !__GLIBC_PREREQ(2, 35)
#define FIND_RUNTIME_FIRST true
#else
#define FIND_RUNTIME_FIRST false
#endif

struct segments {
    const ElfW(Phdr) * all;
    unsigned count;
    uintptr_t base; /* the load address, which the headers' addresses are relative to */
};

static bool read_segments(struct segments *segments, const ElfW(Ehdr) * header) {
    segments->all = elf_segments(header);
    segments->count = header->e_phnum;
    segments->base = elf_base(header);
    return segments->all;
}

static const ElfW(Phdr) * segment_of(const struct segments *segments, uintptr_t address) {
    for (unsigned i = 0; i < segments->count; i++) {
        const ElfW(Phdr) *segment = &segments->all[i];
        if (segment->p_type == PT_LOAD && address - segments->base - segment->p_vaddr < segment->p_memsz)
            return segment;
    }
    return NULL;
}

static uintptr_t tables_header(const struct segments *segments) {
    for (unsigned i = 0; i < segments->count; i++)
        if (segments->all[i].p_type == PT_GNU_EH_FRAME)
            return segments->base + segments->all[i].p_vaddr;
    return 0;
}

/* Limits reading to the segment that holds the tables. */
static void find_tables(const struct segments *segments, struct cfi_tables *tables) {
    uintptr_t header = tables_header(segments);
    const ElfW(Phdr) *segment = header ? segment_of(segments, header) : NULL;
    *tables = (struct cfi_tables){.begin = 0};
    if (!segment)
        return;
    uintptr_t begin = segments->base + segment->p_vaddr;
    *tables = (struct cfi_tables){begin, begin + segment->p_filesz, header};
}

static bool find_runtime(struct segments *segments, uintptr_t address) {
    return read_segments(segments, &__ehdr_start) && segment_of(segments, address);
}

static enum walk_where find_by_segments(const struct segments *segments, uintptr_t address,
                                        struct cfi_tables *tables) {
    const ElfW(Phdr) *segment = segment_of(segments, address);
    if (!segment || !(segment->p_flags & PF_X))
        return WALK_DATA;
    find_tables(segments, tables);
    return WALK_CODE;
}

#if __GLIBC_PREREQ(2, 35)

/* If an executable has gaps between its segments, the loader treats each segment as a module. It does not say
 * where the ELF headers are, but it does say where the tables are. */
static enum walk_where find_by_part(const struct dl_find_object *part, struct cfi_tables *tables) {
    struct dl_find_object other;
    uintptr_t header = (uintptr_t)part->dlfo_eh_frame;
    *tables = (struct cfi_tables){.begin = 0};
    if (header && _dl_find_object((void *)header, &other) == 0)
        *tables = (struct cfi_tables){(uintptr_t)other.dlfo_map_start, (uintptr_t)other.dlfo_map_end, header};
    return WALK_CODE;
}

static enum walk_where find_by_loader(uintptr_t address, struct cfi_tables *tables) {
    struct dl_find_object found;
    struct segments segments;
    if (_dl_find_object((void *)address, &found) != 0)
        return WALK_NO_MODULE;
    if (read_segments(&segments, found.dlfo_map_start))
        return find_by_segments(&segments, address, tables);
    return find_by_part(&found, tables);
}

#else

static enum walk_where find_by_loader(uintptr_t address, struct cfi_tables *tables) {
    (void)address;
    (void)tables;
    return WALK_NO_MODULE;
}

#endif

static enum walk_where find_module(uintptr_t address, struct cfi_tables *tables) {
    struct segments runtime;
    if (FIND_RUNTIME_FIRST && find_runtime(&runtime, address))
        return find_by_segments(&runtime, address, tables);
    return find_by_loader(address, tables);
}

void walk_place_find(struct walk_place *place, uintptr_t pc, bool is_next) {
    struct cfi_tables *tables = &place->tables;
    struct cfi_row *row = &place->row;
    uintptr_t address = pc - !is_next;
    place->where = find_module(address, tables);
    place->frame = WALK_UNKNOWN;
    if (place->where != WALK_CODE)
        return;
    if (cfi_find(tables, address, row))
        place->frame = WALK_HAS_ROW;
    else if (!is_next && cfi_find(tables, pc, row))
        place->frame = row->is_signal_frame ? WALK_HAS_ROW : WALK_FIRST;
}

#ifdef ALLOCSITE_STATIC

/* The build renames the sections of the runtime's code, so that linkers define their start and end. */
#define MARK(symbol) extern const char symbol[] __attribute__((weak, visibility("hidden")))
MARK(__start_allocsite_text);
MARK(__stop_allocsite_text);
MARK(__start_allocsite_cold);
MARK(__stop_allocsite_cold);

bool walk_is_runtime(uintptr_t address) {
    uintptr_t text = (uintptr_t)__start_allocsite_text, cold = (uintptr_t)__start_allocsite_cold;
    return address - text < (uintptr_t)__stop_allocsite_text - text ||
           address - cold < (uintptr_t)__stop_allocsite_cold - cold;
}

#else

bool walk_is_runtime(uintptr_t address) {
    struct segments segments;
    return find_runtime(&segments, address);
}

#endif
