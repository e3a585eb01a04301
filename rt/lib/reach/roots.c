/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a search for what is reached starts.
 *
 * Roots lie outside of blocks: a block counts if it is reached, and then as a whole. So a stack that the
 * program allocated is searched because its stack pointer reaches it, and where the end of a root is not
 * known exactly, a block behind it does not count as part of it. */
#define _GNU_SOURCE
#include "lib/reach/still.h"

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

#define RED_ZONE        128 /* below the stack pointer, for functions that call none */

/* What is being searched. */
struct source {
    const struct roots *roots;
    enum graph_root_kind kind;
    int32_t thread;
};

static void tell(const struct source *source, struct live_block *block, uintptr_t word, uintptr_t at) {
    const struct roots *roots = source->roots;
    roots->found(roots->context, block, &(struct reach_root){source->kind, source->thread, at, word});
}

static void tell_at(void *context, struct live_block *block, uintptr_t word, uintptr_t at) {
    const struct source *source = context;
    tell(source, block, word, source->kind == GRAPH_DATA || source->kind == GRAPH_STACK ? at : 0);
}

static void search_value(const struct source *source, uintptr_t value) {
    struct live_block *block = blocks_find(source->roots->blocks, value);
    if (block)
        tell(source, block, value, 0);
}

static void search_root(struct source *source, struct span root) {
    blocks_search_between(source->roots->blocks, source->roots->maps, root, tell_at, source);
}

/* The runtime's thread-local memory lies as far from the thread pointer in every thread. */
static void search_around_own(struct source *source, struct span root, uintptr_t tp) {
    uintptr_t own = (uintptr_t)&local - source->roots->caller.tp + tp;
    if (own >= root.end || own + sizeof local <= root.begin) {
        search_root(source, root);
        return;
    }
    search_root(source, (struct span){root.begin, own});
    search_root(source, (struct span){own + sizeof local, root.end});
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
static struct span static_tls(const struct roots *roots) {
    uintptr_t tp = roots->caller.tp;
    struct span around = {tp, tp};
    for (size_t i = 0; i < roots->modules->tls_count; i++) {
        struct span tls = roots->modules->tls[i];
        if (blocks_find(roots->blocks, tls.begin))
            continue;
        around.begin = least(around.begin, tls.begin);
        around.end = most(around.end, tls.end);
    }
    return around;
}

/* Of the first thread's nobody knows what lies around; below any other's is its stack. */
struct span roots_thread_memory(const struct roots *roots, struct caller thread) {
    uintptr_t tp = thread.tp;
    struct span mapping = maps_at(roots->maps, tp);
    struct span here = static_tls(roots);
    uintptr_t below = roots->caller.tp - here.begin + (thread.is_first ? DESCRIPTOR_ROOM : 0);
    uintptr_t above = here.end - roots->caller.tp + DESCRIPTOR_ROOM;
    return (struct span){most(mapping.begin, tp - below), least(mapping.end, tp + above)};
}

/* The first thread's stack ends with its mapping, any other's with its thread-local memory. A thread that is
 * on another stack, for signals or a coroutine's, may come back to any part of its own. */
static void search_stack(struct source *source, struct caller thread, uintptr_t sp, struct span own) {
    if (own.begin <= sp && sp <= own.end) {
        search_around_own(source, (struct span){sp, own.end}, thread.tp);
        return;
    }
    search_root(source, (struct span){sp, maps_at(source->roots->maps, thread.sp).end});
    search_around_own(source, own, thread.tp);
}

/* The calling thread tells where its frames begin. */
uintptr_t roots_stack_begin(const struct roots *roots, struct caller thread, int32_t id) {
    uintptr_t red_zone = id == roots->stop->caller ? 0 : RED_ZONE;
    return most(thread.sp - red_zone, maps_at(roots->maps, thread.sp).begin);
}

/* What calls preserve of the thread that asks. */
static void search_preserved(const struct roots *roots) {
    static const uint8_t preserved[] = {CFI_RBX, CFI_RBP, 12, 13, 14, 15};
    struct source source = {roots, GRAPH_REGISTER, roots->stop->caller};
    for (size_t i = 0; i < sizeof preserved; i++)
        search_value(&source, roots->registers[preserved[i]]);
}

/* Thread-local memory is only known to end below so much; what is in use of the stack may begin in that. */
static void search_thread(const struct roots *roots, struct caller thread, int32_t id) {
    struct source registers = {roots, GRAPH_REGISTER, id}, locals = {roots, GRAPH_THREAD, id};
    struct source stack = {roots, GRAPH_STACK, id};
    struct span tls = roots_thread_memory(roots, thread), lowest = maps_at(roots->maps, thread.tp);
    uintptr_t sp = roots_stack_begin(roots, thread, id);
    search_value(&registers, thread.sp);
    search_value(&registers, thread.tp);
    if (!thread.is_first && tls.begin <= sp && sp < tls.end)
        tls.begin = sp;
    search_around_own(&locals, tls, thread.tp);
    search_stack(&stack, thread, sp,
                 thread.is_first ? roots->maps->stack : (struct span){lowest.begin, tls.begin});
}

static void search_stopped(const struct roots *roots) {
    const struct stop *stop = roots->stop;
    for (uint32_t i = 0; i < stop->count; i++) {
        const struct registers *registers = &stop->registers[i];
        int32_t id = stop->threads[i].id;
        struct source source = {roots, GRAPH_REGISTER, id};
        if (!registers->sp)
            continue;
        for (size_t word = 0; word < sizeof registers->words / sizeof *registers->words; word++)
            search_value(&source, registers->words[word]);
        search_thread(roots, (struct caller){registers->sp, registers->tp, id == stop->process}, id);
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

static const void *header_of(const struct dl_phdr_info *object) {
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[i];
        if (header->p_type == PT_LOAD)
            return (const void *)(object->dlpi_addr + header->p_vaddr - header->p_offset);
    }
    return NULL;
}

/* From its first to its last segment. */
static struct span whole_of(const struct dl_phdr_info *object) {
    struct span whole = {UINTPTR_MAX, 0};
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[i];
        uintptr_t begin = object->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD)
            whole = (struct span){least(whole.begin, begin), most(whole.end, begin + header->p_memsz)};
    }
    return whole;
}

