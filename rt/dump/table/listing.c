/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The site table as text. */
#include "dump/table/listing.h"

#include "base/path.h"
#include "base/sort.h"
#include "dump/base/memory.h"
#include "write/grid.h"
#include "write/json.h"

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

static size_t digits(uint32_t number) {
    size_t count = 1;
    while (number /= 10)
        count++;
    return count;
}

static size_t place_width(const struct place *place) {
    char file[PATH_MAX];
    path_show(file, sizeof file, place->file ? place->file : "?", current_directory());
    size_t width = strlen(file);
    width += place->line ? 1 + digits(place->line) : 0;
    return width + (place->line && place->column ? 1 + digits(place->column) : 0);
}

void out_place(struct out *out, const struct place *place) {
    place_write(out, place, current_directory());
}

struct columns {
    size_t place, callee;
};

enum { PLACE_WIDTH_MAX = 60, CALLEE_WIDTH_MAX = 24 };

static struct columns measure(const struct table *table) {
    struct columns columns = {0, 0};
    for (size_t i = 0; i < table->count; i++) {
        columns.place = grid_wider(columns.place, place_width(&table->sites[i].at), PLACE_WIDTH_MAX);
        columns.callee = grid_wider(columns.callee, strlen(table->sites[i].callee), CALLEE_WIDTH_MAX);
    }
    return columns;
}

static void write_chain(struct out *out, const struct place *chain, size_t length) {
    for (size_t i = 0; i < length; i++) {
        out_text(out, "    inlined into ");
        out_plain(out, chain[i].function);
        out_text(out, " at ");
        out_place(out, &chain[i]);
        out_char(out, '\n');
    }
}

static void write_site(struct out *out, const struct table *table, const struct table_site *site,
                       struct columns columns) {
    struct place chain[TABLE_CHAIN_MAX];
    out_place(out, &site->at);
    grid_pad(out, place_width(&site->at), columns.place);
    out_plain(out, site->callee);
    grid_pad(out, strlen(site->callee), columns.callee);
    out_plain(out, site->at.function);
    if (site->type) {
        out_text(out, "  type ");
        out_plain(out, site->type);
    }
    out_char(out, '\n');
    write_chain(out, chain, table_callers(table, site, chain));
}

static int by_function(const void *left, const void *right) {
    const struct table_site *a = *(struct table_site *const *)left, *b = *(struct table_site *const *)right;
    return compare_names(a->at.function, b->at.function) ?: compare_names(a->at.file, b->at.file);
}

/* Functions of one name in two files are two. */
static size_t count_functions(const struct table *table) {
    const struct table_site **sites = memory_zeros(table->count, sizeof *sites);
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++)
        sites[i] = &table->sites[i];
    qsort(sites, table->count, sizeof *sites, by_function);
    for (size_t i = 0; i < table->count; i++)
        count += i == 0 || by_function(&sites[i], &sites[i - 1]) != 0;
    free(sites);
    return count;
}

/* The table is in the order of files. */
static size_t count_files(const struct table *table) {
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++)
        count += i == 0 || compare_names(table->sites[i].at.file, table->sites[i - 1].at.file) != 0;
    return count;
}

static void write_count(struct out *out, size_t count, const char *what) {
    out_u64(out, count);
    out_char(out, ' ');
    out_text(out, what);
    if (count != 1)
        out_char(out, 's');
}

void sites_text(struct out *out, const struct table *table) {
    struct columns columns = measure(table);
    for (size_t i = 0; i < table->count; i++)
        write_site(out, table, &table->sites[i], columns);
    write_count(out, table->count, "site");
    out_text(out, " in ");
    write_count(out, count_functions(table), "function");
    out_text(out, ", ");
    write_count(out, count_files(table), "file");
    out_char(out, '\n');
}

/* ---- The site table as JSON. */

struct site_view sites_view(const char *module, const struct table *table, const struct table_site *site,
                            struct place chain[TABLE_CHAIN_MAX]) {
    return (struct site_view){
        .id = site->hash,
        .module = module,
        .sited = true,
        .at = site->at,
        .callee = site->callee,
        .type = site->type,
        .inlined = chain,
        .inlined_count = table_callers(table, site, chain),
        .of_wrapper = site->of_wrapper,
    };
}

static void put_site(struct json *json, const char *module, const struct table *table,
                     const struct table_site *site) {
    struct place chain[TABLE_CHAIN_MAX];
    struct site_view view = sites_view(module, table, site, chain);
    json_open(json, NULL, '{');
    json_site(json, &view);
    json_text(json, "kind", table_kind_name(site->kind));
    json_close(json, '}');
}

void sites_json(struct out *out, const char *module, const struct table *table) {
    struct json json = json_begin(out, "allocsite-sites", 1);
    json_text(&json, "module", module);
    json_open(&json, "sites", '[');
    for (size_t i = 0; i < table->count; i++)
        put_site(&json, module, table, &table->sites[i]);
    json_close(&json, ']');
    json_end(&json);
}
