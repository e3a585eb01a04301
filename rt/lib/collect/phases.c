/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What threads counted in phases, in a report. */
#include "lib/collect/collect.h"
#include "lib/collect/rows.h"
#include "lib/count/slab.h"
#include "lib/count/threads.h"
#include "lib/store/names.h"
#include "lib/store/store.h"
#include "lib/who/parts.h"

#include <string.h>

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

static void enter_phase(void *context, uint32_t number, const struct tally *tally,
                        const struct extra *extra) {
    struct slot_phases *of = context;
    const struct slab *slab = slab_peek(number);
    uint64_t calls = __atomic_load_n(&tally->gained, __ATOMIC_ACQUIRE);
    (void)extra;
    if (!slab || !slab->phase || !calls || (of->report && of->count == of->room))
        return;
    if (of->report)
        of->report->phases[of->count] =
            (struct report_phase){.site = of->site,
                                  .stack = of->stack,
                                  .phase = names_text_at(slab->phase),
                                  .calls = calls,
                                  .bytes = __atomic_load_n(&tally->gained_bytes, __ATOMIC_ACQUIRE)};
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
