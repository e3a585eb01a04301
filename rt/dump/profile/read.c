/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Builds a report from the bytes of a profile. */
#include "dump/profile/read.h"

#include "base/arrays.h"
#include "dump/base/memory.h"
#include "dump/profile/views.h"
#include "model/gaps.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    struct profile_file *file;
    struct profile_areas areas;
    struct profile_views views;
    struct profile_sweep sweep;
    struct profile_pair *pairs; /* read before the rows, so that all slots in them get rows */
    size_t pair_count, pair_capacity;
    struct number_map named; /* slots in pairs, which get rows even if they counted nothing */
    bool is_loose;           /* events may be counted partly, and counters may be missing from the file */
    struct profile_doubts doubts;
};

static const struct counters nothing;

/* The last events of an unfinished program, or of threads that ran until the end, may be counted partly. The
 * maximum of live blocks is then raised to the live ones. Merging has done this already. */
static bool may_be_in_part(const struct reader *reader) {
    const struct profile_header *header = &reader->areas.header;
    return reader->is_loose || (header->peak.shared_epoch && !(header->flags & PROFILE_IS_MERGED));
}

static void raise_maximum(struct reader *reader, struct counters *counters) {
    if (may_be_in_part(reader) && counters->live_blocks > counters->max_live_blocks &&
        counters->live_blocks - counters->max_live_blocks > counters->max_live_blocks_within)
        counters->max_live_blocks_within = counters->live_blocks - counters->max_live_blocks;
}

static void add_row(struct reader *reader, uint64_t slot, const struct profile_counts *counts,
                    const struct profile_view *view) {
    struct profile_file *file = reader->file;
    size_t count = file->report.site_count++;
    memory_grow(&file->rows, count, &file->row_capacity, sizeof *file->rows);
    memory_grow(&file->slots, count, &file->slot_capacity, sizeof *file->slots);
    file->slots[count] = slot;
    struct report_site *row = &file->rows[count];
    *row = (struct report_site){.counters = counts->counters};
    raise_maximum(reader, &row->counters);
    reader->doubts.unnamed += view->what == PROFILE_UNUSED;
    bool is_merged = reader->areas.header.flags & PROFILE_IS_MERGED; /* then its header has the sum */
    if (view->what == PROFILE_MODULE && !is_merged)
        file->report.walks.without_caller += row->counters.allocs + row->counters.reallocs;
    profile_view_row(&row->view, &reader->views, view);
    bool has_stack = view->what == PROFILE_STACK;
    profile_phases_add(&file->phases, &reader->sweep, &file->names, count,
                       has_stack ? file->stacks.count : SIZE_MAX);
    if (has_stack)
        profile_stacks_add(&file->stacks, &reader->views, view->stack, row, count);
}

/* A slot that has only the bound of a maximum has counted nothing. */
static bool has_counted(struct counters counters) {
    counters.max_live_blocks_within = 0;
    return memcmp(&counters, &nothing, sizeof nothing) != 0;
}

static void read_pair(struct reader *reader, const unsigned char *at) {
    memory_grow(&reader->pairs, reader->pair_count, &reader->pair_capacity, sizeof *reader->pairs);
    struct profile_pair *pair = &reader->pairs[reader->pair_count++];
    profile_copy(pair, at, sizeof *pair);
    number_map_add(&reader->named, pair_owner(pair), 0);
    number_map_add(&reader->named, pair_by(pair), 0);
}

static void read_pairs_of(struct reader *reader, const struct profile_chunk *chunk) {
    for (struct extent part = {0};
         profile_chunk_next(&reader->areas, chunk, sizeof(struct profile_pair), &part);)
        for (uint64_t at = part.begin; at < part.end; at += sizeof(struct profile_pair))
            if (profile_load(chunk->bytes + at))
                read_pair(reader, chunk->bytes + at);
}

static bool is_empty(const unsigned char *element, size_t size) {
    for (size_t i = 0; element && i < size; i += sizeof(uint64_t))
        if (profile_load(element + i))
            return false;
    return true;
}

