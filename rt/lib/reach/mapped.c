/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks that are known only to memory which the program mapped itself.
 *
 * Such memory is no root: a stale pointer in it would hide a leak. But a block to which it points may be in
 * use. The search covers all pages that were ever touched, except for the memory of the runtime, of modules
 * and of stacks, and the allocator's memory between blocks, which holds stale addresses from freed blocks and
 * the allocator's own. A page is searched if it is not certain that it is one of these: a lost block may thus
 * be called possibly lost, but a block in use is never called lost. */
#include "lib/reach/still.h"

#include "base/arrays.h"
#include "lib/heap/next.h"
#include "lib/heap/shadow.h"

#define PAGE ((uintptr_t)4096)

typedef uintptr_t __attribute__((may_alias)) aligned_word;

/* ---- The allocator's memory. */

/* glibc maps a block of this size by itself, and behind the last block of a heap it keeps about as much. */
#define ALONE_SIZE  ((uint64_t)128 << 10)
#define HEAP_BEHIND ((uintptr_t)128 << 10)

/* Heaps of glibc's threads are not larger. */
#define HEAP_MOST ((uintptr_t)64 << 20)

/* What of the chunk that ends at chunk_end is the allocator's: blocks in it, live or freed, are never far
 * apart. */
struct heap_part {
    uintptr_t begin; /* of what is looked at */
    uintptr_t chunk_end, from, until;
};

/* What such a block was in may be the program's when it is freed. */
static bool is_alone(uintptr_t start, const struct block *block) {
    return block->size >= ALONE_SIZE && (start % PAGE == 0 || start % PAGE == 16);
}

static void add_block(void *context, const void *p, const struct block *block) {
    struct heap_part *heap = context;
    uintptr_t start = (uintptr_t)p, until = start + block->size + HEAP_BEHIND;
    if (start < heap->begin || is_alone(start, block))
        return;
    if (heap->from == UINTPTR_MAX)
        heap->from = start & -PAGE;
    if (heap->until < until)
        heap->until = until;
}

static void next_chunk(struct heap_part *heap) {
    bool goes_on = heap->until > heap->chunk_end;
    heap->from = goes_on ? heap->chunk_end : UINTPTR_MAX;
    shadow_walk_chunk(heap->chunk_end, add_block, heap);
    heap->chunk_end += SHADOW_CHUNK;
}

/* Addresses come in ascending order in each mapping. */
static bool is_allocators(struct heap_part *heap, struct span mapping, uintptr_t at) {
    uintptr_t begin = at - mapping.begin > HEAP_MOST ? at - HEAP_MOST : mapping.begin;
    if (heap->chunk_end < begin)
        *heap = (struct heap_part){.begin = begin, .chunk_end = begin & -SHADOW_CHUNK};
    while (heap->chunk_end <= at)
        next_chunk(heap);
    return heap->from <= at && at < heap->until;
}

/* What another allocator than the C library's keeps of its blocks, which holds their addresses, is in the
 * mappings to which its data points. In an executable that data could be the program's, too. */
static bool is_allocators_data(const struct module_data *data) {
    uintptr_t function = (uintptr_t)next.malloc;
    return *data->name && data->whole.begin <= function && function < data->whole.end;
}

static void pass_over_books(const struct maps *maps, struct span data) {
    for (uintptr_t at = (data.begin + 7) & -8; at + 8 <= data.end; at += 8) {
        uintptr_t word = *(const aligned_word *)at;
        if (maps_anonymous_at(maps, word).end)
            maps->kinds[maps_behind(maps, word) - maps->spans] = MAPS_OTHER;
    }
}

static void pass_over_allocator(const struct roots *roots) {
    if (next_is_glibc())
        return;
    for (size_t i = 0; i < roots->modules->data_count; i++)
        if (is_allocators_data(&roots->modules->data[i]))
            pass_over_books(roots->maps, roots->modules->data[i].span);
}

