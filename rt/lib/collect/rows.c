/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The rows of a report. */
#include "lib/collect/rows.h"

#include "base/hash.h"
#include "format.h"
#include "lib/base/os.h"
#include "lib/collect/collect.h"
#include "lib/count/change.h"
#include "lib/count/pairs.h"
#include "lib/count/sums.h"
#include "lib/count/threads.h"
#include "lib/store/store.h"
#include "lib/who/descriptor.h"
#include "lib/who/modules.h"
#include "lib/who/registry.h"

#include <string.h>

static size_t inlined_count(const struct allocsite_site *site) {
    size_t count = 0;
    for (const struct allocsite_frame *frame = descriptor_caller(site); frame;
         frame = descriptor_frame(&frame->caller))
        count++;
    return count;
}

static struct site_view unsited_view(const struct record *record, const struct frames *frames) {
    const struct module *module = record->module;
    if (!record->address)
        return (struct site_view){.id = module_id(module), .module = module->path};
    return (struct site_view){.id = caller_id(module->build_id, module->path, record->address),
                              .module = module->path,
                              .address = record->address,
                              .at.function = frames_function(frames, module->slot, record->address)};
}

/* As one mapping. */
static bool map(struct rows *rows, size_t places) {
    size_t sites = rows->slots;
    size_t size = sites * (sizeof *rows->order + sizeof *rows->sites) + places * sizeof *rows->places;
    char *memory = collect_take(size);
    if (!memory)
        return false;
    rows->sites = (struct report_site *)memory;
    rows->places = (struct place *)(rows->sites + sites);
    rows->places_left = places;
    rows->order = (struct report_site **)(rows->places + places);
    return true;
}

static bool is_stack(uint32_t slot) {
    return record_stack(slot).parent;
}

static size_t places_needed(uint32_t slots) {
    size_t places = 0;
    for (uint32_t slot = 0; slot < slots; slot++) {
        const struct record *record = record_at(slot);
        places += record && record->site && !is_stack(slot) ? inlined_count(record->site) : 0;
    }
    return places;
}

static void add_up(struct rows *rows, const struct counters *counters, const struct sum *sum) {
    rows->live_bytes += counters->live_bytes;
    rows->peak_bytes += counters->peak_bytes;
    rows->is_odd |= sum->peak_bytes < 0 || sum->peak_blocks < 0;
}

/* Slots of parts come behind that of which they are. */
static void count(struct rows *rows, uint32_t slot) {
    struct sum sum;
    if (!record_at(slot))
        return;
    sum_slot_flows(slot, &sum, slot_is_in_totals(slot) ? &rows->flows : NULL);
    sum_counters(&rows->sites[slot].counters, &sum);
    if (slot_is_in_totals(slot))
        add_up(rows, &rows->sites[slot].counters, &sum);
    else
        counters_forget_peaks(&rows->sites[slot].counters);
    if (is_stack(slot))
        counters_join(&rows->sites[slot_row(slot)].counters, &rows->sites[slot].counters);
}

bool rows_collect(struct rows *rows, uint32_t slots) {
    *rows = (struct rows){.slots = slots};
    rows->flows.slabs = threads_slabs();
    rows->flows.of_slab = collect_take(rows->flows.slabs * sizeof *rows->flows.of_slab);
    if (!rows->flows.of_slab || !map(rows, places_needed(slots)))
        return false;
    for (uint32_t slot = 1; slot < slots; slot++)
        count(rows, slot);
    return true;
}

/* A thread that runs on may have registered the site after the places were counted. */
static bool have_room(const struct rows *rows, const struct record *record) {
    return !record->site || inlined_count(record->site) <= rows->places_left;
}

static void enter(struct rows *rows, struct report *report, const struct frames *frames, uint32_t slot) {
    const struct record *record = record_at(slot);
    struct report_site *row = &rows->sites[slot];
    row->view = record->site ? descriptor_view(record->site, record->module->path, rows->places, SIZE_MAX)
                             : unsited_view(record, frames);
    row->view.backing = record->what == PROFILE_BACKING;
    rows->places += row->view.inlined_count;
    rows->places_left -= row->view.inlined_count;
    rows->order[report->site_count++] = row;
    if (record->what == PROFILE_MODULE)
        report->walks.without_caller += row->counters.allocs + row->counters.reallocs;
}

