/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report as JSON. */
#include "write/json.h"

#include "model/report.h"

#define JSON_VALUE(name)                                                                                     \
    number(out, separator, #name, counters->name);                                                           \
    separator = ",";

static void number(struct out *out, const char *separator, const char *name, uint64_t value) {
    out_text(out, separator);
    out_char(out, '"');
    out_text(out, name);
    out_text(out, "\":");
    out_u64(out, value);
}

static void lost_members(struct out *out, const struct report *report, const struct report_site *site) {
    if (!report->reach)
        return;
    number(out, ",", "lost_blocks", site->lost_blocks);
    number(out, ",", "lost_bytes", site->lost_bytes);
}

static void sum_object(struct out *out, const char *key, const struct report *report,
                       const struct report_site *sum) {
    const struct counters *counters = &sum->counters;
    const char *separator = "{";
    out_text(out, key);
    ALLOCSITE_TOTALS(JSON_VALUE)
    lost_members(out, report, sum);
    out_char(out, '}');
}

static void custom_object(struct out *out, const struct counters *counters) {
    const char *separator = "{";
    out_text(out, ",\"custom\":");
    ALLOCSITE_TOTALS(JSON_VALUE)
    out_char(out, '}');
}

static void sizes_member(struct out *out, const uint64_t *sizes) {
    const char *separator = "[";
    out_text(out, ",\"sizes\":[");
    for (unsigned i = 0; i < SIZE_CLASSES; i++) {
        if (!sizes[i])
            continue;
        out_text(out, separator);
        out_u64(out, size_class_start(i));
        out_char(out, ',');
        out_u64(out, sizes[i]);
        out_char(out, ']');
        separator = ",[";
    }
    out_char(out, ']');
}

static void site_object(struct out *out, const struct report *report, const struct report_site *site) {
    const struct counters *counters = &site->counters;
    const char *separator = ",";
    out_char(out, '{');
    site_json_fields(out, &site->view);
    ALLOCSITE_SITE_TOTALS(JSON_VALUE)
    if (site->sizes)
        sizes_member(out, site->sizes);
    lost_members(out, report, site);
    out_char(out, '}');
}

static void sites_array(struct out *out, const struct report *report) {
    const char *separator = "[\n";
    for (size_t i = 0; i < report->site_count; i++) {
        if (!report_has_row(report, report->sites[i]))
            continue;
        out_text(out, separator);
        site_object(out, report, report->sites[i]);
        separator = ",\n";
    }
    out_text(out, *separator == '[' ? "[]" : "]");
}

/* Sites that counted something and are not in the array. */
static uint64_t left_out(const struct report *report) {
    uint64_t count = report->left_out;
    for (size_t i = report->shown; i < report->counted; i++)
        count += !report_has_row(report, report->sites[i]);
    return count;
}

static void site_id(struct out *out, const char *key, const struct report_site *site) {
    out_text(out, key);
    if (!site) {
        out_text(out, "null");
        return;
    }
    out_char(out, '"');
    out_hex16(out, site->view.id);
    out_char(out, '"');
}

static void pair_object(struct out *out, const struct report_pair *pair) {
    site_id(out, "{\"owner\":", pair->owner);
    site_id(out, ",\"by\":", pair->by);
    out_text(out, ",\"kind\":\"");
    out_text(out, pair_name(pair->kind));
    out_char(out, '"');
    number(out, ",", "count", pair->count);
    number(out, ",", "bytes", pair->bytes);
    out_char(out, '}');
}

static void pairs_array(struct out *out, const struct report *report, size_t from, size_t end) {
    const char *separator = "[\n";
    for (size_t i = from; i < end; i++) {
        if (!report_has_pair(report, &report->pairs[i]))
            continue;
        out_text(out, separator);
        pair_object(out, &report->pairs[i]);
        separator = ",\n";
    }
    out_text(out, *separator == '[' ? "[]" : "]");
}

static void pair_members(struct out *out, const struct report *report) {
    size_t faults = report->pair_count - report->fault_count;
    if (report->has_pairs) {
        out_text(out, ",\n\"pairs\":");
        pairs_array(out, report, 0, faults);
    }
    out_text(out, ",\n\"faults\":");
    pairs_array(out, report, faults, report->pair_count);
}

static void reasons_array(struct out *out, const struct report *report) {
    out_char(out, '[');
    for (size_t i = 0; i < report->reason_count; i++) {
        out_text(out, i ? "," : "");
        out_json_string(out, report->reasons[i]);
    }
    out_char(out, ']');
}

/* Of how many processes each reason is. */
static void inexact_processes(struct out *out, const struct report *report) {
    if (!report->several.count || !report->reason_count)
        return;
    out_text(out, ",\"inexact_processes\":");
    for (size_t i = 0; i < report->reason_count; i++) {
        uint64_t part = report_reason_part(report, i);
        out_char(out, i ? ',' : '[');
        out_u64(out, part ? part : report->several.count);
    }
    out_char(out, ']');
}

static void processes_members(struct out *out, const struct report *report) {
    const struct report_processes *several = &report->several;
    number(out, ",", "processes", several->count ? several->count : 1);
    if (!several->count)
        return;
    number(out, ",", "unfinished", several->unfinished);
    if (!several->program_count)
        return;
    out_text(out, ",\"programs\":");
    for (size_t i = 0; i < several->program_count; i++) {
        out_char(out, i ? ',' : '[');
        out_json_string(out, several->programs[i]);
    }
    out_char(out, ']');
}

static void head_members(struct out *out, const struct report *report) {
    out_text(out, "\"format\":\"allocsite-report\",\"version\":");
    out_u64(out, REPORT_JSON_VERSION);
    out_text(out, ",\"program\":");
    out_json_string(out, report->program);
    number(out, ",", "pid", report->pid);
    processes_members(out, report);
    out_text(out, report->reason_count ? ",\"exact\":false" : ",\"exact\":true");
    out_text(out, ",\"inexact_reasons\":");
    reasons_array(out, report);
    inexact_processes(out, report);
    out_text(out, report->finished ? ",\"finished\":true" : ",\"finished\":false");
}

void report_json(struct out *out, const struct report *report) {
    out_char(out, '{');
    head_members(out, report);
    sum_object(out, ",\"totals\":", report, &report->totals);
    if (report->has_custom)
        custom_object(out, &report->custom);
    if (report->backing_count)
        sum_object(out, ",\"backing\":", report, &report->backing);
    number(out, ",", "peak_within", report->peak_within);
    if (report->lost_unknown) {
        out_text(out, ",\"lost_unknown\":");
        out_json_string(out, report->lost_unknown);
    }
    number(out, ",", "sites_left_out", left_out(report));
    out_text(out, ",\n\"sites\":");
    sites_array(out, report);
    pair_members(out, report);
    report_stacks_json(out, report);
    out_text(out, "}\n");
}

/* ---- The calling frames of a report. */

static void put_number(struct out *out, const char *name, uint64_t value) {
    out_text(out, ",\"");
    out_text(out, name);
    out_text(out, "\":");
    out_u64(out, value);
}

static void text(struct out *out, const char *key, const char *value) {
    out_text(out, key);
    out_json_string(out, value);
}

static void modules(struct out *out, const struct report *report) {
    const char *separator = ",\n\"modules\":[\n";
    for (size_t i = 0; i < report->modules_size; i++) {
        out_text(out, separator);
        text(out, "{\"path\":", report->modules[i].path);
        text(out, ",\"build_id\":", report->modules[i].build_id);
        out_char(out, '}');
        separator = ",\n";
    }
    if (report->modules_size)
        out_char(out, ']');
}

static void walks(struct out *out, const struct profile_walks *walks) {
    if (!walks->depth && !walks->without_caller)
        return;
    out_text(out, ",\n\"walks\":{\"depth\":");
    out_u64(out, walks->depth);
    put_number(out, "by_frame_pointer", walks->by_frame_pointer);
    put_number(out, "by_table", walks->by_table);
    put_number(out, "ended_early", walks->ended_early);
    put_number(out, "without_stack", walks->without_stack);
    put_number(out, "without_caller", walks->without_caller);
    out_char(out, '}');
}

static void frame(struct out *out, const struct report_frame *frame) {
    text(out, "{\"module\":", frame->module ? frame->module->path : NULL);
    out_text(out, ",\"address\":\"0x");
    out_hex(out, frame->address);
    text(out, "\",\"function\":", frame->function);
    out_char(out, '}');
}

static void stack(struct out *out, const struct report_stack *stack) {
    const struct counters *counters = &stack->counters;
    out_text(out, "{\"site\":\"");
    out_hex16(out, stack->site->view.id);
    out_text(out, stack->site->view.backing ? "\",\"backing\":true" : "\"");
    for (size_t i = 0; i < stack->frame_count; i++) {
        out_text(out, i ? "," : ",\"frames\":[");
        frame(out, &stack->frames[i]);
    }
    out_text(out, stack->frame_count ? "]" : ",\"frames\":[]");
#define MEMBER(name) put_number(out, #name, counters->name);
    ALLOCSITE_SITE_TOTALS(MEMBER)
#undef MEMBER
    out_char(out, '}');
}

static void stacks(struct out *out, const struct report *report) {
    const char *separator = "\n";
    out_text(out, ",\n\"stacks\":[");
    for (size_t i = 0; i < report->stack_count; i++) {
        if (!report_has_row(report, report->stacks[i].site))
            continue;
        out_text(out, separator);
        stack(out, &report->stacks[i]);
        separator = ",\n";
    }
    out_char(out, ']');
}

void report_stacks_json(struct out *out, const struct report *report) {
    modules(out, report);
    walks(out, &report->walks);
    if (report->walks.depth)
        stacks(out, report);
}

/* ---- What documents in JSON that are made from a report begin with. */

static void member(struct out *out, const char *name) {
    out_text(out, ",\"");
    out_text(out, name);
    out_text(out, "\":");
}

void json_number(struct out *out, const char *name, uint64_t value) {
    member(out, name);
    out_u64(out, value);
}

void json_text(struct out *out, const char *name, const char *value) {
    member(out, name);
    out_json_string(out, value);
}

static void reasons(struct out *out, const struct report *report) {
    out_text(out, report->reason_count ? ",\"exact\":false" : ",\"exact\":true");
    out_text(out, ",\"inexact_reasons\":[");
    for (size_t i = 0; i < report->reason_count; i++) {
        out_text(out, i ? "," : "");
        out_json_string(out, report->reasons[i]);
    }
    out_char(out, ']');
}

void report_head_json(struct out *out, const struct report *report) {
    json_text(out, "program", report->program);
    json_number(out, "pid", report->pid);
    json_number(out, "processes", report->several.count ? report->several.count : 1);
    reasons(out, report);
    out_text(out, report->finished ? ",\"finished\":true" : ",\"finished\":false");
}