/* ---- Stacks. */

struct mapped {
    const struct roots *roots;
    struct span *known; /* sorted: memory that is no program's data, or was searched */
    size_t known_count;
    int pagemap;
    struct pages pages;
    struct span mapping;   /* that is searched, ... */
    uintptr_t threads_end; /* ... and below this there are stacks of threads; 0: not looked for yet */
    struct heap_part heap;
};

static bool is_touched(struct mapped *mapped, uintptr_t address) {
    return pages_touched(&mapped->pages, mapped->pagemap, address);
}

/* What was used of a stack below a stack pointer is one stretch of pages, as a rule. */
static uintptr_t stack_begin(struct mapped *mapped, struct span mapping, uintptr_t sp) {
    uintptr_t page = sp & -PAGE;
    while (page > mapping.begin && is_touched(mapped, page - PAGE))
        page -= PAGE;
    return page < mapping.begin ? mapping.begin : page;
}

/* The C library's descriptor of a thread, where its stack ends, holds its own address twice, in
 * tcbhead_t.tcb and .self (sysdeps/x86_64/nptl/tls.h): also when the thread has ended, and the stack waits
 * for another one. */
static bool is_thread(uintptr_t at) {
    const aligned_word *words = (const aligned_word *)at;
    return words[0] == at && words[2] == at;
}

enum { THREAD_ALIGNMENT = 64, THREAD_SIZE = 4096 };

static uintptr_t find_threads_end(struct mapped *mapped, struct span mapping, uintptr_t first_thread) {
    for (uintptr_t page = mapping.end; page > mapping.begin;) {
        page -= PAGE;
        for (uintptr_t at = page + PAGE; is_touched(mapped, page) && at > page;) {
            at -= THREAD_ALIGNMENT;
            if (is_thread(at) && at != first_thread)
                return at + THREAD_SIZE;
        }
    }
    return mapping.begin;
}

/* ---- Memory that is passed over. */

static struct caller stopped_thread(const struct stop *stop, uint32_t i) {
    return (struct caller){stop->registers[i].sp, stop->registers[i].tp,
                           stop->threads[i].id == stop->process};
}

static void add_known(struct mapped *mapped, uintptr_t begin, uintptr_t end) {
    mapped->known[mapped->known_count++] = (struct span){begin & -PAGE, (end + PAGE - 1) & -PAGE};
}

/* Below other threads' stack pointers their stacks are found as those of threads that have ended. */
static void add_thread(struct mapped *mapped, struct caller thread) {
    struct span mapping = maps_at(mapped->roots->maps, thread.sp);
    if (mapping.end && maps_anonymous_at(mapped->roots->maps, thread.sp).end)
        add_known(mapped, stack_begin(mapped, mapping, thread.sp), thread.sp);
    if (thread.is_first && thread.tp) {
        struct span memory = roots_thread_memory(mapped->roots, thread);
        add_known(mapped, memory.begin, memory.end);
    }
}

static void add_stacks(struct mapped *mapped) {
    const struct roots *roots = mapped->roots;
    add_thread(mapped, roots->caller);
    for (uint32_t i = 0; i < roots->stop->count; i++)
        add_thread(mapped, stopped_thread(roots->stop, i));
    for (uint32_t i = 0; i < roots->blocks->coroutine_count; i++) {
        const struct coroutine *coroutine = &roots->blocks->coroutines[i];
        struct span mapping = maps_at(roots->maps, coroutine->from);
        add_known(mapped, stack_begin(mapped, mapping, coroutine->from), coroutine->end);
    }
}

static int compare_spans(const void *left, const void *right) {
    const struct span *a = left, *b = right;
    return compare_u64(a->begin, b->begin);
}

