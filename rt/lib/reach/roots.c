/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the search for lost blocks starts.
 *
 * Roots lie outside of blocks: a block counts if it is reached, and then as a whole. So a stack that the
 * program allocated is searched because its stack pointer reaches it, and where the end of a root is not
 * known exactly, a block behind it does not count as part of it. */
#define _GNU_SOURCE
#include "lib/reach/roots.h"

#include "lib/base/local.h"
#include "lib/base/slot.h"
#include "lib/who/descriptor.h"
#include "lib/who/modules.h"
#include "lib/who/registry.h"

#include "lib/base/os.h"

#include <gnu/libc-version.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

/* The C library's thread descriptor, which holds the values of the program's first keys
 * (pthread_setspecific), begins or ends at the thread pointer and is of no known size: 2,304 bytes in
 * glibc 2.36. */
#define DESCRIPTOR_ROOM 4096

#ifdef __x86_64__
#define RED_ZONE 128 /* below the stack pointer, for functions that call none */
#else
#define RED_ZONE 0
#endif

typedef uintptr_t __attribute__((may_alias)) word;

static void reach_value(struct blocks *blocks, uintptr_t value) {
    struct live_block *block = blocks_find(blocks, value);
    if (block)
        blocks_reach(blocks, block);
}

static void search_words(struct blocks *blocks, uintptr_t begin, uintptr_t end) {
    begin = (begin + sizeof(word) - 1) & -sizeof(word);
    for (; begin + sizeof(word) <= end; begin += sizeof(word))
        reach_value(blocks, *(const word *)begin);
}

void search_span(const struct maps *maps, struct blocks *blocks, struct span span) {
    const struct span *readable = maps_behind(maps, span.begin);
    const struct span *last = maps->spans + maps->count;
    for (; readable && readable < last && readable->begin < span.end; readable++) {
        uintptr_t begin = readable->begin > span.begin ? readable->begin : span.begin;
        uintptr_t end = readable->end < span.end ? readable->end : span.end;
        search_words(blocks, begin, end);
    }
}

static void search_root(const struct roots *roots, struct blocks *blocks, struct span root) {
    uint32_t i = blocks_behind(blocks, root.begin);
    for (; i < blocks->count && blocks->all[i].start < root.end; i++) {
        search_span(roots->maps, blocks, (struct span){root.begin, blocks->all[i].start});
        root.begin = blocks->all[i].start + blocks->all[i].size;
    }
    search_span(roots->maps, blocks, root);
}

/* The runtime's thread-local memory lies as far from the thread pointer in every thread. */
static void search_around_own(const struct roots *roots, struct blocks *blocks, struct span root,
                              uintptr_t tp) {
    uintptr_t own = (uintptr_t)&local - roots->caller.tp + tp;
    if (own >= root.end || own + sizeof local <= root.begin) {
        search_root(roots, blocks, root);
        return;
    }
    search_root(roots, blocks, (struct span){root.begin, own});
    search_root(roots, blocks, (struct span){own + sizeof local, root.end});
}

/* ---- threads ---- */

static uintptr_t least(uintptr_t a, uintptr_t b) {
    return a < b ? a : b;
}

static uintptr_t most(uintptr_t a, uintptr_t b) {
    return a > b ? a : b;
}

/* A module's thread-local memory that was there when the thread started is next to the thread pointer. Any
 * other is a block. */
static struct span static_tls(const struct roots *roots, const struct blocks *blocks) {
    uintptr_t tp = roots->caller.tp;
    struct span around = {tp, tp};
    for (size_t i = 0; i < roots->modules->tls_count; i++) {
        struct span tls = roots->modules->tls[i];
        if (blocks_find(blocks, tls.begin))
            continue;
        around.begin = least(around.begin, tls.begin);
        around.end = most(around.end, tls.end);
    }
    return around;
}

static struct span thread_memory(const struct roots *roots, const struct blocks *blocks, uintptr_t tp) {
    struct span mapping = maps_at(roots->maps, tp);
    struct span here = static_tls(roots, blocks);
    uintptr_t below = roots->caller.tp - here.begin + DESCRIPTOR_ROOM;
    uintptr_t above = here.end - roots->caller.tp + DESCRIPTOR_ROOM;
    return (struct span){most(mapping.begin, tp - below), least(mapping.end, tp + above)};
}

/* The first thread's stack ends with its mapping, any other's with its thread-local memory. A thread that is
 * on another stack, for signals or a coroutine's, may come back to any part of its own. */
static void search_thread(const struct roots *roots, struct blocks *blocks, struct caller thread) {
    struct span tls = thread_memory(roots, blocks, thread.tp);
    struct span own =
        thread.is_first ? roots->maps->stack : (struct span){maps_at(roots->maps, thread.tp).begin, tls.end};
    struct span current = maps_at(roots->maps, thread.sp);
    uintptr_t sp = most(thread.sp - RED_ZONE, current.begin);
    reach_value(blocks, thread.sp);
    reach_value(blocks, thread.tp);
    if (thread.is_first)
        search_around_own(roots, blocks, tls, thread.tp);
    if (own.begin <= thread.sp && thread.sp < own.end) {
        search_around_own(roots, blocks, (struct span){sp, own.end}, thread.tp);
        return;
    }
    search_root(roots, blocks, (struct span){sp, current.end});
    search_around_own(roots, blocks, own, thread.tp);
}

