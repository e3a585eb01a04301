/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report as JSON. */
#include "write/formats.h"

#include "write/summary.h"

#include <string.h>

void json_place(struct json *json, const struct place *place) {
    json_text(json, "function", place->function);
    json_text(json, "file", place->file);
    json_number(json, "line", place->line);
    json_number(json, "column", place->column);
}

static void put_uncounted(struct json *json, const struct site_view *site) {
    if (site->outside_totals)
        json_flag(json, site->mapping ? "mapping" : "chunk", true);
}

void json_site(struct json *json, const struct site_view *site) {
    json_id(json, "id", site->id);
    json_text(json, "module", site->module);
    json_flag(json, "sited", site->sited);
    json_place(json, &site->at);
    json_text(json, "callee", site->callee);
    json_text(json, "type", site->type);
    json_open(json, "inlined", '[');
    for (size_t i = 0; i < site->inlined_count; i++) {
        json_open(json, NULL, '{');
        json_place(json, &site->inlined[i]);
        json_close(json, '}');
    }
    json_close(json, ']');
    if (site->address)
        json_address(json, "address", site->address);
    put_uncounted(json, site);
}

#define PUT_COUNTER(name) json_number(json, #name, counters->name);
#define PUT_ASKED(name)                                                                                      \
    if (counters->name)                                                                                      \
        json_number(json, #name, counters->name);

void json_counters(struct json *json, const struct counters *counters, bool is_site) {
    if (is_site) {
        ALLOCSITE_SITE_TOTALS(PUT_COUNTER)
    } else {
        ALLOCSITE_TOTALS(PUT_COUNTER)
    }
    ALLOCSITE_ASKED(PUT_ASKED)
}

void json_leaked(struct json *json, const struct report *report, const struct counters *counters) {
    if (report->reach) {
        ALLOCSITE_LEAKED(PUT_COUNTER)
    }
}

static void put_sum(struct json *json, const char *key, const struct report *report,
                    const struct report_site *sum) {
    json_open(json, key, '{');
    json_counters(json, &sum->counters, false);
    json_leaked(json, report, &sum->counters);
    json_close(json, '}');
}

static void put_classes(struct json *json, const char *key, const uint64_t counts[SIZE_CLASSES]) {
    json_open(json, key, '[');
    for (unsigned i = 0; i < SIZE_CLASSES; i++) {
        if (!counts[i])
            continue;
        json_open(json, NULL, '[');
        json_number(json, NULL, size_class_start(i));
        json_number(json, NULL, counts[i]);
        json_close(json, ']');
    }
    json_close(json, ']');
}

static void put_lifetimes(struct json *json, const struct profile_lifetimes *lifetimes) {
    json_open(json, "lifetimes", '{');
    json_number(json, "allocations", lifetimes->allocations);
    json_number(json, "nanoseconds", lifetimes->nanoseconds);
    put_classes(json, "by_allocations", lifetimes->by_allocations);
    put_classes(json, "by_time", lifetimes->by_time);
    json_close(json, '}');
}

static void put_site(struct json *json, const struct report *report, const struct report_site *site) {
    json_open_line(json, NULL, '{');
    json_site(json, &site->view);
    json_counters(json, &site->counters, true);
    if (site->sizes)
        put_classes(json, "sizes", site->sizes);
    if (site->lifetimes)
        put_lifetimes(json, &site->lifetimes->of);
    json_leaked(json, report, &site->counters);
    json_close(json, '}');
}

static void put_sites(struct json *json, const struct report *report) {
    json_open_line(json, "sites", '[');
    for (size_t i = 0; i < report->site_count; i++)
        if (report_has_row(report, report->sites[i]))
            put_site(json, report, report->sites[i]);
    json_close(json, ']');
}

/* Returns the number of sites with counts that are not in the array. */
static uint64_t left_out(const struct report *report) {
    uint64_t count = 0;
    for (size_t i = report->shown; i < report->counted; i++)
        count += !report_has_row(report, report->sites[i]);
    return count;
}

static void put_site_id(struct json *json, const char *key, const struct report_site *site) {
    if (site)
        json_id(json, key, site->view.id);
    else
        json_text(json, key, NULL);
}

static void put_pair(struct json *json, const struct report_pair *pair) {
    json_open_line(json, NULL, '{');
    put_site_id(json, "owner", pair->owner);
    put_site_id(json, "by", pair->by);
    json_text(json, "kind", pair_name(pair->kind));
    json_number(json, "count", pair->count);
    json_number(json, "bytes", pair->bytes);
    json_close(json, '}');
}

static void put_pairs(struct json *json, const char *key, const struct report *report, size_t from,
                      size_t end) {
    json_open_line(json, key, '[');
    for (size_t i = from; i < end; i++)
        if (report_has_pair(report, &report->pairs[i]))
            put_pair(json, &report->pairs[i]);
    json_close(json, ']');
}

static void put_all_pairs(struct json *json, const struct report *report) {
    size_t faults = report->pair_count - report->fault_count;
    if (report->has_pairs)
        put_pairs(json, "pairs", report, 0, faults);
    put_pairs(json, "faults", report, faults, report->pair_count);
}

static void put_texts(struct json *json, const char *key, const char *const *texts, size_t count) {
    json_open(json, key, '[');
    for (size_t i = 0; i < count; i++)
        json_text(json, NULL, texts[i]);
    json_close(json, ']');
}

/* Writes for each reason the number of processes that have it. */
static void put_reason_parts(struct json *json, const struct report *report) {
    json_open(json, "inexact_processes", '[');
    for (size_t i = 0; i < report->reason_count; i++) {
        uint64_t part = report_reason_part(report, i);
        json_number(json, NULL, part ? part : report->several.count);
    }
    json_close(json, ']');
}

static void put_processes(struct json *json, const struct report_processes *several) {
    json_number(json, "unfinished", several->unfinished);
    if (several->killed)
        json_number(json, "killed", several->killed);
    if (several->program_count)
        put_texts(json, "programs", several->programs, several->program_count);
}

/* Writes the number of forked children and the blocks that they inherited and left alone, if there are
 * any. */
static void put_forked(struct json *json, const struct report *report) {
    const struct report_processes *several = &report->several;
    if (several->forked || report->forked)
        json_number(json, "forked", several->count ? several->forked : 1);
    if (!several->untouched_blocks)
        return;
    json_number(json, "untouched_blocks", several->untouched_blocks);
    json_number(json, "untouched_bytes", several->untouched_bytes);
}

/* with_parts: also writes the members of a report of several processes. */
static void put_head(struct json *json, const struct report *report, bool with_parts) {
    const struct report_processes *several = &report->several;
    with_parts &= several->count != 0;
    json_text(json, "program", report->program);
    json_number(json, "pid", report->pid);
    json_number(json, "processes", several->count ? several->count : 1);
    if (with_parts)
        put_processes(json, several);
    json_flag(json, "exact", !report->reason_count);
    put_texts(json, "inexact_reasons", report->reasons, report->reason_count);
    if (with_parts && report->reason_count)
        put_reason_parts(json, report);
    json_flag(json, "finished", report->finished);
}

void json_head(struct json *json, const struct report *report) {
    put_head(json, report, false);
}

static void put_modules(struct json *json, const struct report *report) {
    if (!report->modules_size)
        return;
    json_open_line(json, "modules", '[');
    for (size_t i = 0; i < report->modules_size; i++) {
        json_open_line(json, NULL, '{');
        json_text(json, "path", report->modules[i].path);
        json_text(json, "build_id", report->modules[i].build_id);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void put_walks(struct json *json, const struct report *report) {
    const struct profile_walks *walks = &report->walks;
    if (!walks->depth && !walks->without_caller)
        return;
    json_open_line(json, "walks", '{');
    json_number(json, "depth", walks->depth);
    json_number(json, "ended_early", walks->ended_early);
    json_number(json, "cut", report_cut_calls(report));
    json_number(json, "without_stack", walks->without_stack);
    json_number(json, "without_caller", walks->without_caller);
    if (report->wrong_contexts)
        json_number(json, "wrong_contexts", report->wrong_contexts);
    if (report->walked_for_count)
        put_texts(json, "without_contexts", report->walked_for, report->walked_for_count);
    json_close(json, '}');
}

static void put_stack(struct json *json, const struct report *report, const struct report_stack *stack) {
    json_open_line(json, NULL, '{');
    json_id(json, "site", stack->site->view.id);
    put_uncounted(json, &stack->site->view);
    struct path path = json_frames(json, report, stack, 0);
    json_number(json, "line", path.line);
    json_text(json, "type", path.type);
    json_counters(json, &stack->counters, true);
    json_leaked(json, report, &stack->counters);
    json_close(json, '}');
}

/* Writes the stacks of the sites in the array. */
static void put_stacks(struct json *json, const struct report *report) {
    json_open_line(json, "stacks", '[');
    for (size_t i = 0; i < report->stack_count; i++)
        if (report_has_row(report, report->stacks[i].site))
            put_stack(json, report, &report->stacks[i]);
    json_close(json, ']');
}

/* Writes the phases of the sites in the array. */
static void put_phases(struct json *json, const struct report *report) {
    if (!report->phase_count)
        return;
    json_open_line(json, "phases", '[');
    for (size_t i = 0; i < report->phase_count; i++) {
        const struct report_phase *phase = &report->phases[i];
        if (!report_has_row(report, phase->site))
            continue;
        json_open_line(json, NULL, '{');
        json_id(json, "site", phase->site->view.id);
        if (phase->stack && report->walks.depth)
            json_number(json, "stack", phase->stack->number);
        json_text(json, "phase", phase->phase);
        json_number(json, "calls", phase->calls);
        json_number(json, "bytes", phase->bytes);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void put_flow(struct json *json, const struct counters *counters) {
    ALLOCSITE_PART(PUT_COUNTER)
}

static void put_peak(struct json *json, const char *key, const struct report_peak *peak) {
    json_open(json, key, '{');
    json_number(json, "bytes", peak->bytes);
    json_number(json, "within", peak->within);
    json_number(json, "time_ms", peak->time / 1000000);
    json_close(json, '}');
}

static void put_part(struct json *json, const struct report_part *part) {
    json_open_line(json, NULL, '{');
    json_number(json, "pid", part->pid);
    if (part->is_known) {
        json_number(json, "thread", part->thread);
        json_text(json, "phase", part->phase);
    }
    put_flow(json, &part->counters);
    put_peak(json, "peak", &part->peak);
    if (!part->phase && part->is_known)
        put_peak(json, "thread_peak", &part->thread_peak);
    json_close(json, '}');
}

static void put_threads(struct json *json, const struct report *report) {
    static const struct counters nothing;
    if (!report->has_parts)
        return;
    json_open_line(json, "threads", '[');
    for (size_t i = 0; i < report->part_count; i++)
        put_part(json, &report->parts[i]);
    json_close(json, ']');
    if (memcmp(&report->before_reset, &nothing, sizeof nothing) == 0)
        return;
    json_open(json, "before_reset", '{');
    put_flow(json, &report->before_reset);
    json_close(json, '}');
}

static void put_sums(struct json *json, const struct report *report) {
    put_sum(json, "totals", report, &report->totals);
    if (report->has_custom) {
        json_open(json, "custom", '{');
        json_counters(json, &report->custom, false);
        json_close(json, '}');
    }
    if (report->chunk_count)
        put_sum(json, "chunks", report, &report->chunks);
    if (report->mapping_count)
        put_sum(json, "mappings", report, &report->mappings);
}

void report_json(struct out *out, const struct report *report) {
    struct json json = json_begin(out, "allocsite-report", REPORT_JSON_VERSION);
    put_head(&json, report, true);
    put_forked(&json, report);
    json_run(&json, &report->run);
    put_sums(&json, report);
    json_number(&json, "peak_within", report->peak_within);
    if (report->leaked_unknown)
        json_text(&json, "leaked_unknown", report->leaked_unknown);
    json_number(&json, "sites_left_out", left_out(report));
    put_sites(&json, report);
    put_all_pairs(&json, report);
    put_modules(&json, report);
    put_walks(&json, report);
    put_stacks(&json, report);
    put_phases(&json, report);
    put_threads(&json, report);
    json_end(&json);
}