/* True if the slot has sizes or lifetimes. All events of the slot may be in its stacks. */
static bool has_of_stacks(const struct reader *reader, uint64_t slot) {
    const struct profile_areas *areas = &reader->areas;
    static const enum profile_kind kinds[] = {PROFILE_SIZES, PROFILE_LIFETIMES};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!is_empty(profile_element(areas, kinds[i], slot), profile_element_size(kinds[i])))
            return true;
    return false;
}

static void read_slot(struct reader *reader, uint64_t slot) {
    struct profile_counts counts;
    struct profile_view view;
    profile_view_find(&view, &reader->views, slot);
    bool is_in_totals = !view.is_outside_totals && view.what != PROFILE_CUSTOM;
    profile_slot_read(&counts, &reader->sweep, slot, is_in_totals);
    if (is_in_totals && reader->areas.header.gaps >> GAP_UNOWNED & 1)
        counters_keep_all(&counts.counters);
    reader->doubts.contradicting += counts.contradict;
    reader->doubts.outrun += counts.outrun;
    if (view.what == PROFILE_CUSTOM) {
        reader->file->report.has_custom = true;
        counters_add(&reader->file->report.custom, &counts.counters);
    } else if (has_counted(counts.counters) || (slot && number_map_find(&reader->named, slot)) ||
               has_of_stacks(reader, slot))
        add_row(reader, slot, &counts, &view);
}

static struct report_peak part_peak(const struct profile_part_peak *peak) {
    return (struct report_peak){
        .bytes = peak->bytes > 0 ? (uint64_t)peak->bytes : 0, .within = peak->within, .time = peak->time};
}

/* While the process has one thread and no phase, its peak is that thread's. */
static void read_part_peaks(const struct reader *reader, struct report_part *part,
                            const struct profile_block *block) {
    const struct profile_header *header = &reader->areas.header;
    struct report_peak single = part_peak(&(struct profile_part_peak){
        .bytes = header->peak.riser ? (int64_t)part->counters.live_bytes : header->peak.bytes,
        .time = header->peak.riser ? header->ended : header->peak_time});
    part->peak = part_peak(&block->peak);
    part->thread_peak = part_peak(&block->thread_peak);
    if (!header->peak.shared_epoch && single.bytes > part->peak.bytes)
        part->peak = part->thread_peak = single;
}

static void read_part(struct reader *reader, struct report_part *part, size_t number) {
    const struct profile_sweep *sweep = &reader->sweep;
    const unsigned char *at = number < sweep->flow_count ? profile_element(&reader->areas, PROFILE_BLOCKS,
                                                                           sweep->flows[number].block)
                                                         : NULL;
    struct profile_block block;
    bool contradict = false; /* reported for the slots that were added up */
    profile_flow_counters(&part->counters, &sweep->flows[number].sums, &contradict);
    part->pid = reader->file->pid;
    if (!at)
        return;
    profile_copy(&block, at, sizeof block);
    part->thread = block.thread;
    part->phase = profile_name_at(&reader->file->names, block.phase);
    part->is_known = part->phase || !block.phase;
    read_part_peaks(reader, part, &block);
}

static void read_merged_part(struct reader *reader, const struct profile_part *at) {
    struct profile_file *file = reader->file;
    struct report *report = &file->report;
    struct report_part part = {
        .pid = at->pid, .thread = at->thread, .is_known = at->what == PROFILE_PART_KNOWN};
    bool contradict = false; /* reported for the sum of all parts */
    profile_flow_counters(&part.counters, &at->flow, &contradict);
    if (at->what == PROFILE_PART_RESET) {
        report->before_reset = part.counters;
        return;
    }
    part.phase = profile_name_at(&file->names, at->phase);
    part.peak = part_peak(&at->peak);
    part.thread_peak = part_peak(&at->thread_peak);
    file->parts[report->part_count++] = part;
}