static void add_data(struct modules_data *modules, const struct dl_phdr_info *object, struct span segment) {
    if (is_own(segment))
        modules->own = segment;
    else
        modules->data[modules->data_count++] = (struct module_data){
            segment, whole_of(object), object->dlpi_addr, header_of(object), object->dlpi_name};
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
            add_data(modules, object, (struct span){begin, begin + header->p_memsz});
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
    *modules = (struct modules_data){.mapped = headers * (sizeof *modules->data + sizeof *modules->tls)};
    modules->data = os_map(modules->mapped, OS_FORK_KEEPS);
    if (!modules->data)
        return false;
    modules->tls = (struct span *)(modules->data + headers);
    dl_iterate_phdr(visit_object, modules);
    return true;
}

void modules_data_release(struct modules_data *modules) {
    if (modules->data)
        os_unmap(modules->data, modules->mapped);
}

static void search_modules(const struct roots *roots) {
    struct source data = {roots, GRAPH_DATA, 0}, locals = {roots, GRAPH_THREAD, roots->stop->caller};
    for (size_t i = 0; i < roots->modules->data_count; i++) {
        roots->blocks->heads = roots->modules->heap_first <= i && i < roots->modules->heap_last;
        search_root(&data, roots->modules->data[i].span);
    }
    roots->blocks->heads = false;
    for (size_t i = 0; i < roots->modules->tls_count; i++)
        search_value(&locals, roots->modules->tls[i].begin);
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

static void search_in_use(const struct roots *roots) {
    struct source source = {roots, GRAPH_LOADER, 0};
    for (uint32_t i = 0; i < roots->blocks->count; i++) {
        struct live_block *block = &roots->blocks->all[i];
        if (block->slot == SLOT_OURS || is_loaders(roots->loader, block->slot))
            tell(&source, block, block->start, 0);
    }
}

void roots_search(const struct roots *roots) {
    search_modules(roots);
    search_in_use(roots);
    search_preserved(roots);
    search_thread(roots, roots->caller, roots->stop->caller);
    search_stopped(roots);
}

bool roots_search_coroutines(const struct roots *roots) {
    struct blocks *blocks = roots->blocks;
    struct source source = {roots, GRAPH_STACK, 0};
    if (!blocks->coroutines_pending)
        return false;
    blocks->coroutines_pending = false;
    for (uint32_t i = 0; i < blocks->coroutine_count; i++) {
        struct coroutine *coroutine = &blocks->coroutines[i];
        struct span fresh = {coroutine->from, coroutine->searched};
        coroutine->searched = coroutine->from;
        search_root(&source, fresh);
    }
    return true;
}
