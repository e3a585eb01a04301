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
#include "sums.h"
#include "table.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

/* What the report is made of. A child that was forked meanwhile makes its own anew. */
struct taken {
    struct mapping {
        void *memory;
        size_t size;
    } mapped[3];
    size_t count;
};

static struct table taken_table = {.element = sizeof(struct taken), .first = 1, .fork = OS_FORK_WIPES};

static void *take(size_t size) {
    struct taken *taken = table_at(&taken_table, 0);
    void *memory = taken ? os_map(size, OS_FORK_KEEPS) : NULL;
    if (memory)
        taken->mapped[taken->count++] = (struct mapping){memory, size};
    return memory;
}

void collect_done(void) {
    struct taken *taken = table_peek(&taken_table, 0);
    while (taken && taken->count) {
        taken->count--;
        os_unmap(taken->mapped[taken->count].memory, taken->mapped[taken->count].size);
    }
}

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

/* False: the slot was never used. */
static bool counters_of(struct counters *counters, uint32_t slot) {
    struct sum sum;
    sum_slot(slot, &sum);
    sum_counters(counters, &sum);
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
    char *memory = take(size ? size : 1);
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

static void collect_rows(struct report *report, uint32_t slots, struct rows rows) {
    bool pairs = pairs_count(); /* which may name slots that have only freed */
    uint64_t(*sizes)[SIZE_CLASSES] =
        sizes_wanted ? take(slots * sizeof *sizes) : NULL; /* to be merged in place */
    report->sites = rows.order;
    for (uint32_t slot = 0; slot < slots; slot++) {
        const struct record *record = record_at(slot);
        struct report_site *row = &rows.sites[slot];
        if (!record || !rows_hold(&rows, record))
            continue;
        if (!counters_of(&row->counters, slot) && !pairs)
            continue;
        row->view = record->site ? site_view(record, rows.places) : module_view(record);
        row->sizes = sizes ? memcpy(sizes[slot], sizes_of(slot), sizeof sizes[slot]) : NULL;
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
    report->pairs = take((places + 1) * sizeof *report->pairs);
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

void collect_holes(struct profile_header *header) {
    look_for_holes();
    header->holes |= holes_all();
    if (hole_is_set(HOLE_INTERPOSITION) || hole_is_set(HOLE_PAST))
        header->other_malloc = names_text(other_malloc());
}

static void collect_reasons(struct report *report, bool is_end) {
    static char texts[HOLE_COUNT][HOLE_TEXT_SIZE];
    static const char *reasons[HOLE_COUNT];
    report->reason_count = 0;
    if (is_end)
        look_for_holes();
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

bool collect(struct report *report, bool is_end) {
    static char directory[PATH_MAX];
    uint32_t slots = record_count();
    struct rows rows;
    *report = (struct report){
        .program = program_path(),
        .directory = getcwd(directory, sizeof directory),
        .pid = (uint64_t)getpid(),
        .finished = is_end,
    };
    if (!rows_map(&rows, slots, places_needed(slots)))
        return false;
    sums_know_inherited();
    collect_rows(report, slots, rows);
    report->peak_within = peak_within();
    collect_reasons(report, is_end);
    if (is_end)
        collect_lost(report, slots, &rows);
    return collect_pairs(report, slots, &rows);
}
