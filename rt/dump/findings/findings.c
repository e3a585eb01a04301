/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Collects broken limits, faults and leaks, and writes findings as text and JSON. */
#include "dump/findings/findings.h"

#include "base/arrays.h"
#include "base/path.h"
#include "dump/base/files.h"
#include "dump/base/memory.h"
#include "dump/view/views.h"
#include "model/filter.h"
#include "model/report.h"
#include "model/suppress.h"
#include "write/formats.h"
#include "write/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct rule_text *rule_text(enum rule rule) {
#define ALLOCSITE_RULE(rule, name, level, meaning) {name, meaning, level},
    static const struct rule_text all[] = {ALLOCSITE_RULES(ALLOCSITE_RULE)};
#undef ALLOCSITE_RULE
    return &all[rule];
}

static char *text_of(const char *format, va_list arguments) {
    char *text = NULL;
    return memory_need(vasprintf(&text, format, arguments) < 0 ? NULL : text);
}

struct finding *findings_add(struct findings *findings, enum rule rule, const struct report_site *site,
                             const char *format, ...) {
    va_list arguments;
    memory_grow(&findings->list, findings->count, &findings->capacity, sizeof *findings->list);
    struct finding *finding = &findings->list[findings->count++];
    va_start(arguments, format);
    *finding = (struct finding){.rule = rule, .site = site, .what = text_of(format, arguments)};
    va_end(arguments);
    return finding;
}

void findings_hint(struct findings *findings, const char *format, ...) {
    va_list arguments;
    if (findings->hint_count == sizeof findings->hints / sizeof *findings->hints)
        return;
    va_start(arguments, format);
    findings->hints[findings->hint_count++] = text_of(format, arguments);
    va_end(arguments);
}

bool findings_want(const struct findings *findings, const struct report_site *site) {
    return !findings->filter || (site && filter_matches(findings->filter, &site->view));
}

static int compare_findings(const void *a, const void *b) {
    const struct finding *left = a, *right = b;
    return compare_u64(left->rule, right->rule)
               ?: compare_u64(right->calls, left->calls)
               ?: compare_u64(right->copied_bytes, left->copied_bytes)
               ?: compare_u64(right->peak_bytes, left->peak_bytes)
               ?: left->site && right->site ? order_identity(left->site, right->site)
                                            : !left->site - !right->site;
}

void findings_free(struct findings *findings) {
    for (size_t i = 0; i < findings->count; i++)
        free(findings->list[i].what);
    for (size_t i = 0; i < findings->hint_count; i++)
        free(findings->hints[i]);
    free(findings->list);
}

const struct place *finding_place(const struct report_site *site) {
    const struct site_view *view = site ? &site->view : NULL;
    for (size_t i = 0; view && i <= view->inlined_count; i++) {
        const struct place *place = i ? &view->inlined[i - 1] : &view->at;
        if (place->file && place->line && !path_is_of_system(place->file))
            return place;
    }
    return view && view->at.file && view->at.line ? &view->at : NULL;
}

/* ---- Broken limits. */

void findings_add_broken(struct findings *findings, const struct check *check) {
    findings->budget_path = check->budget_path;
    for (size_t i = 0; i < check->count; i++) {
        const struct verdict *verdict = &check->verdicts[i];
        const struct report_site *sites[1 + sizeof findings->list->others / sizeof *findings->list->others];
        char text[1024];
        struct out out;
        if (verdict->is_kept)
            continue;
        size_t count = check_largest(check, verdict, sites, sizeof sites / sizeof *sites);
        out_open_memory(&out, text, sizeof text);
        check_say(&out, verdict);
        struct finding *finding = findings_add(findings, RULE_BUDGET, count ? sites[0] : NULL, "%s", text);
        finding->limit = verdict->limit;
        for (size_t other = 1; other < count; other++)
            finding->others[finding->other_count++] = sites[other];
    }
}