/* False: no memory. */
static bool find_known(struct mapped *mapped, size_t *size) {
    const struct roots *roots = mapped->roots;
    const size_t spare =
        64; /* for memory of the runtime that comes meanwhile: none of it is in the mappings */
    size_t own = os_own_spans(NULL, 0) + spare;
    size_t others =
        roots->modules->data_count + 2 * (roots->stop->count + 1) + roots->blocks->coroutine_count + 1;
    *size = (own + others) * sizeof *mapped->known;
    mapped->known = os_map(*size, OS_FORK_KEEPS);
    if (!mapped->known)
        return false;
    size_t count = os_own_spans(mapped->known, own);
    for (size_t i = 0; i < count && i < own; i++)
        add_known(mapped, mapped->known[i].begin, mapped->known[i].end);
    for (size_t i = 0; i < roots->modules->data_count; i++)
        add_known(mapped, roots->modules->data[i].span.begin, roots->modules->data[i].span.end);
    add_known(mapped, roots->modules->own.begin, roots->modules->own.end);
    add_stacks(mapped);
    sort_array(mapped->known, mapped->known_count, sizeof *mapped->known, compare_spans);
    return true;
}

/* ---- The search. */

static uintptr_t first_thread(const struct roots *roots) {
    for (uint32_t i = 0; i < roots->stop->count; i++)
        if (stopped_thread(roots->stop, i).is_first)
            return roots->stop->registers[i].tp;
    return roots->caller.is_first ? roots->caller.tp : 0;
}

static void found(void *context, struct live_block *block, uintptr_t word, uintptr_t at) {
    struct mapped *mapped = context;
    (void)word;
    if (block->reached)
        return;
    if (!mapped->threads_end)
        mapped->threads_end = find_threads_end(mapped, mapped->mapping, first_thread(mapped->roots));
    if (at >= mapped->threads_end && !is_allocators(&mapped->heap, mapped->mapping, at))
        blocks_reach(mapped->roots->blocks, block);
}

static void search_touched(struct mapped *mapped, uintptr_t begin, uintptr_t end) {
    for (uintptr_t page = begin; page < end; page += PAGE) {
        uintptr_t first = page;
        while (page < end && is_touched(mapped, page))
            page += PAGE;
        if (page > first)
            blocks_search_between(mapped->roots->blocks, mapped->roots->maps, (struct span){first, page},
                                  found, mapped);
    }
}

static void search_mapping(struct mapped *mapped, struct span mapping) {
    uintptr_t at = mapping.begin;
    mapped->mapping = mapping;
    mapped->threads_end = 0;
    mapped->heap = (struct heap_part){.begin = mapping.begin, .chunk_end = mapping.begin & -SHADOW_CHUNK};
    for (size_t i = 0; i < mapped->known_count && mapped->known[i].begin < mapping.end; i++) {
        if (mapped->known[i].end <= at)
            continue;
        if (mapped->known[i].begin > at)
            search_touched(mapped, at, mapped->known[i].begin);
        at = mapped->known[i].end;
    }
    if (at < mapping.end)
        search_touched(mapped, at, mapping.end);
}

static bool are_all_reached(const struct blocks *blocks) {
    for (uint32_t i = 0; i < blocks->count; i++)
        if (!blocks->all[i].reached)
            return false;
    return true;
}

bool mapped_search(const struct roots *roots) {
    struct mapped mapped = {.roots = roots};
    size_t size;
    if (are_all_reached(roots->blocks))
        return true;
    mapped.pagemap = pages_open();
    bool is_searched = find_known(&mapped, &size);
    coroutines_release(roots->blocks);
    pass_over_allocator(roots);
    roots->blocks->heads = true;
    for (size_t i = 0; is_searched && i < roots->maps->count; i++)
        if (roots->maps->kinds[i] != MAPS_OTHER)
            search_mapping(&mapped, roots->maps->spans[i]);
    roots->blocks->heads = false;
    if (is_searched)
        os_unmap(mapped.known, size);
    os_close(mapped.pagemap);
    return is_searched;
}
