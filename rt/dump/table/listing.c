/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the site table as text and JSON. */
#include "dump/table/table.h"

#include "base/arrays.h"
#include "base/out.h"
#include "base/path.h"
#include "dump/base/memory.h"
#include "dump/base/names.h"
#include "format.h"
#include "names/names.h"
#include "write/formats.h"
#include "write/lines.h"
#include "write/shown_names.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *current_directory(void) {
    static char directory[PATH_MAX];
    static bool is_known;
    if (!is_known && !getcwd(directory, sizeof directory))
        directory[0] = '\0';
    is_known = true;
    return directory;
}

/* Line and column; the file is written above. */
static void put_position(struct out *out, const struct place *place) {
    if (!place->line) {
        out_char(out, '?');
        return;
    }
    out_u64(out, place->line);
    if (!place->column)
        return;
    out_print(out, ":%u", place->column);
}

static void put_caller(const struct page *page, const struct place *caller, const char *file) {
    if (compare_names(caller->file, file) == 0)
        put_position(page->out, caller);
    else
        page_place(page, caller);
    out_char(page->out, ' ');
    page_function(page, caller->function);
}

/* Drops functions in system headers, as reports do, because a chain in C++ has dozens of them. Returns the
 * number of functions kept. */
static size_t keep_shown(const struct page *page, struct place *chain, size_t length) {
    size_t kept = 0;
    for (size_t i = 0; i < length; i++)
        if (page->report->limits.full_names || !chain[i].file || !path_is_of_system(chain[i].file))
            chain[kept++] = chain[i];
    return kept;
}

static void put_chain(const struct page *page, const struct table *table, const struct table_site *site) {
    struct place chain[TABLE_CHAIN_MAX];
    struct line line;
    size_t length = keep_shown(page, chain, table_callers(table, site, chain));
    if (!length)
        return;
    page_break(page);
    line_begin(&line, page, page->indent, page->indent + 2);
    out_text(line.page.out, "inlined into ");
    for (size_t i = 0; i < length; i++) {
        out_text(line.page.out, i ? ", " : "");
        put_caller(&line.page, &chain[i], site->at.file);
    }
    line_end(&line);
}

enum { POSITION_WIDTH = 10 };

static void put_site(const struct page *page, const struct table *table, const struct table_site *site) {
    char position[32];
    struct out out;
    struct line line;
    out_open_memory(&out, position, sizeof position);
    put_position(&out, &site->at);
    for (size_t i = strlen(position); i < POSITION_WIDTH; i++)
        out_char(page->out, ' ');
    page_style(page, STYLE_PLACE);
    out_text(page->out, position);
    page_style(page, STYLE_PLAIN);
    out_text(page->out, "  ");
    line_begin(&line, page, POSITION_WIDTH + 2, page->indent);
    page_function(&line.page, site->at.function);
    line_space(&line.page);
    page_function(&line.page, site->callee);
    if (type_is_specific(site->type)) {
        out_text(line.page.out, " of ");
        page_type(&line.page, site->type);
    }
    line_end(&line);
    put_chain(page, table, site);
    out_char(page->out, '\n');
}

static int by_function(const void *left, const void *right) {
    const struct table_site *a = *(struct table_site *const *)left, *b = *(struct table_site *const *)right;
    return compare_names(a->at.function, b->at.function) ?: compare_names(a->at.file, b->at.file);
}

static bool is_listed(const struct table_site *site, const struct listing *listing) {
    return listing->has_frees || site->kind != ALLOCSITE_FREE;
}

/* Functions with equal names in two files count as two. */
static size_t count_functions(const struct table *table, const struct listing *listing) {
    const struct table_site **sites = memory_zeros(table->count, sizeof *sites);
    size_t count = 0, listed = 0;
    for (size_t i = 0; i < table->count; i++)
        if (is_listed(&table->sites[i], listing))
            sites[listed++] = &table->sites[i];
    qsort(sites, listed, sizeof *sites, by_function);
    for (size_t i = 0; i < listed; i++)
        count += i == 0 || by_function(&sites[i], &sites[i - 1]) != 0;
    free(sites);
    return count;
}