static void search_stopped(const struct roots *roots, struct blocks *blocks) {
    struct registers registers;
    for (uint32_t i = 0; i < roots->stop->count; i++) {
        const struct stopped_thread *thread = &roots->stop->threads[i];
        if (!stop_registers(thread, &registers))
            continue;
        for (size_t word = 0; word < sizeof registers.words / sizeof *registers.words; word++)
            reach_value(blocks, registers.words[word]);
        search_thread(roots, blocks,
                      (struct caller){registers.sp, registers.tp, thread->id == roots->stop->process});
    }
}

/* ---- modules ---- */

/* Linked statically, the runtime has no segment of its own, and there is no pointer to a block in its data.
 */
static bool is_own(struct span segment) {
#ifdef ALLOCSITE_STATIC
    (void)segment;
    return false;
#else
    uintptr_t own = (uintptr_t)&shadow;
    return segment.begin <= own && own < segment.end;
#endif
}

static void add_data(struct modules_data *modules, struct span segment) {
    if (!is_own(segment))
        modules->data[modules->data_count++] = segment;
}

/* The module that holds the C library's code. */
static bool is_c_library(const struct dl_phdr_info *object) {
    uintptr_t code = (uintptr_t)gnu_get_libc_version - object->dlpi_addr;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && code - header->p_vaddr < header->p_memsz)
            return true;
    }
    return false;
}

static int visit_object(struct dl_phdr_info *object, size_t size, void *context) {
    struct modules_data *modules = context;
    size_t first = modules->data_count;
    bool tells_tls = size >= offsetof(struct dl_phdr_info, dlpi_tls_data) + sizeof object->dlpi_tls_data;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[i];
        uintptr_t tls = tells_tls ? (uintptr_t)object->dlpi_tls_data : 0;
        uintptr_t begin = object->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && header->p_flags & PF_W)
            add_data(modules, (struct span){begin, begin + header->p_memsz});
        if (header->p_type == PT_TLS && tls)
            modules->tls[modules->tls_count++] = (struct span){tls, tls + header->p_memsz};
    }
    if (is_c_library(object)) {
        modules->heap_first = first;
        modules->heap_last = modules->data_count;
    }
    return 0;
}

static int visit_count(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    *(size_t *)context += object->dlpi_phnum;
    return 0;
}

bool modules_data_read(struct modules_data *modules) {
    size_t headers = 0;
    dl_iterate_phdr(visit_count, &headers);
    *modules = (struct modules_data){.mapped = 2 * headers * sizeof *modules->data};
    modules->data = os_map(modules->mapped, OS_FORK_KEEPS);
    if (!modules->data)
        return false;
    modules->tls = modules->data + headers;
    dl_iterate_phdr(visit_object, modules);
    return true;
}

void modules_data_release(struct modules_data *modules) {
    if (modules->data)
        os_unmap(modules->data, modules->mapped);
}

static void search_modules(const struct roots *roots, struct blocks *blocks) {
    for (size_t i = 0; i < roots->modules->data_count; i++) {
        blocks->heads = roots->modules->heap_first <= i && i < roots->modules->heap_last;
        search_root(roots, blocks, roots->modules->data[i]);
    }
    blocks->heads = false;
    for (size_t i = 0; i < roots->modules->tls_count; i++)
        reach_value(blocks, roots->modules->tls[i].begin);
}

/* What the loader allocates for a line of the program: it finds threads' memory and modules by other ways
 * than pointers to the block. */
static bool asks_loader(const struct allocsite_site *site) {
    const char *callee = descriptor_request(site, false);
    return callee && (strcmp(callee, "pthread_create") == 0 || strcmp(callee, "dlopen") == 0 ||
                      strcmp(callee, "dlmopen") == 0);
}

static bool is_loaders(const struct module *loader, uint32_t slot) {
    const struct record *record = record_at(slot);
    return record && (record->site ? asks_loader(record->site) : record->module == loader);
}

static void reach_in_use(const struct roots *roots, struct blocks *blocks) {
    for (uint32_t i = 0; i < blocks->count; i++)
        if (blocks->all[i].slot == SLOT_OURS || is_loaders(roots->loader, blocks->all[i].slot))
            blocks_reach(blocks, &blocks->all[i]);
}

void roots_search(const struct roots *roots, struct blocks *blocks) {
    search_modules(roots, blocks);
    reach_in_use(roots, blocks);
    search_thread(roots, blocks, roots->caller);
    search_stopped(roots, blocks);
}
