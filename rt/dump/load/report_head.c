/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report from the JSON that the runtime wrote: what it says of the run as a whole. */
#include "dump/base/memory.h"
#include "dump/load/json_field.h"
#include "write/summary.h"

#include <string.h>

bool report_read_format(const struct json_at *top) {
    const char *format = json_field_text(top, "format");
    if (format && strcmp(format, "allocsite-report") != 0)
        return json_field_wrong(top, "format", "is not \"allocsite-report\"");
    return json_field_u64(top, "version") <= REPORT_JSON_VERSION ||
           json_field_wrong(top, "version", "is of a newer allocsite");
}

const char **report_read_texts(const struct json_at *top, const char *name, size_t *count) {
    struct json_value *array = json_field_array(top, name);
    const char **texts = memory_zeros(json_size(array), sizeof *texts);
    *count = 0;
    for (struct json_value *text = json_first(array); text; text = text->next) {
        if (text->kind != JSON_TEXT)
            json_field_wrong(top, name, "has something that is not a string");
        texts[(*count)++] = text->kind == JSON_TEXT ? text->text : NULL;
    }
    return texts;
}

static void read_reasons(struct report_file *file, const struct json_at *top) {
    bool exact = json_field_bool(top, "exact");
    file->report.reasons = file->reasons =
        report_read_texts(top, "inexact_reasons", &file->report.reason_count);
    if (exact != (file->report.reason_count == 0))
        json_field_wrong(top, "exact", "contradicts inexact_reasons");
}

static void read_reasons_hold(struct report_file *file, const struct json_at *top) {
    size_t count = file->report.reason_count;
    if (!json_field_exists(top, "inexact_processes"))
        return;
    struct json_value *array = json_field_array(top, "inexact_processes");
    if (json_size(array) != count)
        json_field_wrong(top, "inexact_processes", "does not fit inexact_reasons");
    file->report.several.reasons_hold = file->reasons_hold = memory_zeros(count, sizeof *file->reasons_hold);
    size_t i = 0;
    for (struct json_value *holds = json_first(array); holds && i < count; holds = holds->next) {
        if (holds->kind != JSON_COUNT || !holds->count)
            json_field_wrong(top, "inexact_processes", "has something that is not a count");
        file->reasons_hold[i++] = holds->kind == JSON_COUNT ? holds->count : 0;
    }
}

/* Reports of old have none. */
static uint64_t read_count(const struct json_at *top, const char *name) {
    return json_field_exists(top, name) ? json_field_u64(top, name) : 0;
}

/* Reports that were written before there were any of several processes have none of this. */
static void read_processes(struct report_file *file, const struct json_at *top) {
    struct report_processes *several = &file->report.several;
    uint64_t forked = read_count(top, "forked");
    several->count = read_count(top, "processes");
    if (several->count < 2) {
        several->count = 0;
        file->report.forked = forked;
        return;
    }
    several->forked = forked;
    several->unfinished = json_field_u64(top, "unfinished");
    several->killed = read_count(top, "killed");
    several->untouched_blocks = read_count(top, "untouched_blocks");
    several->untouched_bytes = read_count(top, "untouched_bytes");
    read_reasons_hold(file, top);
    if (several->unfinished > several->count || several->killed > several->unfinished ||
        (several->unfinished == 0) != file->report.finished)
        json_field_wrong(top, "unfinished", "contradicts processes or finished");
    if (json_field_exists(top, "programs"))
        several->programs = file->programs = report_read_texts(top, "programs", &several->program_count);
}

void report_read_lost(struct report_site *row, const struct json_at *at) {
    row->lost_blocks = json_field_u64(at, "lost_blocks");
    row->lost_bytes = json_field_u64(at, "lost_bytes");
}

#define NOTE_LACK(name) file->not_told.name = !json_field_exists(at, #name);