/* ---- Faults and leaks. */

_Static_assert(RULE_ARRAY_MISMATCH - RULE_DOUBLE_FREE == FAULT_ARRAY_MISMATCH - FAULT_DOUBLE_FREE,
               "each fault has a rule");

static void add_fault(struct findings *findings, const struct report_pair *fault) {
    const struct report_site *site = fault->by ? fault->by : fault->owner;
    if (!findings_want(findings, site) && !findings_want(findings, fault->owner))
        return;
    enum rule rule = RULE_DOUBLE_FREE + (fault->kind - FAULT_DOUBLE_FREE);
    struct finding *finding =
        findings_add(findings, rule, site, "%s, %s %s (%s)", pair_words(fault->kind),
                     COUNT_TEXT(fault->count), fault->count == 1 ? "time" : "times", SIZE_TEXT(fault->bytes));
    if (fault->owner && fault->owner != site)
        finding->others[finding->other_count++] = fault->owner;
}

static void add_faults(struct findings *findings) {
    const struct report *report = findings->report;
    for (size_t i = report->pair_count - report->fault_count; i < report->pair_count; i++)
        add_fault(findings, &report->pairs[i]);
}

static void add_leak(struct findings *findings, const struct report_site *site) {
    bool is_leaked = findings->report->reach;
    uint64_t blocks = is_leaked ? site->counters.leaked_blocks : site->counters.live_blocks,
             bytes = is_leaked ? site->counters.leaked_bytes : site->counters.live_bytes;
    struct finding *finding = findings_add(
        findings, RULE_LEAK, site, "%s %s of %s %s", COUNT_TEXT(blocks), blocks == 1 ? "block" : "blocks",
        SIZE_TEXT(bytes), is_leaked ? "leaked: nothing points there any more" : "live at the end");
    finding->peak_bytes = bytes;
}

static void add_leaks(struct findings *findings) {
    const struct report *report = findings->report;
    for (size_t i = 0; i < report->counted; i++) {
        const struct report_site *site = report->sites[i];
        bool is_leak =
            report->reach ? site->counters.leaked_blocks : findings->has_live && site->counters.live_blocks;
        bool is_known = findings->suppressed && suppress_matches(findings->suppressed, site);
        if (is_leak && !is_known && !report_library_use(site) && findings_want(findings, site))
            add_leak(findings, site);
    }
}

/* ---- Advice for people and for programs. */

enum { WIDTH_OF_SITE = 2, WIDTH_BELOW = 6 };

static void put_line(const struct page *page, size_t indent, const char *text) {
    struct line line;
    out_spaces(page->out, indent);
    line_begin(&line, page, indent, indent + 2);
    out_text(line.page.out, text);
    line_end(&line);
    out_char(page->out, '\n');
}

/* "saves 8,138 calls (6.0% of all) and up to 2.3 MiB of copying" */
static void put_saved(const struct page *page, const struct finding *finding) {
    const struct counters *totals = &page->report->totals.counters;
    char text[256];
    struct out out;
    struct page saved = {.out = &out, .report = page->report};
    out_open_memory(&out, text, sizeof text);
    out_text(&out, "saves ");
    if (finding->calls) {
        page_count(&saved, finding->calls, " call (", " calls (");
        page_share(&saved, finding->calls, counters_calls(totals));
        out_text(&out, finding->copied_bytes ? " of all) and up to " : " of all)");
    }
    if (finding->copied_bytes) {
        page_size(&saved, finding->copied_bytes);
        out_text(&out, " of copying");
    }
    if (finding->peak_bytes) {
        page_size(&saved, finding->peak_bytes);
        out_text(&out, " at the peak (");
        page_share(&saved, finding->peak_bytes, totals->peak_bytes);
        out_char(&out, ')');
    }
    put_line(page, WIDTH_BELOW, text);
}