/* The blocks of a merged profile do not correspond to threads. */
static void read_merged_parts(struct reader *reader) {
    const struct profile_chunk *parts = &reader->areas.parts;
    struct profile_part part;
    size_t size = sizeof part + 8 * reader->areas.header.rare - 8 * PROFILE_RARE_COUNT;
    struct profile_file *file = reader->file;
    file->report.has_parts = parts->bytes;
    file->report.parts = file->parts = memory_zeros(parts->size / size, sizeof *file->parts);
    for (size_t at = 0; at + size <= parts->size; at += size) {
        profile_copy_rare(&part, parts->bytes + at, sizeof part, &reader->areas);
        if (part.what == PROFILE_PART_NONE)
            break;
        read_merged_part(reader, &part);
    }
}

static void read_parts(struct reader *reader) {
    struct profile_file *file = reader->file;
    struct report *report = &file->report;
    bool contradict = false;
    if (reader->areas.header.flags & PROFILE_IS_MERGED) {
        read_merged_parts(reader);
        return;
    }
    report->has_parts = true;
    profile_flow_counters(&report->before_reset, &reader->sweep.before_reset, &contradict);
    size_t count = reader->sweep.flow_count;
    file->parts = memory_zeros(count + 1, sizeof *file->parts);
    for (size_t i = 0; i <= count; i++)
        read_part(reader, &file->parts[i], i);
    report->parts = file->parts;
    report->part_count = count + (memcmp(&file->parts[count].counters, &nothing, sizeof nothing) != 0);
}

static void read_rows(struct reader *reader) {
    struct profile_sweep *sweep = &reader->sweep;
    profile_sweep_open(sweep, &reader->areas);
    profile_phases_want(&reader->file->phases, sweep);
    while (profile_sweep_next(sweep))
        for (uint64_t slot = sweep->first; slot < sweep->end; slot++)
            read_slot(reader, slot);
    read_parts(reader);
    profile_sweep_close(sweep);
}

static void read_sizes(struct reader *reader) {
    struct profile_file *file = reader->file;
    if (!(reader->areas.header.flags & PROFILE_HAS_SIZES))
        return;
    file->sizes = memory_zeros(file->report.site_count, sizeof *file->sizes);
    for (size_t i = 0; i < file->report.site_count; i++) {
        const unsigned char *at = profile_element(&reader->areas, PROFILE_SIZES, file->slots[i]);
        if (at)
            profile_copy(file->sizes[i], at, sizeof file->sizes[i]);
        file->rows[i].sizes = at ? file->sizes[i] : NULL;
    }
}

static void read_lifetimes(struct reader *reader) {
    struct profile_file *file = reader->file;
    if (!(reader->areas.header.flags & PROFILE_HAS_LIFETIMES))
        return;
    file->lifetimes = memory_zeros(file->report.site_count, sizeof *file->lifetimes);
    for (size_t i = 0; i < file->report.site_count; i++) {
        const unsigned char *at = profile_element(&reader->areas, PROFILE_LIFETIMES, file->slots[i]);
        if (at)
            profile_copy(&file->lifetimes[i], at, sizeof file->lifetimes[i]);
        file->rows[i].lifetimes = &file->lifetimes[i];
    }
}

/* Runs when rows no longer move. */
static void settle_rows(struct profile_file *file) {
    size_t count = file->row_count = file->report.site_count;
    file->report.sites = memory_zeros(count, sizeof *file->report.sites);
    for (size_t i = 0; i < count; i++)
        file->report.sites[i] = &file->rows[i];
    profile_stacks_settle(&file->stacks, file->rows);
    file->report.stacks = file->stacks.list;
    file->report.stack_count = file->stacks.count;
    file->report.walks.ended_early += file->stacks.cut;
    profile_phases_settle(&file->phases, file->rows, file->stacks.list);
    file->report.phases = file->phases.list;
    file->report.phase_count = file->phases.count;
}

struct report_site *profile_row(const struct profile_file *file, uint64_t slot) {
    size_t row = sorted_below(file->slots, file->row_count, sizeof slot, 0, slot);
    return row < file->row_count && file->slots[row] == slot ? &file->rows[row] : NULL;
}

size_t profile_stack(const struct profile_file *file, uint64_t slot) {
    const struct profile_stacks *stacks = &file->stacks;
    size_t row = sorted_below(file->slots, file->row_count, sizeof slot, 0, slot);
    size_t stack = sorted_below(stacks->rows, stacks->count, sizeof *stacks->rows, 0, row);
    bool is_of_one = row < file->row_count && file->slots[row] == slot && stack < stacks->count &&
                     stacks->rows[stack] == row;
    return is_of_one ? stack : SIZE_MAX;
}

