/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report as values separated by tabs: how many rows there are, and then these, without names, so that a
 * script knows what it reads. */
#include "write/formats.h"

static void number(struct out *out, uint64_t value) {
    out_u64(out, value);
    out_char(out, '\t');
}

/* Of who only gives back, that. */
void tsv_amounts(struct out *out, const struct counters *counters, bool is_freed) {
    if (is_freed) {
        number(out, counters->frees + counters->moved);
        number(out, counters->freed_bytes + counters->moved_bytes);
        return;
    }
    number(out, counters->live_blocks);
    number(out, counters->live_bytes);
    number(out, counters_calls(counters));
    number(out, counters_bytes(counters));
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
