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

/* ---- Records. */

bool record_begin(const struct record *record, const char *name) {
    if (record->json) {
        json_key(record->json, name);
        return true;
    }
    value_begin(record->values);
    if (record->is_head)
        out_print(record->values->out, "%s%s", record->prefix ?: "", name);
    return !record->is_head;
}

void record_text(const struct record *record, const char *name, const char *text) {
    if (record->json)
        json_text(record->json, name, text);
    else if (record->is_head)
        record_begin(record, name);
    else
        value_text(record->values, text);
}

void record_number(const struct record *record, const char *name, uint64_t number) {
    if (record_begin(record, name))
        out_u64(record_out(record), number);
}

void record_id(const struct record *record, const char *name, uint64_t id) {
    if (record->json)
        json_id(record->json, name, id);
    else if (record_begin(record, name))
        out_hex16(record_out(record), id);
}

void record_flag(const struct record *record, const char *name, bool is_set) {
    if (record->json)
        json_flag(record->json, name, is_set);
    else
        record_number(record, name, is_set);
}

/* ---- The report as comma-separated values: one row for each site, the inline chain in one value. */

static void put_inlined(struct out *out, const struct site_view *view) {
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

/* CSV has an empty value for an unknown name. */
static void put_name(const struct record *record, const char *name, const char *text) {
    record_text(record, name, text ?: "");
}

static void put_row(const struct record *record, const struct report *report,
                    const struct report_site *site) {
    const struct site_view *view = &site->view;
    const struct counters *counters = &site->counters;
    record_id(record, "id", view->id);
    put_name(record, "module", view->module);
    record_flag(record, "sited", view->sited);
    put_name(record, "function", view->at.function);
    put_name(record, "file", view->at.file);
    record_number(record, "line", view->at.line);
    record_number(record, "column", view->at.column);
    put_name(record, "callee", view->callee);
    put_name(record, "type", view->type);
    if (record_begin(record, "inlined"))
        put_inlined(record_out(record), view);
    if (record_begin(record, "address"))
        put_address(record_out(record), "0x", view->address);
    record_flag(record, "chunk", view->outside_totals && !view->mapping);
    record_flag(record, "mapping", view->mapping);
#define PUT_COUNTER(name) record_number(record, #name, counters->name);
    ALLOCSITE_SITE_TOTALS(PUT_COUNTER)
#define PUT_ASKED(name)                                                                                      \
    if (report->totals.counters.name)                                                                        \
    PUT_COUNTER(name)
    ALLOCSITE_ASKED(PUT_ASKED)
    if (report->reach) {
        ALLOCSITE_LEAKED(PUT_COUNTER)
    }
    values_end(record->values);
}

void report_csv(struct out *out, const struct report *report) {
    static const struct report_site none;
    struct values values = values_csv(out);
    put_row(&(struct record){.values = &values, .is_head = true}, report, &none);
    for (size_t i = 0; i < report->site_count; i++)
        if (report_has_row(report, report->sites[i]))
            put_row(&(struct record){.values = &values}, report, report->sites[i]);
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