/* *is_known becomes false if the slot should have a row but has none. */
static struct report_site *row_of(const struct profile_file *file, uint64_t slot, bool *is_known) {
    struct report_site *row = slot ? profile_row(file, slot) : NULL;
    *is_known &= row || !slot;
    return row;
}

static const struct report_stack *stack_of(const struct profile_file *file, uint64_t slot) {
    size_t stack = slot ? profile_stack(file, slot) : SIZE_MAX;
    return stack != SIZE_MAX ? &file->stacks.list[stack] : NULL;
}

static void set_pair(struct reader *reader, const struct profile_pair *pair) {
    struct profile_file *file = reader->file;
    uint32_t kind = pair_kind_of(pair);
    bool is_known = kind < PAIR_KINDS;
    if (is_known)
        file->report.pairs[file->report.pair_count++] = (struct report_pair){
            .kind = (enum pair_kind)kind,
            .owner = row_of(file, pair_owner(pair), &is_known),
            .by = row_of(file, pair_by(pair), &is_known),
            .count = pair->count,
            .bytes = pair->bytes,
            .owner_stack = stack_of(file, pair_owner(pair)),
            .by_stack = stack_of(file, pair_by(pair)),
        };
    reader->doubts.strange_pairs += !is_known;
}

static void settle_pairs(struct reader *reader) {
    struct report *report = &reader->file->report;
    report->pairs = memory_zeros(reader->pair_count, sizeof *report->pairs);
    for (size_t i = 0; i < reader->pair_count; i++)
        set_pair(reader, &reader->pairs[i]);
}

static void read_head(struct reader *reader) {
    const struct profile_header *header = &reader->areas.header;
    struct profile_file *file = reader->file;
    struct report *report = &file->report;
    bool is_merged = header->flags & PROFILE_IS_MERGED;
    report->program = profile_name_at(&file->names, header->program) ?: "?";
    report->pid = header->pid;
    report->finished = is_merged ? !header->unfinished : header->ended != 0;
    reader->is_loose = (!report->finished && !is_merged) || header->ending == PROFILE_EXIT_GROUP ||
                       header->missing || reader->areas.cut || reader->areas.damaged;
    report->has_pairs = header->flags & PROFILE_HAS_PAIRS;
    report->reach = header->flags & PROFILE_HAS_LEAKED;
    report->is_private = header->flags & PROFILE_IS_PRIVATE;
    report->forked = header->flags & PROFILE_IS_FORKED && !header->resets;
    report->leaked_unknown = report->reach ? NULL : profile_name_at(&file->names, header->leaked_unknown);
    report->peak_within = header->peak.within;
    report->modules = file->modules.sorted;
    report->modules_size = file->modules.sorted_count;
    report->walks = header->walks;
    report->wrong_contexts = header->wrong_contexts;
    if (is_merged && header->processes > 1) {
        report->several.count = header->processes;
        report->several.unfinished =
            header->unfinished < header->processes ? header->unfinished : header->processes;
        report->several.killed =
            header->killed < report->several.unfinished ? header->killed : report->several.unfinished;
        report->several.forked = header->forked < header->processes ? header->forked : header->processes;
        report->several.untouched_blocks = header->untouched_blocks;
        report->several.untouched_bytes = header->untouched_bytes;
    }
    if (!report->several.count) {
        report->run = (struct report_run){
            .begun = header->begun,
            .ended = header->ended,
            .resident = header->resident,
            .command = profile_name_at(&file->names, header->command),
            .ending = header->ending,
            .status = header->status,
        };
        memcpy(report->run.resident_parts, header->resident_parts, sizeof header->resident_parts);
        if (report->run.resident < run_resident(&report->run)) /* the kernel updates its maximum late */
            report->run.resident = run_resident(&report->run);
    }
    file->pid = header->pid;
    file->start_time = header->start_time;
    file->begun = header->begun;
    file->host = profile_name_at(&file->names, header->host);
}

