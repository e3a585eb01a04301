/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the head of the page (program, accuracy, totals) and the table of the largest sites, for readers
 * without JavaScript and for printing. */
#include "dump/html/html.h"

#include "base/path.h"
#include "dump/view/measure.h"
#include "names/names.h"
#include "write/lines.h"
#include "write/summary.h"

#include <string.h>

typedef void summary(const struct page *);

/* Writes a summary as escaped text of the page. Longer summaries are cut. */
static void put_summary(struct out *out, const struct report *report, summary *summary) {
    char text[4096];
    struct out memory;
    const struct page page = {.out = &memory, .report = report};
    out_open_memory(&memory, text, sizeof text);
    summary(&page);
    html_text(out, text);
}

static void put_paragraph(struct out *out, const struct report *report, const char *class, const char *label,
                          summary *summary) {
    out_text(out, "<p class=\"");
    out_text(out, class);
    out_text(out, "\">");
    out_text(out, label);
    put_summary(out, report, summary);
    out_text(out, "</p>\n");
}

/* Only the last component of the path. The whole path follows below. */
static void put_name(const struct page *page) {
    out_plain(page->out, path_base(page->report->program));
}

static void put_program(const struct page *page) {
    out_plain(page->out, page->report->program);
    summary_processes(page);
}

static void put_command(const struct page *page) {
    out_plain(page->out, page->report->run.command);
}

/* which: of two reports "Before: " or "Now: ". */
static void put_run(struct out *out, const struct report *report, const char *which) {
    if (report->run.command || *which)
        put_paragraph(out, report, "command", which, report->run.command ? put_command : put_program);
    if (report->run.begun)
        put_paragraph(out, report, "run", "Ran ", summary_run);
    else if (!report->finished && !report->running)
        out_text(out, "<p class=\"run\">The program had not ended normally.</p>\n");
}

static void put_reason(struct out *out, const struct report *report, size_t reason) {
    char text[4096];
    struct out memory;
    const struct page page = {.out = &memory, .report = report};
    out_open_memory(&memory, text, sizeof text);
    summary_reason(&page, reason);
    out_text(out, "<li>");
    html_text(out, text);
    out_text(out, "</li>\n");
}

static void put_verdict(struct out *out, const struct report *report) {
    if (!report->reason_count) {
        out_text(out,
                 "<p class=\"verdict\"><strong>Exact.</strong> Every allocation was counted. Lines are ");
        put_summary(out, report, summary_lines);
        out_text(out, ".</p>\n");
        return;
    }
    out_text(out, "<div class=\"verdict doubt\" role=\"note\"><strong>Not exact</strong>\n<ul>\n");
    for (size_t i = 0; i < report->reason_count; i++)
        put_reason(out, report, i);
    out_text(out, "</ul>\n");
    put_paragraph(out, report, "lines", "Lines: ", summary_lines);
    out_text(out, "</div>\n");
}

/* Blocks that were freed twice or by a wrong function. */
static void put_faults(struct out *out, const struct report *report) {
    static char text[1 << 16];
    struct out memory;
    const struct page page = {.out = &memory, .report = report};
    if (!report->fault_count)
        return;
    out_open_memory(&memory, text, sizeof text);
    details_of_faults(&page);
    out_text(out, "<div class=\"verdict doubt\" role=\"note\"><strong>Faults</strong><pre>");
    html_text(out, text);
    out_text(out, "</pre></div>\n");
}

/* ---- The totals. Each card has a rounded number and the exact one. */

static void put_data(struct out *out, uint64_t value, bool is_bytes) {
    char text[UNITS_SIZE], full[UNITS_SIZE];
    (is_bytes ? units_size : units_count)(text, value);
    out_text(out, "<data value=\"");
    out_u64(out, value);
    out_text(out, "\" title=\"");
    units_count(full, value);
    out_text(out, full);
    out_text(out, is_bytes ? " bytes\">" : "\">");
    out_text(out, text);
    out_text(out, "</data>");
}