static void put_finding(const struct page *page, const struct finding *finding) {
    struct page at = *page;
    struct line line;
    at.indent = WIDTH_BELOW;
    out_text(page->out, "  ");
    line_begin(&line, &at, WIDTH_OF_SITE, WIDTH_BELOW);
    page_site(&line.page, finding->site);
    line_end(&line);
    page_chain(&at, finding->site);
    out_char(page->out, '\n');
    put_line(page, WIDTH_BELOW, finding->what);
    put_saved(page, finding);
}

static void put_rule(const struct page *page, enum rule rule) {
    char *text = memory_text("%s: %s", rule_text(rule)->name, rule_text(rule)->meaning);
    put_line(page, 0, text);
    free(text);
}

static void advice_text(struct out *out, const struct findings *findings) {
    struct page page = {.out = out, .report = findings->report};
    for (size_t i = 0; i < findings->count; i++) {
        if (!i || findings->list[i].rule != findings->list[i - 1].rule)
            put_rule(&page, findings->list[i].rule);
        put_finding(&page, &findings->list[i]);
    }
    if (!findings->count)
        out_text(out, "no advice: the counts show nothing that would save much\n");
    for (size_t i = 0; i < findings->hint_count; i++) {
        out_text(out, i ? "" : "not known:\n");
        put_line(&page, WIDTH_OF_SITE, findings->hints[i]);
    }
}

/* ---- JSON. */

static void put_object(struct json *json, const struct finding *finding) {
    json_open_line(json, NULL, '{');
    json_text(json, "rule", rule_text(finding->rule)->name);
    json_text(json, "what", finding->what);
    json_text(json, "meaning", rule_text(finding->rule)->meaning);
    json_number(json, "saves_calls", finding->calls);
    json_number(json, "saves_copied_bytes", finding->copied_bytes);
    json_number(json, "saves_peak_bytes", finding->peak_bytes);
    json_open(json, "site", '{');
    json_site(json, &finding->site->view);
    json_close(json, '}');
    json_close(json, '}');
}

static void advice_json(struct out *out, const struct findings *findings) {
    struct json json = json_begin(out, "allocsite-advice", 1);
    json_head(&json, findings->report);
    json_open_line(&json, "advice", '[');
    for (size_t i = 0; i < findings->count; i++)
        put_object(&json, &findings->list[i]);
    json_close(&json, ']');
    json_open_line(&json, "not_known", '[');
    for (size_t i = 0; i < findings->hint_count; i++)
        json_text(&json, NULL, findings->hints[i]);
    json_close(&json, ']');
    json_end(&json);
}

/* ---- The views: all findings, and advice alone. */

static int findings_show(struct report *report, struct showing *showing, bool is_all) {
    static findings_function *const writers[VIEW_FORMATS] = {[FORMAT_TEXT] = advice_text,
                                                             [FORMAT_JSON] = advice_json,
                                                             [FORMAT_SARIF] = findings_sarif,
                                                             [FORMAT_GITHUB] = findings_github};
    const struct options *options = &showing->options;
    struct findings findings = {.report = report,
                                .filter = options->filter[0] ? options->filter : NULL,
                                .suppressed = showing->suppressed,
                                .has_live = options->leaks};
    view_prepare_all(report, showing);
    showing->groups.by = BY_TYPE;
    view_read_layouts(showing, report);
    groups_add_sites(&showing->groups, report);
    if (is_all) {
        add_faults(&findings);
        add_leaks(&findings);
    }
    findings_add_advice(&findings, &showing->groups);
    sort_list(findings.list, findings.count, sizeof *findings.list, compare_findings);
    writers[showing->format](standard_out(), &findings);
    findings_free(&findings);
    return standard_out_end();
}

int show_findings(const char *path, struct report *report, struct showing *showing) {
    (void)path;
    return findings_show(report, showing, true);
}

int show_advice(const char *path, struct report *report, struct showing *showing) {
    (void)path;
    return findings_show(report, showing, false);
}