void rows_enter(struct rows *rows, struct report *report, const struct frames *frames) {
    bool pairs = pairs_count(); /* which may name slots that have only freed */
    uint64_t(*sizes)[SIZE_CLASSES] =
        sizes_wanted ? collect_take(rows->slots * sizeof *sizes) : NULL; /* to be merged in place */
    union lifetimes *lifetimes = births_wanted ? collect_take(rows->slots * sizeof *lifetimes) : NULL;
    report->sites = rows->order;
    for (uint32_t slot = 1; slot < rows->slots; slot++) {
        const struct record *record = record_at(slot);
        if (record && record->what == PROFILE_CUSTOM) {
            report->custom = rows->sites[slot].counters;
            report->has_custom = true;
            continue;
        }
        if (!record || is_stack(slot) || !have_room(rows, record) ||
            !(counters_have_come(&rows->sites[slot].counters) || pairs))
            continue;
        enter(rows, report, frames, slot);
        rows->sites[slot].sizes = sizes ? memcpy(sizes[slot], sizes_of(slot), sizeof sizes[slot]) : NULL;
        if (lifetimes)
            rows->sites[slot].lifetimes = memcpy(&lifetimes[slot], lifetimes_of(slot), sizeof *lifetimes);
    }
}

struct report_site *rows_of(const struct rows *rows, uint32_t slot) {
    slot = slot_row(slot);
    return slot < rows->slots && rows->sites[slot].view.module ? &rows->sites[slot] : NULL;
}

/* ---- What threads counted in phases, in a report. */

/* ---- By thread. */

static void enter_part(struct report *report, struct report_part *part, const struct slab *slab,
                       const struct flow *flow) {
    *part = (struct report_part){.pid = report->pid, .is_known = slab};
    flow_counters(&part->counters, flow);
    if (!slab)
        return;
    part->thread = slab->thread;
    part->phase = names_text_at(slab->phase);
}

/* Threads that came meanwhile can only have counted in slabs that nobody knows of yet. */
static bool enter_parts(struct report *report, const struct flows *flows) {
    static const struct flow nothing;
    struct report_part *parts = collect_take((flows->slabs + 1) * sizeof *parts);
    if (!parts)
        return false;
    report->parts = parts;
    for (uint32_t i = 0; i < flows->slabs; i++) {
        const struct slab *slab = slab_peek(i);
        if (slab && slab->capacity)
            enter_part(report, &parts[report->part_count++], slab, &flows->of_slab[i]);
    }
    if (memcmp(&flows->other, &nothing, sizeof nothing) != 0)
        enter_part(report, &parts[report->part_count++], NULL, &flows->other);
    flow_counters(&report->before_reset, &flows->before_reset);
    report->has_parts = true;
    return true;
}

/* ---- By site and stack. */

struct slot_phases {
    struct report *report; /* NULL: they are counted only */
    size_t count, room;
    const struct report_site *site;
    const struct report_stack *stack;
};

static void enter_phase(void *context, uint32_t number, const struct slab_counts *counts) {
    struct slot_phases *of = context;
    const struct slab *slab = slab_peek(number);
    uint64_t calls = __atomic_load_n(&counts->tally->gained, __ATOMIC_ACQUIRE);
    if (!slab || !slab->phase || !calls || (of->report && of->count == of->room))
        return;
    if (of->report)
        of->report->phases[of->count] =
            (struct report_phase){.site = of->site,
                                  .stack = of->stack,
                                  .phase = names_text_at(slab->phase),
                                  .calls = calls,
                                  .bytes = __atomic_load_n(&counts->tally->gained_bytes, __ATOMIC_ACQUIRE)};
    of->count++;
}

/* A site has what was counted in stacks that the report does not have. */
static void visit_slots(struct slot_phases *of, const struct report *report, const struct rows *rows,
                        const struct frames *frames) {
    const struct report_stack *next = report->stacks;
    for (uint32_t slot = 1; slot < rows->slots; slot++) {
        of->site = rows_of(rows, slot);
        of->stack = frames_have_stack(frames, rows, slot) ? next++ : NULL;
        if (of->site && slot_is_in_totals(slot))
            threads_visit(slot, enter_phase, of);
    }
}

static bool has_phases(const struct report *report) {
    for (size_t i = 0; i < report->part_count; i++)
        if (report->parts[i].phase)
            return true;
    return false;
}

/* What was counted before a reset is in the slabs still, but not in the sites. */
static bool enter_phases(struct report *report, const struct rows *rows, const struct frames *frames) {
    struct slot_phases all = {.room = 0};
    if (!has_phases(report) || store_header()->resets)
        return true;
    visit_slots(&all, report, rows, frames);
    report->phases = collect_take(all.count * sizeof *report->phases);
    if (!report->phases)
        return false;
    struct slot_phases entered = {.report = report, .room = all.count};
    visit_slots(&entered, report, rows, frames);
    report->phase_count = entered.count;
    return true;
}

bool phases_enter(struct report *report, const struct rows *rows, const struct frames *frames) {
    return enter_parts(report, &rows->flows) && enter_phases(report, rows, frames);
}
