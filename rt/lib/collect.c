/* Taking a report from the slabs.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _GNU_SOURCE
#include "collect.h"
#include "copies.h"
#include "descriptor.h"
#include "names.h"
#include "next.h"
#include "os.h"
#include "pairs.h"
#include "peak.h"
#include "reach.h"
#include "rebind.h"
#include "runtime.h"
#include "sizes.h"
#include "slabs.h"
#include "slots.h"
#include "start.h"
#include "store.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

static size_t inlined_count(const struct allocsite_site *site) {
    size_t count = 0;
    for (const struct allocsite_frame *frame = descriptor_frame(&site->caller); frame;
         frame = descriptor_frame(&frame->caller))
        count++;
    return count;
}

static struct site_view module_view(const struct record *record) {
    return (struct site_view){.id = module_id(record->module), .module = record->module->path};
}

static struct site_view site_view(const struct record *record, struct place *inlined) {
    const struct allocsite_site *site = record->site;
    struct site_view view = {
        .id = site->hash,
        .module = record->module->path,
        .sited = true,
        .at = descriptor_place(&site->scope, site->line, site->column),
        .callee = descriptor_request(site, false),
        .type = descriptor_request(site, true),
        .inlined = inlined,
    };
    for (const struct allocsite_frame *frame = descriptor_frame(&site->caller); frame;
         frame = descriptor_frame(&frame->caller))
        inlined[view.inlined_count++] = descriptor_place(&frame->scope, frame->line, frame->column);
    return view;
}

/* In the order in which a thread that counts on cannot make more go than came. */
#define EXTRA_LOST(X)   X(moved) X(moved_bytes)
#define TALLY_LOST(X)   X(lost) X(lost_bytes)
#define EXTRA_GAINED(X) X(reallocs) X(realloc_bytes) X(realloc_old_bytes) X(failed)
#define TALLY_GAINED(X) X(gained) X(gained_bytes)

struct sum {
#define MEMBER(name) uint64_t name;
    EXTRA_LOST(MEMBER)
    TALLY_LOST(MEMBER)
    EXTRA_GAINED(MEMBER) TALLY_GAINED(MEMBER)
#undef MEMBER
        int64_t peak_blocks,
        peak_bytes, most;
};

#define ADD_EXTRA(name) sum->name += __atomic_load_n(&extra->name, __ATOMIC_ACQUIRE);
#define ADD_TALLY(name) sum->name += __atomic_load_n(&tally->name, __ATOMIC_ACQUIRE);

static void add_lost_blocks(void *context, const struct tally *tally, const struct extra *extra) {
    struct sum *sum = context;
    if (extra) {
        EXTRA_LOST(ADD_EXTRA)
    }
    TALLY_LOST(ADD_TALLY)
}

static void add_gained_blocks(void *context, const struct tally *tally, const struct extra *extra) {
    struct sum *sum = context;
    peak_share(tally, &sum->peak_blocks, &sum->peak_bytes);
    if (extra) {
        EXTRA_GAINED(ADD_EXTRA)
    }
    TALLY_GAINED(ADD_TALLY)
    int64_t most = peak_tally_most(tally);
    if (most > sum->most)
        sum->most = most;
}

/* What is live in the process, owned by one slot. */
struct live {
    uint64_t blocks, bytes;
};

struct heap {
    struct live *live; /* by slot; NULL: not counted */
    uint32_t slots;
};

static void add_block(void *context, const void *p, const struct block *block) {
    (void)p;
    struct heap *heap = context;
    if (block->slot >= heap->slots)
        return;
    heap->live[block->slot].blocks++;
    heap->live[block->slot].bytes += block->size;
}

/* Of a forked child without a profile only the blocks themselves tell what it has inherited. */
static void count_heap(struct heap *heap, uint32_t slots) {
    *heap = (struct heap){.slots = slots};
    if (!runtime_was_forked() || slots_know_inherited())
        return;
    heap->live = os_map(slots * sizeof *heap->live, OS_FORK_KEEPS);
    if (!heap->live || shadow_walk(add_block, heap))
        hole_set(HOLE_OWNERS);
}