struct card {
    const char *metric, *name;
    uint64_t value;
    bool is_bytes;
    uint64_t count; /* second line, with the singular or plural of its noun */
    const char *singular, *plural;
    bool is_left_out;
};

/* old: the card of the older report, or NULL. */
static void put_card(struct out *out, const struct card *card, const struct card *old) {
    const struct page page = {.out = out};
    out_text(out, "<div data-metric=\"");
    out_text(out, card->metric);
    out_text(out, "\"><dt>");
    out_text(out, card->name);
    out_text(out, "</dt><dd>");
    put_data(out, card->value, card->is_bytes);
    out_text(out, "</dd>");
    if (old) {
        out_text(out, "<dd class=\"sub old\">was ");
        put_data(out, old->value, card->is_bytes);
        out_text(out, "</dd></div>\n");
        return;
    }
    out_text(out, "<dd class=\"sub\">");
    page_count(&page, card->count, card->singular, card->plural);
    out_text(out, "</dd></div>\n");
}

enum { CARDS = 8 };

/* Leaves out cards that need the owners of blocks if these are unknown, and those of counters that were not
 * requested. */
static void make_cards(struct card cards[CARDS], const struct report *report) {
    const struct report_site *totals = &report->totals;
    const struct counters *counters = &totals->counters;
    const char *live = report->finished ? "Live at exit" : "Live so far";
    uint64_t calls = counters_calls(counters), bytes = counters_bytes(counters);
    uint64_t released = counters->frees + counters->moved,
             churn = counters->freed_bytes + counters->moved_bytes;
    bool is_unowned = report->is_unowned, has_leaked = report->reach && !is_unowned;
    const struct card all[CARDS] = {
        {"bytes", "Allocated", bytes, true, calls, " call", " calls", false},
        {"calls", "Calls", calls, false, counters->reallocs, " reallocation", " reallocations", false},
        {"live", live, counters->live_bytes, true, counters->live_blocks, " block", " blocks", is_unowned},
        {"peak", "Peak", counters->peak_bytes, true, counters->peak_blocks, " block", " blocks", is_unowned},
        {"churn", "Churn", churn, true, released, " block gone", " blocks gone", is_unowned},
        {"temporary", "Temporary", counters->temporary, false, counters->frees, " block was freed",
         " blocks were freed", !counters->temporary},
        {"leaked", "Leaked", counters->leaked_bytes, true, counters->leaked_blocks, " block", " blocks",
         !has_leaked},
        {"possibly", "Possibly leaked", counters->possibly_leaked_bytes, true,
         counters->possibly_leaked_blocks, " block", " blocks",
         !has_leaked || !counters->possibly_leaked_blocks},
    };
    memcpy(cards, all, sizeof all);
}

/* For two reports, makes only the cards that both have. */
static void put_cards(struct out *out, const struct report *report, const struct report *old) {
    struct card cards[CARDS], old_cards[CARDS];
    make_cards(cards, report);
    make_cards(old_cards, old ?: report);
    out_text(out, "<dl id=\"totals\">\n");
    for (size_t i = 0; i < CARDS; i++)
        if (!cards[i].is_left_out && !old_cards[i].is_left_out)
            put_card(out, &cards[i], old ? &old_cards[i] : NULL);
    out_text(out, "</dl>\n");
}

static void put_directory(const struct page *page) {
    out_plain(page->out, page->report->directory);
}

/* Writes the details beyond the cards. The page shows them on demand, because rows matter more. */
static void put_more(struct out *out, const struct report *report) {
    out_text(out, "<details class=\"about\"><summary>More about the totals</summary>\n");
    put_paragraph(out, report, "more", "Total: ", summary_totals);
    put_paragraph(out, report, "more", "", summary_live);
    if (summary_has_resident(report))
        put_paragraph(out, report, "more", "Resident: ", summary_resident);
    if (report->totals.counters.possibly_leaked_blocks || (!report->reach && summary_has_leaked(report)))
        put_paragraph(out, report, "more", "Leaked: ", summary_leaked);
    if (summary_has_inherited(report))
        put_paragraph(out, report, "more", "Inherited: ", summary_inherited);
    if (report->has_custom)
        put_paragraph(out, report, "more", "Custom: ", summary_custom);
    if (report->is_elsewhere)
        put_paragraph(out, report, "more", "Files: below ", put_directory);
    out_text(out, "</details>\n");
}

