/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Advice for people and for programs. */
#include "dump/findings/findings.h"
#include "write/json.h"
#include "write/line.h"

enum { WIDTH_OF_SITE = 2, WIDTH_BELOW = 6 };

static void put_line(const struct page *page, size_t indent, const char *text) {
    struct line line;
    for (size_t i = 0; i < indent; i++)
        out_char(page->out, ' ');
    line_begin(&line, page, indent, indent + 2);
    out_text(line.page.out, text);
    line_end(&line);
    out_char(page->out, '\n');
}

/* "saves 8,138 calls (6.0% of all) and the copy of 2.3 MiB" */
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
    char text[512];
    struct out out;
    out_open_memory(&out, text, sizeof text);
    out_text(&out, rule_text(rule)->name);
    out_text(&out, ": ");
    out_text(&out, rule_text(rule)->meaning);
    put_line(page, 0, text);
}

void advice_text(struct out *out, const struct findings *findings) {
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
    json_line(json);
    json_open(json, NULL, '{');
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

void advice_json(struct out *out, const struct findings *findings) {
    struct json json = json_begin(out, "allocsite-advice", 1);
    json_head(&json, findings->report);
    json_line(&json);
    json_open(&json, "advice", '[');
    for (size_t i = 0; i < findings->count; i++)
        put_object(&json, &findings->list[i]);
    json_close(&json, ']');
    json_line(&json);
    json_open(&json, "not_known", '[');
    for (size_t i = 0; i < findings->hint_count; i++)
        json_text(&json, NULL, findings->hints[i]);
    json_close(&json, ']');
    json_end(&json);
}