/* What the totals lack a site may have all the same: then the sums tell. */
#define READ_COUNTER(name)                                                                                   \
    counters->name = file->not_told.name && !json_field_exists(at, #name) ? 0 : json_field_u64(at, #name);

#define READ_ASKED(name) counters->name = read_count(at, #name);

void report_read_totals(struct report_file *file, const struct json_at *top) {
    struct json_at totals = json_field_object(top, "totals"), *at = &totals;
    struct counters *counters = &file->totals.counters;
    file->report.stated = &file->totals;
    file->report.reach = json_field_exists(at, "lost_blocks");
    if (file->report.reach)
        report_read_lost(&file->totals, at);
    ALLOCSITE_TOTALS(NOTE_LACK)
    ALLOCSITE_TOTALS(READ_COUNTER)
    ALLOCSITE_ASKED(READ_ASKED)
}

void report_read_counters(const struct report_file *file, struct counters *counters,
                          const struct json_at *at) {
    ALLOCSITE_SITE_TOTALS(READ_COUNTER)
    ALLOCSITE_ASKED(READ_ASKED)
}

/* ---- Threads and phases. */

#define READ_PART(name) counters->name = json_field_u64(at, #name);

static void read_flow(struct counters *counters, const struct json_at *at) {
    ALLOCSITE_PART(READ_PART)
    counters_set_live(counters);
}

static void read_part(struct report_part *part, const struct json_at *at) {
    part->pid = json_field_u64(at, "pid");
    part->is_known = json_field_exists(at, "thread");
    if (part->is_known) {
        part->thread = json_field_u64(at, "thread");
        part->phase = json_field_text_or_null(at, "phase");
    }
    read_flow(&part->counters, at);
}

/* Reports before version 4 have none, nor have those of merged profiles. */
void report_read_threads(struct report_file *file, const struct json_at *top) {
    struct report *report = &file->report;
    report->has_parts = json_field_exists(top, "threads");
    if (!report->has_parts)
        return;
    struct json_value *array = json_field_array(top, "threads");
    report->parts = file->parts = memory_zeros(json_size(array), sizeof *file->parts);
    for (struct json_value *element = json_first(array); element; element = element->next) {
        struct json_at at = json_field_element(top, "threads", report->part_count, element);
        read_part(&file->parts[report->part_count++], &at);
    }
    if (!json_field_exists(top, "before_reset"))
        return;
    struct json_at before = json_field_object(top, "before_reset");
    read_flow(&report->before_reset, &before);
}

/* ---- The rest. */

static void read_ending(struct report_run *run, const struct json_at *at) {
    const char *name = json_field_text_or_null(at, "ending");
    for (uint32_t i = 1; name && i < PROFILE_ENDINGS; i++)
        if (strcmp(name, run_ending_name(i)) == 0)
            run->ending = i;
    if (name && !run->ending)
        json_field_wrong(at, "ending", "is not known");
}

#define MILLISECOND UINT64_C(1000000)

/* Reports before version 3 have none. */
static void read_run(struct report_run *run, const struct json_at *top) {
    if (!json_field_exists(top, "run"))
        return;
    struct json_at at = json_field_object(top, "run");
    run->begun = json_field_u64(&at, "begun_ms") * MILLISECOND;
    run->ended = json_field_u64(&at, "ended_ms") * MILLISECOND;
    run->resident = json_field_u64(&at, "max_resident_bytes");
    run->status = json_field_u32(&at, "status");
    run->command = json_field_text_or_null(&at, "command");
    read_ending(run, &at);
}

static void read_custom(struct report_file *file, const struct json_at *top) {
    struct counters *counters = &file->report.custom;
    file->report.has_custom = json_field_exists(top, "custom");
    if (!file->report.has_custom)
        return;
    struct json_at custom = json_field_object(top, "custom"), *at = &custom;
    ALLOCSITE_TOTALS(READ_COUNTER)
}

void report_read_head(struct report_file *file, const struct json_at *top) {
    struct report *report = &file->report;
    report->program = json_field_text(top, "program");
    report->pid = json_field_u64(top, "pid");
    read_reasons(file, top);
    report->finished = json_field_bool(top, "finished");
    read_processes(file, top);
    read_custom(file, top);
    read_run(&report->run, top);
    report->peak_within = json_field_u64(top, "peak_within");
    report->left_out = json_field_u64(top, "sites_left_out");
    if (json_field_exists(top, "lost_unknown"))
        report->lost_unknown = json_field_text(top, "lost_unknown");
}