static void read_walked_for(struct reader *reader) {
    struct profile_file *file = reader->file;
    const struct profile_chain *chain = profile_chain_read(&file->names, reader->areas.header.walked_for);
    size_t count = chain ? chain->count : 0;
    file->walked_for = memory_zeros(count, sizeof *file->walked_for);
    for (size_t i = 0; i < count; i++)
        file->walked_for[i] = chain->places[i].function ?: "?";
    file->report.walked_for = file->walked_for;
    file->report.walked_for_count = count;
}

static void settle_peak(struct report *report) {
    uint64_t live = 0, peak = 0;
    for (size_t i = 0; i < report->site_count; i++) {
        if (report->sites[i]->view.outside_totals)
            continue;
        live += report->sites[i]->counters.live_bytes;
        peak += report->sites[i]->counters.peak_bytes;
    }
    if (live > peak && live - peak > report->peak_within)
        report->peak_within = live - peak;
}

static bool peak_changed(const struct profile_areas *areas) {
    struct profile_peak now;
    profile_copy(&now, areas->bytes + offsetof(struct profile_header, peak), sizeof now);
    return memcmp(&now, &areas->header.peak, sizeof now) != 0;
}

static bool is_damaged(const struct reader *reader) {
    const struct profile_doubts *doubts = &reader->doubts;
    return reader->areas.cut || reader->areas.damaged ||
           (!reader->is_loose &&
            (doubts->contradicting || doubts->unnamed || doubts->strange_pairs || reader->file->names.wrong));
}

static void read_all(struct reader *reader) {
    struct profile_file *file = reader->file;
    profile_names_read(&file->names, &reader->areas);
    profile_modules_read(&file->modules, &file->names, &reader->areas);
    read_head(reader);
    read_walked_for(reader);
    reader->views = (struct profile_views){&reader->areas, &file->names, &file->modules};
    for (unsigned i = 0; i < PROFILE_CHUNKS; i++)
        read_pairs_of(reader, &reader->areas.chunks[PROFILE_PAIRS][i]);
    read_rows(reader);
    read_sizes(reader);
    read_lifetimes(reader);
    if (!file->report.several.count && reader->areas.header.ending == PROFILE_SIGNAL)
        profile_stacks_end(&file->stacks, &reader->views, reader->areas.header.ended_at, &file->report.run);
    settle_rows(file);
    settle_pairs(reader);
    if (may_be_in_part(reader))
        settle_peak(&file->report);
    reader->doubts.rearranged = profile_areas_changed(&reader->areas);
    reader->doubts.risen = peak_changed(&reader->areas);
    file->is_changing = reader->doubts.rearranged || reader->doubts.risen || reader->doubts.outrun;
    file->report.damaged = is_damaged(reader);
    profile_reasons_read(file, &reader->areas, &reader->doubts);
}

bool profile_read(struct profile_file *file, const void *bytes, size_t size, struct reason *why) {
    struct extents all = extents_of_all(size);
    bool is_read = profile_read_sparse(file, bytes, size, &all, why);
    extents_free(&all);
    return is_read;
}

bool profile_read_sparse(struct profile_file *file, const void *bytes, size_t size,
                         const struct extents *extents, struct reason *why) {
    struct reader reader = {.file = file};
    *file = (struct profile_file){.pid = 0};
    if (!profile_areas_open(&reader.areas, bytes, size, extents, why))
        return false;
    read_all(&reader);
    profile_areas_close(&reader.areas);
    free(reader.pairs);
    number_map_free(&reader.named);
    return true;
}

void profile_read_free(struct profile_file *file) {
    free(file->reasons.list);
    free(file->reasons.hold);
    string_pool_free(&file->reasons.made);
    free(file->programs);
    free(file->walked_for);
    free(file->report.pairs);
    free(file->report.sites);
    free(file->sizes);
    free(file->lifetimes);
    free(file->slots);
    free(file->rows);
    free(file->parts);
    profile_stacks_free(&file->stacks);
    profile_phases_free(&file->phases);
    profile_modules_free(&file->modules);
    profile_names_free(&file->names);
}