static void put_heading(struct out *out, const struct report *report, const struct report *old) {
    out_text(out, "<h1>");
    put_summary(out, report, put_name);
    out_text(out, " <small>");
    if (old) {
        put_summary(out, old, put_program);
        out_text(out, " \xE2\x86\x92 ");
    }
    put_summary(out, report, put_program);
    out_text(out, "</small></h1>\n");
}

void html_head(struct out *out, const struct report *report, const struct report *old) {
    out_text(out, "<header>\n");
    put_heading(out, report, old);
    if (old)
        put_run(out, old, "Before: ");
    put_run(out, report, old ? "Now: " : "");
    if (old && old->reason_count) {
        out_text(out, "<p class=\"run\">The older one:</p>\n");
        put_verdict(out, old);
    }
    put_verdict(out, report);
    put_faults(out, report);
    put_cards(out, report, old);
    put_more(out, report);
    out_text(out, "</header>\n");
}

/* ---- The largest sites. */

enum { ROWS = 50 };

static void put_number(struct out *out, uint64_t value, enum measure measure) {
    char text[UNITS_SIZE];
    out_text(out, "<td><data value=\"");
    out_u64(out, value);
    out_text(out, "\">");
    measure_show(text, value, measure);
    out_text(out, text);
    out_text(out, "</data></td>");
}

static bool has_measure(const struct report *report, enum measure measure) {
    if (measure == MEASURE_LEAKED)
        return report->reach;
    return measure < MEASURE_LIVE || (measure < MEASURE_SORTS && !report->is_unowned);
}

static void put_space(const struct page *page) {
    out_char(page->out, ' ');
}

/* "src/a.c:12:7 main malloc of char" */
static void put_place(struct out *out, const struct report *report, const struct report_site *site) {
    char text[4096];
    struct out memory;
    const struct page page = {.out = &memory, .report = report};
    out_open_memory(&memory, text, sizeof text);
    page_site_in(&page, site);
    details_of_way(&page, site, put_space);
    out_text(out, "<td class=\"place\">");
    html_text(out, text);
    out_text(out, "</td></tr>\n");
}

static void put_row(struct out *out, const struct report *report, const struct report_site *site) {
    out_text(out, "<tr>");
    for (enum measure measure = 0; measure < MEASURES; measure++)
        if (has_measure(report, measure))
            put_number(out, measure_of(site, measure), measure);
    put_place(out, report, site);
}

void html_table(struct out *out, const struct report *report, bool is_by_stack) {
    size_t rows = report->shown < ROWS ? report->shown : ROWS;
    out_text(out, "<section id=\"plain\">\n<h2>");
    out_text(out, is_by_stack ? "Stacks" : "Sites");
    out_text(out, ": the first ");
    out_u64(out, rows);
    out_text(out, " of ");
    out_u64(out, report->counted);
    out_text(out, "</h2>\n<table>\n<thead><tr>");
    for (enum measure measure = 0; measure < MEASURES; measure++)
        if (has_measure(report, measure)) {
            out_text(out, "<th scope=\"col\">");
            out_text(out, measure == MEASURE_ALLOCS ? "calls" : measure_name(measure)); /* allocations and
                                                                                         * reallocations */
            out_text(out, "</th>");
        }
    out_text(out, "<th scope=\"col\">site</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < rows; i++)
        put_row(out, report, report->sites[i]);
    out_text(out, "</tbody>\n</table>\n</section>\n");
}