/* heap: what is live in the process; NULL: what was inherited is known. */
static void set_live(struct counters *counters, const struct sum *sum, const struct live *heap,
                     const struct profile_slot *known) {
    uint64_t blocks = sum->gained - sum->lost, bytes = sum->gained_bytes - sum->lost_bytes;
    counters->inherited_blocks = heap ? heap->blocks - blocks : known->inherited_blocks;
    counters->inherited_bytes = heap ? heap->bytes - bytes : known->inherited_bytes;
    counters->live_blocks = blocks + counters->inherited_blocks;
    counters->live_bytes = bytes + counters->inherited_bytes;
    counters->peak_blocks = (uint64_t)sum->peak_blocks + counters->inherited_blocks;
    counters->peak_bytes = (uint64_t)sum->peak_bytes + counters->inherited_bytes;
}

static void set_most(struct counters *counters, const struct sum *sum, const struct profile_slot *known) {
    uint64_t alone = sum->most > 0 ? (uint64_t)sum->most : 0;
    counters->max_live_blocks = (alone > known->most ? alone : known->most) + counters->inherited_blocks;
    counters->max_live_blocks_within = known->most_within;
}

/* False: the slot was never used. */
static bool counters_of(struct counters *counters, uint32_t slot, const struct heap *heap) {
    struct sum sum = {.gained = 0};
    threads_visit(slot, add_lost_blocks, &sum);
    threads_visit(slot, add_gained_blocks, &sum);
    *counters = (struct counters){
        .allocs = sum.gained - sum.reallocs,
        .alloc_bytes = sum.gained_bytes - sum.realloc_bytes,
        .reallocs = sum.reallocs,
        .realloc_bytes = sum.realloc_bytes,
        .realloc_old_bytes = sum.realloc_old_bytes,
        .frees = sum.lost - sum.moved,
        .freed_bytes = sum.lost_bytes - sum.moved_bytes,
        .moved = sum.moved,
        .moved_bytes = sum.moved_bytes,
        .failed = sum.failed,
    };
    set_live(counters, &sum, heap->live ? &heap->live[slot] : NULL, slot_known(slot));
    set_most(counters, &sum, slot_known(slot));
    return sum.gained || sum.failed || counters->inherited_blocks;
}

/* What a report of so many rows and frames takes, as one mapping. */
struct rows {
    struct report_site **order;
    struct report_site *sites;
    struct place *places;
    size_t places_left;
};

static bool rows_map(struct rows *rows, size_t sites, size_t places) {
    size_t size = sites * (sizeof *rows->order + sizeof *rows->sites) + places * sizeof *rows->places;
    char *memory = os_map(size ? size : 1, OS_FORK_KEEPS);
    if (!memory)
        return false;
    rows->sites = (struct report_site *)memory;
    rows->places = (struct place *)(rows->sites + sites);
    rows->places_left = places;
    rows->order = (struct report_site **)(rows->places + places);
    return true;
}

static size_t places_needed(uint32_t slots) {
    size_t places = 0;
    for (uint32_t slot = 0; slot < slots; slot++) {
        const struct record *record = record_at(slot);
        places += record && record->site ? inlined_count(record->site) : 0;
    }
    return places;
}

/* A thread that runs on may have registered the site after the places were counted. */
static bool rows_hold(const struct rows *rows, const struct record *record) {
    return !record->site || inlined_count(record->site) <= rows->places_left;
}

static void collect_rows(struct report *report, uint32_t slots, const struct heap *heap, struct rows rows) {
    bool pairs = pairs_count(); /* which may name slots that have only freed */
    report->sites = rows.order;
    for (uint32_t slot = 0; slot < slots; slot++) {
        const struct record *record = record_at(slot);
        struct report_site *row = &rows.sites[slot];
        if (!record || !rows_hold(&rows, record))
            continue;
        if (!counters_of(&row->counters, slot, heap) && !pairs)
            continue;
        row->view = record->site ? site_view(record, rows.places) : module_view(record);
        row->sizes = sizes_wanted ? sizes_of(slot) : NULL;
        rows.places += row->view.inlined_count;
        rows.places_left -= row->view.inlined_count;
        rows.order[report->site_count++] = row;
    }
}

static struct report_site *row_of(const struct rows *rows, uint32_t slot, uint32_t slots) {
    return slot < slots && rows->sites[slot].view.module ? &rows->sites[slot] : NULL;
}

