/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report as values separated by commas or tabs. */
#include "write/formats.h"

#include <string.h>

/* ---- Values. */

struct values values_tsv(struct out *out, size_t lines) {
    out_print(out, "%lu\n", lines);
    return (struct values){.out = out};
}

void value_begin(struct values *values) {
    if (values->has_begun)
        out_char(values->out, values->end ? ',' : '\t');
    values->has_begun = true;
}

void values_end(struct values *values) {
    out_text(values->out, values->end ? values->end : "\n");
    values->has_begun = false;
}

void value_text(struct values *values, const char *text) {
    value_begin(values);
    if (!text)
        return;
    if (!values->end) {
        out_field(values->out, text);
        return;
    }
    out_char(values->out, '"');
    out_quoted(values->out, text);
    out_char(values->out, '"');
}

void value_number(struct values *values, uint64_t number) {
    value_begin(values);
    out_u64(values->out, number);
}

void value_id(struct values *values, uint64_t id) {
    value_begin(values);
    out_hex16(values->out, id);
}

/* ---- The report as comma-separated values: one row for each site, the inline chain in one value. */

#define CSV_NAME(name) "," #name

static void inlined(struct values *values, const struct site_view *view) {
    struct out *out = values->out;
    value_begin(values);
    out_char(out, '"');
    for (size_t i = 0; i < view->inlined_count; i++) {
        const struct place *place = &view->inlined[i];
        out_text(out, i ? " <- " : "");
        (i ? out_quoted_part : out_quoted)(out, place->function);
        out_text(out, " at ");
        out_quoted_part(out, place->file);
        out_print(out, ":%u:%u", place->line, place->column);
    }
    out_char(out, '"');
}

static void put_address(struct out *out, const char *before, uint64_t address) {
    if (!address)
        return;
    out_print(out, "%s%lx", before, address);
}

/* An unknown name is an empty value here. */
static void name(struct values *values, const char *text) {
    value_text(values, text ? text : "");
}

static void row(struct values *values, const struct report *report, const struct report_site *site) {
    const struct site_view *view = &site->view;
    const struct counters *counters = &site->counters;
    value_id(values, view->id);
    name(values, view->module);
    value_number(values, view->sited);
    name(values, view->at.function);
    name(values, view->at.file);
    value_number(values, view->at.line);
    value_number(values, view->at.column);
    name(values, view->callee);
    name(values, view->type);
    inlined(values, view);
    value_begin(values);
    put_address(values->out, "0x", view->address);
    value_number(values, view->outside_totals && !view->mapping);
    value_number(values, view->mapping);
#define CSV_VALUE(name) value_number(values, counters->name);
    ALLOCSITE_SITE_TOTALS(CSV_VALUE)
#define CSV_ASKED_VALUE(name)                                                                                \
    if (report->totals.counters.name)                                                                        \
        value_number(values, counters->name);
    ALLOCSITE_ASKED(CSV_ASKED_VALUE)
    if (report->reach) {
        ALLOCSITE_LEAKED(CSV_VALUE)
    }
    values_end(values);
}

void report_csv(struct out *out, const struct report *report) {
    struct values values = values_csv(out);
    out_text(out, "id,module,sited,function,file,line,column,callee,type,inlined,address,chunk,"
                  "mapping" ALLOCSITE_SITE_TOTALS(CSV_NAME));
#define CSV_ASKED_NAME(name)                                                                                 \
    if (report->totals.counters.name)                                                                        \
        out_text(out, "," #name);
    ALLOCSITE_ASKED(CSV_ASKED_NAME)
    out_text(out, report->reach ? "" ALLOCSITE_LEAKED(CSV_NAME) : "");
    values_end(&values);
    for (size_t i = 0; i < report->site_count; i++)
        if (report_has_row(report, report->sites[i]))
            row(&values, report, report->sites[i]);
}

/* ---- The report as values separated by tabs, without names. */

/* A line that only frees has the freed blocks and bytes instead of calls and live blocks. */
void value_amounts(struct values *values, const struct counters *counters, bool is_freed) {
    value_number(values, is_freed ? counters->frees + counters->moved : counters->live_blocks);
    value_number(values, is_freed ? counters->freed_bytes + counters->moved_bytes : counters->live_bytes);
    if (is_freed)
        return;
    value_number(values, counters_calls(counters));
    value_number(values, counters_bytes(counters));
}

void value_site(struct values *values, const struct site_view *view) {
    value_text(values, view->at.file ? view->at.file : view->module);
    if (view->at.file) {
        out_print(values->out, ":%u", view->at.line);
    } else
        put_address(values->out, "+0x", view->address);
    value_text(values, view->at.function);
    value_text(values, view->callee);
    value_text(values, view->type);
}

void report_tsv(struct out *out, const struct report *report) {
    struct values values = values_tsv(out, report->shown);
    for (size_t i = 0; i < report->shown; i++) {
        value_amounts(&values, &report->sites[i]->counters, false);
        value_site(&values, &report->sites[i]->view);
        values_end(&values);
    }
}
