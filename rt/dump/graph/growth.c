/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What has grown from one graph to another. */
#include "base/sort.h"
#include "dump/base/memory.h"
#include "dump/graph/show.h"
#include "names/names.h"
#include "write/formats.h"

#include <stdlib.h>
#include <string.h>

struct grown {
    const char *type;
    int64_t objects, bytes;
    struct graph_holders holders; /* those that hold more, with the difference */
};

static const struct graph_row *row_named(const struct graph_sums *sums, const char *name) {
    for (size_t i = 0; i < sums->count; i++)
        if (strcmp(sums->rows[i].name, name) == 0)
            return &sums->rows[i];
    return NULL;
}

static int by_growth(const void *a, const void *b) {
    const struct grown *left = a, *right = b;
    return compare_u64((uint64_t)right->bytes, (uint64_t)left->bytes)
               ?: compare_text(left->type, right->type);
}

/* Types that have more bytes now. */
static size_t find_grown(struct grown *grown, const struct graph_sums *old, const struct graph_sums *new) {
    static const struct graph_row none;
    size_t count = 0;
    for (size_t i = 0; i < new->count; i++) {
        const struct graph_row *now = &new->rows[i], *was = row_named(old, now->name) ?: &none;
        if (now->own > was->own)
            grown[count++] = (struct grown){.type = now->name,
                                            .objects = (int64_t)(now->objects - was->objects),
                                            .bytes = (int64_t)(now->own - was->own)};
    }
    if (count)
        qsort(grown, count, sizeof *grown, by_growth);
    return count;
}

static uint64_t references_of(const struct graph_holders *holders, const struct graph_holder *like) {
    for (size_t i = 0; i < holders->count; i++) {
        const struct graph_holder *holder = &holders->list[i];
        if (holder->is_root == like->is_root && strcmp(holder->from, like->from) == 0 &&
            is_same_text(holder->field, like->field))
            return holder->references;
    }
    return 0;
}

static int by_references(const void *a, const void *b) {
    const struct graph_holder *left = a, *right = b;
    return compare_u64(right->references, left->references) ?: strcmp(left->from, right->from);
}

static void find_new_holders(struct grown *grown, const struct graph *from, const struct graph *to) {
    struct graph_holders old;
    size_t kept = 0;
    graph_holders_find(&old, from, grown->type);
    graph_holders_find(&grown->holders, to, grown->type);
    for (size_t i = 0; i < grown->holders.count; i++) {
        struct graph_holder holder = grown->holders.list[i];
        uint64_t was = references_of(&old, &holder);
        if (holder.references <= was)
            continue;
        holder.references -= was;
        grown->holders.list[kept++] = holder;
    }
    grown->holders.count = kept;
    if (kept)
        qsort(grown->holders.list, kept, sizeof *grown->holders.list, by_references);
    graph_holders_free(&old);
}

static void grown_cell(char text[GRID_CELL], const void *context, const void *row, int column) {
    static const char *const names[] = {"objects", "bytes"};
    const struct grown *grown = row;
    (void)context;
    if (!row) {
        strcpy(text, names[column]);
        return;
    }
    bool is_less = column == 0 && grown->objects < 0;
    text[0] = is_less ? '-' : '+';
    if (column)
        units_size(text + 1, (uint64_t)grown->bytes);
    else
        units_count(text + 1, (uint64_t)(is_less ? -grown->objects : grown->objects));
}

enum { HOLDERS_TOLD = 3 };

static void put_grown(struct out *out, const struct grown *grown, size_t count, enum graph_format format) {
    struct page page = graph_page(out, format);
    struct grid grid = {.page = &page, .cell = grown_cell};
    grid_number_columns(&grid, 2);
    grid_measure(&grid, NULL);
    for (size_t i = 0; i < count; i++)
        grid_measure(&grid, &grown[i]);
    grid_head(&grid, "type, and who refers to more of it");
    for (size_t i = 0; i < count; i++) {
        grid_row(&grid, &grown[i]);
        page_type(&page, grown[i].type);
        for (size_t k = 0; k < grown[i].holders.count && k < HOLDERS_TOLD; k++) {
            out_text(out, k ? "; +" : ": +");
            out_u64(out, grown[i].holders.list[k].references);
            out_char(out, ' ');
            graph_put_holder(out, &grown[i].holders.list[k]);
        }
        grid_end(&page);
    }
}

static void json_grown(struct out *out, const struct grown *grown, size_t count) {
    struct json json = json_begin(out, "allocsite-graph-growth", 1);
    json_open(&json, "types", '[');
    for (size_t i = 0; i < count; i++) {
        json_line(&json);
        json_open(&json, NULL, '{');
        json_text(&json, "type", grown[i].type);
        json_key(&json, "objects");
        if (grown[i].objects < 0)
            out_char(out, '-');
        out_u64(out, (uint64_t)(grown[i].objects < 0 ? -grown[i].objects : grown[i].objects));
        json_number(&json, "bytes", (uint64_t)grown[i].bytes);
        graph_holders_json(&json, "holders", &grown[i].holders, grown[i].holders.count);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_end(&json);
}

/* With tabs, and their number first; or with commas. */
static void put_values(struct out *out, const struct grown *grown, size_t count, bool is_csv) {
    char between = is_csv ? ',' : '\t';
    if (is_csv)
        out_text(out, "objects,bytes,type");
    else
        out_u64(out, count);
    out_char(out, '\n');
    for (size_t i = 0; i < count; i++) {
        if (grown[i].objects < 0)
            out_char(out, '-');
        out_u64(out, (uint64_t)(grown[i].objects < 0 ? -grown[i].objects : grown[i].objects));
        out_char(out, between);
        out_u64(out, (uint64_t)grown[i].bytes);
        out_char(out, between);
        is_csv ? csv_text(out, grown[i].type) : out_plain(out, grown[i].type);
        out_char(out, '\n');
    }
}

void graph_show_growth(struct out *out, const struct graph *from, const struct graph *to, size_t shown,
                       enum graph_format format) {
    struct graph_dominators dominators;
    struct graph_sums old, new;
    graph_dominators_find(&dominators, from);
    graph_sums_make(&old, from, &dominators, GRAPH_BY_TYPE, 0, false);
    graph_dominators_free(&dominators);
    graph_dominators_find(&dominators, to);
    graph_sums_make(&new, to, &dominators, GRAPH_BY_TYPE, 0, false);
    graph_dominators_free(&dominators);
    struct grown *grown = memory_zeros(new.count, sizeof *grown);
    size_t count = find_grown(grown, &old, &new);
    count = shown && shown < count ? shown : count;
    for (size_t i = 0; i < count; i++)
        find_new_holders(&grown[i], from, to);
    if (format == GRAPH_JSON)
        json_grown(out, grown, count);
    else if (format == GRAPH_TSV || format == GRAPH_CSV)
        put_values(out, grown, count, format == GRAPH_CSV);
    else
        put_grown(out, grown, count, format);
    for (size_t i = 0; i < count; i++)
        graph_holders_free(&grown[i].holders);
    graph_sums_free(&old);
    graph_sums_free(&new);
    free(grown);
}