static bool collect_pairs(struct report *report, uint32_t slots, const struct rows *rows) {
    uint32_t places = pairs_count();
    report->pairs = os_map((places + 1) * sizeof *report->pairs, OS_FORK_KEEPS);
    report->has_pairs = runtime_options()->pairs;
    for (uint32_t place = 0; report->pairs && place < places; place++) {
        const struct profile_pair *pair = pair_at(place);
        if (pair && (report->has_pairs || pair_is_fault(pair_kind_of(pair))))
            report->pairs[report->pair_count++] = (struct report_pair){
                .kind = pair_kind_of(pair),
                .owner = row_of(rows, pair_owner(pair), slots),
                .by = row_of(rows, pair_by(pair), slots),
                .count = pair->count,
                .bytes = pair->bytes,
            };
    }
    return report->pairs;
}

#ifndef ALLOCSITE_STATIC

/* Sanitizers bring their own malloc and are the usual reason that another one stands before ours. */
static const char *sanitizer(void) {
    static const struct {
        const char *symbol, *name;
    } sanitizers[] = {
        {"__asan_init", "AddressSanitizer"},         {"__hwasan_init", "HWAddressSanitizer"},
        {"__tsan_init", "ThreadSanitizer"},          {"__msan_init", "MemorySanitizer"},
        {"__lsan_init", "standalone LeakSanitizer"},
    };
    for (size_t i = 0; i < sizeof sanitizers / sizeof sanitizers[0]; i++)
        if (next_symbol(sanitizers[i].symbol))
            return sanitizers[i].name;
    return NULL;
}

static const char *other_malloc(void) {
    if (hole_is_set(HOLE_PAST))
        return rebind_allocator();
    const char *name = hole_is_set(HOLE_INTERPOSITION) ? sanitizer() : NULL;
    return name || !hole_is_set(HOLE_INTERPOSITION) ? name : next_interposer();
}

#else

static const char *other_malloc(void) {
    return NULL;
}

#endif

/* The holes that show only now. */
static void look_for_holes(void) {
    if (!os_fork_wipes())
        hole_set(HOLE_FORK);
    if (copies_exist())
        hole_set(HOLE_SECOND_RUNTIME);
#ifdef ALLOCSITE_STATIC
    if (copies_have_libraries())
        hole_set(HOLE_LIBRARIES);
#endif
}

void collect_holes(void) {
    look_for_holes();
    if (store_is_file() && (hole_is_set(HOLE_INTERPOSITION) || hole_is_set(HOLE_PAST)))
        store_header()->other_malloc = names_text(other_malloc());
    holes_tell();
}

static void collect_reasons(struct report *report) {
    static char texts[HOLE_COUNT][HOLE_TEXT_SIZE];
    static const char *reasons[HOLE_COUNT];
    report->reason_count = 0;
    collect_holes();
    for (int hole = 0; hole < HOLE_COUNT; hole++) {
        if (!hole_is_set(hole))
            continue;
        hole_text(texts[hole], (enum hole)hole, other_malloc());
        reasons[report->reason_count++] = texts[hole];
    }
    report->reasons = reasons;
}

struct lost {
    const struct rows *rows;
    uint32_t slots;
};

static void add_lost(void *context, const void *p, const struct block *block) {
    (void)p;
    const struct lost *lost = context;
    struct report_site *row = row_of(lost->rows, block->slot, lost->slots);
    if (!row)
        return;
    row->lost_blocks++;
    row->lost_bytes += block->size;
    struct profile_slot *told = store_is_file() ? slot_at(block->slot) : NULL;
    if (told) {
        told->lost_blocks++;
        told->lost_bytes += block->size;
    }
}

static void collect_lost(struct report *report, uint32_t slots, const struct rows *rows) {
    struct lost lost = {rows, slots};
    if (!runtime_options()->reach)
        return;
    report->lost_unknown = reach_find_lost(add_lost, &lost);
    report->reach = !report->lost_unknown;
    if (store_is_file())
        store_header()->lost_unknown = names_text(report->lost_unknown);
    store_header()->flags |= report->reach ? PROFILE_HAS_LOST : 0;
}

bool collect(struct report *report) {
    static char directory[PATH_MAX];
    uint32_t slots = record_count();
    struct rows rows;
    struct heap heap;
    *report = (struct report){
        .program = program_path(),
        .directory = getcwd(directory, sizeof directory),
        .pid = (uint64_t)getpid(),
        .finished = true,
    };
    if (!rows_map(&rows, slots, places_needed(slots)))
        return false;
    count_heap(&heap, slots);
    collect_rows(report, slots, &heap, rows);
    report->peak_within = peak_within();
    collect_reasons(report);
    collect_lost(report, slots, &rows);
    return collect_pairs(report, slots, &rows);
}