static void put_end(const struct page *page, size_t listed, size_t functions, size_t files, size_t left_out) {
    struct line line;
    line_begin(&line, page, 0, 2);
    page_count(&line.page, listed, " site in ", " sites in ");
    page_count(&line.page, functions, " function, ", " functions, ");
    page_count(&line.page, files, " file", " files");
    if (left_out) {
        out_text(line.page.out, "; ");
        page_count(&line.page, left_out, " that only frees (--frees)", " that only free (--frees)");
    }
    line_end(&line);
    out_char(page->out, '\n');
}

static void put_heading(const struct page *page, const char *file) {
    struct line line;
    line_begin(&line, page, 0, 0);
    page_path(&line.page, file);
    line_end(&line);
    out_char(page->out, '\n');
}

static void add_names(struct shown_names *names, const struct table *table) {
    for (size_t i = 0; i < table->count; i++) {
        shown_names_add(names, NAME_FUNCTION, table->sites[i].at.function);
        shown_names_add(names, NAME_TYPE, table->sites[i].type);
    }
}

/* The table is sorted by file. */
void sites_text(struct out *out, const struct table *table, const struct listing *listing) {
    struct shown_names names = {0};
    struct report report = {.names = &names, .limits.full_names = listing->full_names};
    add_names(&names, table);
    line_fit(&report, out->fd);
    report.directory = current_directory();
    const struct page page = {.out = out, .report = &report, .indent = POSITION_WIDTH + 4};
    const char *file = NULL;
    size_t listed = 0, files = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct table_site *site = &table->sites[i];
        if (!is_listed(site, listing))
            continue;
        if (!listed++ || compare_names(site->at.file, file) != 0) {
            file = site->at.file;
            files++;
            put_heading(&page, file);
        }
        put_site(&page, table, site);
    }
    put_end(&page, listed, count_functions(table, listing), files, table->count - listed);
    shown_names_free(&names);
}

/* ---- JSON. */

/* Converts the site for the shared writers; chain receives its callers. */
static struct site_view sites_view(const char *module, const struct table *table,
                                   const struct table_site *site, struct place chain[TABLE_CHAIN_MAX]) {
    return (struct site_view){
        .id = site->hash,
        .module = module,
        .sited = true,
        .at = site->at,
        .callee = site->callee,
        .type = site->type,
        .inlined = chain,
        .inlined_count = table_callers(table, site, chain),
    };
}

static void write_site(struct json *json, const char *module, const struct table *table,
                       const struct table_site *site) {
    struct place chain[TABLE_CHAIN_MAX];
    struct site_view view = sites_view(module, table, site, chain);
    json_open(json, NULL, '{');
    json_site(json, &view);
    json_text(json, "kind", table_kind_name(site->kind));
    json_close(json, '}');
}

static void write_function(struct json *json, const struct table_function *function) {
    json_open(json, NULL, '{');
    json_text(json, "symbol", function->symbol);
    json_text(json, "function", function->function);
    json_text(json, "file", function->file);
    json_text(json, "depends", function->depends);
    json_flag(json, "passes_through", function->flags & ALLOCSITE_PASSES_THROUGH);
    json_flag(json, "declared", function->flags & ALLOCSITE_DECLARED);
    json_flag(json, "library", function->flags & ALLOCSITE_LIBRARY);
    json_close(json, '}');
}

static void write_call(struct json *json, const struct table_call *call) {
    json_open(json, NULL, '{');
    json_place(json, &call->at);
    json_text(json, "type", call->type);
    json_flag(json, "hands_on", call->flags & ALLOCSITE_HANDS_ON);
    json_close(json, '}');
}

void sites_json(struct out *out, const char *module, const struct table *table) {
    struct json json = json_begin(out, "allocsite-sites", 1);
    json_text(&json, "module", module);
    json_open(&json, "sites", '[');
    for (size_t i = 0; i < table->count; i++)
        write_site(&json, module, table, &table->sites[i]);
    json_close(&json, ']');
    json_open(&json, "functions", '[');
    for (size_t i = 0; i < table->function_count; i++)
        write_function(&json, &table->functions[i]);
    json_close(&json, ']');
    json_open(&json, "calls", '[');
    for (size_t i = 0; i < table->call_count; i++)
        write_call(&json, &table->calls[i]);
    json_close(&json, ']');
    json_end(&json);
}
