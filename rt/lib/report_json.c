/* The report as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "report.h"
#include "report_stacks.h"

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
