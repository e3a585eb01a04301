/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report as values separated by commas or tabs. */
#include "write/formats.h"

#include <string.h>

/* ---- The report as comma-separated values (RFC 4180): one row for each site, the inline chain in one field.
 */

#define CSV_NAME(name) "," #name

static void quoted_part(struct out *out, const char *text) {
    while (text && *text) {
        if (*text == '"')
            out_char(out, '"');
        text += out_plain_character(out, text);
    }
}

static void field(struct out *out, const char *text) {
    out_text(out, ",\"");
    quoted_part(out, text);
    out_char(out, '"');
}

static void number(struct out *out, uint64_t value) {
    out_char(out, ',');
    out_u64(out, value);
}

static void inlined(struct out *out, const struct site_view *view) {
    out_text(out, ",\"");
    for (size_t i = 0; i < view->inlined_count; i++) {
        const struct place *place = &view->inlined[i];
        out_text(out, i ? " <- " : "");
        quoted_part(out, place->function);
        out_text(out, " at ");
        quoted_part(out, place->file);
        out_char(out, ':');
        out_u64(out, place->line);
        out_char(out, ':');
        out_u64(out, place->column);
    }
    out_char(out, '"');
}

static void address(struct out *out, uint64_t value) {
    out_text(out, value ? ",0x" : ",");
    if (value)
        out_hex(out, value);
}

static void row(struct out *out, const struct report *report, const struct report_site *site) {
    const struct site_view *view = &site->view;
    const struct counters *counters = &site->counters;
    out_hex16(out, view->id);
    field(out, view->module);
    out_text(out, view->sited ? ",1" : ",0");
    field(out, view->at.function);
    field(out, view->at.file);
    number(out, view->at.line);
    number(out, view->at.column);
    field(out, view->callee);
    field(out, view->type);
    inlined(out, view);
    address(out, view->address);
    out_text(out, view->backing ? ",1" : ",0");
#define CSV_VALUE(name) number(out, counters->name);
    ALLOCSITE_SITE_TOTALS(CSV_VALUE)
#define CSV_ASKED_VALUE(name)                                                                                \
    if (report->totals.counters.name)                                                                        \
        number(out, counters->name);
    ALLOCSITE_ASKED(CSV_ASKED_VALUE)
    if (report->reach) {
        number(out, site->lost_blocks);
        number(out, site->lost_bytes);
    }
    out_text(out, "\r\n");
}

void report_csv(struct out *out, const struct report *report) {
    out_text(
        out,
        "id,module,sited,function,file,line,column,callee,type,inlined,address,backing" ALLOCSITE_SITE_TOTALS(
            CSV_NAME));
#define CSV_ASKED_NAME(name)                                                                                 \
    if (report->totals.counters.name)                                                                        \
        out_text(out, "," #name);
    ALLOCSITE_ASKED(CSV_ASKED_NAME)
    out_text(out, report->reach ? ",lost_blocks,lost_bytes\r\n" : "\r\n");
    for (size_t i = 0; i < report->site_count; i++)
        if (report_has_row(report, report->sites[i]))
            row(out, report, report->sites[i]);
}

void csv_text(struct out *out, const char *text) {
    if (!text)
        return;
    out_char(out, '"');
    quoted_part(out, text);
    out_char(out, '"');
}

void csv_stack(struct out *out, const struct report_stack *stack, size_t frames) {
    out_char(out, '"');
    for (size_t i = 0; i < frames; i++) {
        const struct report_frame *frame = &stack->frames[i];
        out_text(out, i ? " <- " : "");
        quoted_part(out, frame->function ? frame->function : frame->module ? frame->module->path : "?");
    }
    out_char(out, '"');
}

/* ---- The report as values separated by tabs: how many rows there are, and then these, without names, so
 * that a script knows what it reads. */

static void tsv_number(struct out *out, uint64_t value) {
    out_u64(out, value);
    out_char(out, '\t');
}

/* Of who only gives back, that. */
void tsv_amounts(struct out *out, const struct counters *counters, bool is_freed) {
    if (is_freed) {
        tsv_number(out, counters->frees + counters->moved);
        tsv_number(out, counters->freed_bytes + counters->moved_bytes);
        return;
    }
    tsv_number(out, counters->live_blocks);
    tsv_number(out, counters->live_bytes);
    tsv_number(out, counters_calls(counters));
    tsv_number(out, counters_bytes(counters));
}

static void put_place(struct out *out, const struct site_view *view) {
    out_plain(out, view->at.file ? view->at.file : view->module);
    if (view->at.file) {
        out_char(out, ':');
        out_u64(out, view->at.line);
    } else if (view->address) {
        out_text(out, "+0x");
        out_hex(out, view->address);
    }
}

static void put_text(struct out *out, const char *text) {
    out_char(out, '\t');
    out_plain(out, text ? text : "");
}

void tsv_site(struct out *out, const struct site_view *view) {
    put_place(out, view);
    put_text(out, view->at.function);
    put_text(out, view->callee);
    put_text(out, view->type);
}

void report_tsv(struct out *out, const struct report *report) {
    out_u64(out, report->shown);
    out_char(out, '\n');
    for (size_t i = 0; i < report->shown; i++) {
        tsv_amounts(out, &report->sites[i]->counters, false);
        tsv_site(out, &report->sites[i]->view);
        out_char(out, '\n');
    }
}
