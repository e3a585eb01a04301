/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sites that have not run. */
#include "base/covers.h"
#include "dump/table/table.h"
#include "dump/view/coverage.h"
#include "write/formats.h"
#include "write/grid.h"
#include "write/json.h"

#include <limits.h>
#include <string.h>

struct writing {
    struct page page;
    const struct coverage *coverage;
    size_t place_width, callee_width;
    bool has_modules; /* more than one has sites */
};

enum { PLACE_WIDTH_MAX = 60, CALLEE_WIDTH_MAX = 24, CHAIN_INDENT = 4 };

static size_t place_text(char *text, size_t size, const struct writing *writing,
                         const struct site_view *view) {
    struct out out;
    out_open_memory(&out, text, size);
    place_write(&out, &view->at, writing->page.report->directory);
    return strlen(text);
}

static void measure(struct writing *writing) {
    char text[PATH_MAX];
    size_t with_sites = 0;
    for (size_t i = 0; i < writing->coverage->count; i++) {
        const struct covered_site *site = &writing->coverage->sites[i];
        if (site->ran)
            continue;
        size_t width = place_text(text, sizeof text, writing, &site->site.view);
        writing->place_width = grid_wider(writing->place_width, width, PLACE_WIDTH_MAX);
        writing->callee_width =
            grid_wider(writing->callee_width, strlen(site->site.view.callee), CALLEE_WIDTH_MAX);
    }
    for (size_t i = 0; i < writing->coverage->module_count; i++)
        with_sites += writing->coverage->modules[i].sites != 0;
    writing->has_modules = with_sites > 1;
}

static void put_module(const struct writing *writing, const struct site_view *view) {
    if (!writing->has_modules)
        return;
    out_text(writing->page.out, "  of ");
    place_write_path(writing->page.out, view->module, writing->page.report->directory);
}

static void put_text(const struct writing *writing, const struct covered_site *site) {
    char place[PATH_MAX];
    struct out *out = writing->page.out;
    const struct site_view *view = &site->site.view;
    size_t width = place_text(place, sizeof place, writing, view);
    out_text(out, place);
    grid_pad(out, width, writing->place_width);
    out_plain(out, view->callee);
    grid_pad(out, strlen(view->callee), writing->callee_width);
    page_function(&writing->page, view->at.function);
    if (type_is_telling(view->type)) {
        out_text(out, "  type ");
        out_plain(out, view->type);
    }
    put_module(writing, view);
    page_chain(&writing->page, &site->site);
    out_char(out, '\n');
}

static void unused_text(struct out *out, const struct coverage *coverage, const struct report *report) {
    struct writing writing = {.page = {.out = out, .report = report, .indent = CHAIN_INDENT},
                              .coverage = coverage};
    measure(&writing);
    coverage_head(&writing.page, coverage);
    for (size_t i = 0; i < coverage->count; i++)
        if (!coverage->sites[i].ran)
            put_text(&writing, &coverage->sites[i]);
}

static void put_markdown(const struct page *page, const struct covered_site *site) {
    const struct site_view *view = &site->site.view;
    out_text(page->out, "| ");
    page_site(page, &site->site);
    page_chain(page, &site->site);
    out_text(page->out, " | ");
    if (type_is_telling(view->type))
        page_code(page, view->type);
    out_text(page->out, " | ");
    page_path(page, view->module);
    out_text(page->out, " |\n");
}

static void unused_markdown(struct out *out, const struct coverage *coverage, const struct report *report) {
    const struct page page = {.out = out, .report = report, .is_markdown = true};
    coverage_head(&page, coverage);
    out_text(out, "| site that never ran | type | module |\n|---|---|---|\n");
    for (size_t i = 0; i < coverage->count; i++)
        if (!coverage->sites[i].ran)
            put_markdown(&page, &coverage->sites[i]);
}

static void put_json(struct json *json, const struct covered_site *site) {
    json_line(json);
    json_open(json, NULL, '{');
    json_site(json, &site->site.view);
    json_text(json, "kind", table_kind_name(site->kind));
    json_close(json, '}');
}

static void unused_json(struct out *out, const struct coverage *coverage, const struct report *report) {
    struct json json = coverage_begin_json(out, coverage, report, "allocsite-unused");
    json_line(&json);
    json_open(&json, "sites", '[');
    for (size_t i = 0; i < coverage->count; i++)
        if (!coverage->sites[i].ran)
            put_json(&json, &coverage->sites[i]);
    json_close(&json, ']');
    json_end(&json);
}

static void put_csv(struct out *out, const struct covered_site *site) {
    const struct site_view *view = &site->site.view;
    const char *const texts[] = {view->callee, view->type, table_kind_name(site->kind), view->module};
    csv_text(out, view->at.file);
    out_char(out, ',');
    out_u64(out, view->at.line);
    out_char(out, ',');
    out_u64(out, view->at.column);
    out_char(out, ',');
    csv_text(out, view->at.function);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        out_char(out, ',');
        csv_text(out, texts[i]);
    }
    out_char(out, ',');
    out_hex16(out, view->id);
    out_text(out, "\r\n");
}

static void unused_csv(struct out *out, const struct coverage *coverage, const struct report *report) {
    (void)report;
    out_text(out, "file,line,column,function,callee,type,kind,module,id\r\n");
    for (size_t i = 0; i < coverage->count; i++)
        if (!coverage->sites[i].ran)
            put_csv(out, &coverage->sites[i]);
}

void unused_write(struct out *out, const struct coverage *coverage, const struct report *report,
                  enum report_format format) {
    static void (*const writers[])(struct out *, const struct coverage *, const struct report *) = {
        [FORMAT_TEXT] = unused_text,
        [FORMAT_JSON] = unused_json,
        [FORMAT_CSV] = unused_csv,
        [FORMAT_MARKDOWN] = unused_markdown,
    };
    COVERS(writers, FORMATS);
    writers[format](out, coverage, report);
}
