/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compares two graphs of one program. */
#include "base/arrays.h"
#include "dump/base/hash_index.h"
#include "dump/base/memory.h"
#include "dump/graph/show.h"
#include "names/names.h"
#include "write/formats.h"

#include <stdlib.h>
#include <string.h>

struct grown_type {
    const char *type;
    int64_t objects, bytes;
    struct graph_holders holders; /* holders with more references now, with the difference; points into the
                                   * list of all */
};

static bool is_row(const void *name, const void *sums, size_t row) {
    return strcmp(((const struct graph_sums *)sums)->rows[row].name, name) == 0;
}

static struct hash_index index_rows(const struct graph_sums *sums) {
    struct hash_index index = {.count = 0};
    for (size_t i = 0; i < sums->count; i++)
        hash_put(&index, hash_text(0, sums->rows[i].name), i);
    return index;
}

static int by_growth(const void *a, const void *b) {
    const struct grown_type *left = a, *right = b;
    return compare_u64((uint64_t)right->bytes, (uint64_t)left->bytes)
               ?: compare_text(left->type, right->type);
}

/* Finds the types with more bytes now. Returns their number. */
static size_t find_grown(struct grown_type *grown_type, const struct graph_sums *old,
                         const struct graph_sums *new) {
    static const struct graph_row none;
    struct hash_index index = index_rows(old);
    size_t count = 0;
    for (size_t i = 0; i < new->count; i++) {
        const struct graph_row *now = &new->rows[i];
        size_t row = hash_find(&index, hash_text(0, now->name), is_row, now->name, old);
        const struct graph_row *was = row == HASH_NONE ? &none : &old->rows[row];
        if (now->self > was->self)
            grown_type[count++] = (struct grown_type){.type = now->name,
                                                      .objects = (int64_t)(now->objects - was->objects),
                                                      .bytes = (int64_t)(now->self - was->self)};
    }
    hash_free(&index);
    sort_list(grown_type, count, sizeof *grown_type, by_growth);
    return count;
}

static int by_references(const void *a, const void *b) {
    const struct graph_holder *left = a, *right = b;
    return compare_u64(right->references, left->references) ?: strcmp(left->from, right->from);
}

/* The holders of both graphs, sorted by the type that they hold. */
struct all_holders {
    struct graph_holders old, new;
};

static int by_whole(const void *a, const void *b) {
    return graph_holder_compare(a, b);
}

static void find_sorted(struct graph_holders *holders, const struct graph *graph) {
    graph_holders_find(holders, graph, NULL);
    sort_list(holders->list, holders->count, sizeof *holders->list, by_whole);
}

static uint64_t references_of(const struct graph_holders *holders, const struct graph_holder *like) {
    size_t at = sorted_before(holders->list, holders->count, sizeof *like, like, by_whole);
    bool is_there = at < holders->count && by_whole(like, &holders->list[at]) == 0;
    return is_there ? holders->list[at].references : 0;
}

static int compare_held(const void *type, const void *holder) {
    return compare_text(type, ((const struct graph_holder *)holder)->to);
}

/* Compacts the holders that grew in place, at the start of the type's range. */
static void find_new_holders(struct grown_type *grown_type, const struct all_holders *all) {
    const struct graph_holders *new = &all->new;
    size_t at = sorted_before(new->list, new->count, sizeof *new->list, grown_type->type, compare_held);
    struct graph_holder *kept = grown_type->holders.list = new->list + at;
    for (; at < new->count &&compare_held(grown_type->type, &new->list[at]) == 0; at++) {
        struct graph_holder holder = new->list[at];
        uint64_t was = references_of(&all->old, &holder);
        if (holder.references <= was)
            continue;
        holder.references -= was;
        *kept++ = holder;
    }
    grown_type->holders.count = (size_t)(kept - grown_type->holders.list);
    sort_list(grown_type->holders.list, grown_type->holders.count, sizeof *kept, by_references);
}

static const struct graph_column columns[] = {
    {.name = "objects", .offset = offsetof(struct grown_type, objects), .is_change = true},
    {.name = "bytes", .offset = offsetof(struct grown_type, bytes), .is_bytes = true, .is_change = true},
    {.name = "type", .offset = offsetof(struct grown_type, type), .is_text = true},
};

enum { GROWN_NUMBERS = 2, GROWN_COLUMNS = sizeof columns / sizeof *columns };

enum { HOLDERS_SHOWN = 3 };

static void put_type(const struct page *page, const void *context, const void *row) {
    const struct grown_type *grown_type = row;
    struct out *out = page->out;
    (void)context;
    page_type(page, grown_type->type);
    for (size_t i = 0; i < grown_type->holders.count && i < HOLDERS_SHOWN; i++) {
        out_print(out, "%s%lu ", i ? "; +" : ": +", grown_type->holders.list[i].references);
        graph_put_holder(page, &grown_type->holders.list[i]);
    }
}

static void json_grown(struct out *out, const struct grown_type *grown_type, size_t count) {
    struct json json = json_begin(out, "allocsite-graph-growth", 1);
    json_open(&json, "types", '[');
    for (size_t i = 0; i < count; i++) {
        json_open_line(&json, NULL, '{');
        graph_json_columns(&json, &grown_type[i], &columns[GROWN_NUMBERS], GROWN_COLUMNS - GROWN_NUMBERS);
        graph_json_columns(&json, &grown_type[i], columns, GROWN_NUMBERS);
        graph_holders_json(&json, "holders", &grown_type[i].holders, grown_type[i].holders.count);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_end(&json);
}

static void put_growth(struct out *out, const struct grown_type *grown_type, size_t count,
                       enum graph_format format) {
    static const struct graph_table table = {
        columns, GROWN_COLUMNS, GROWN_NUMBERS, "type, and who refers to more of it", put_type, NULL};
    if (format == GRAPH_JSON)
        json_grown(out, grown_type, count);
    else
        graph_put_table(out, format, &table, grown_type, count, sizeof *grown_type, NULL);
}

static void sum_types(struct graph_sums *sums, const struct graph *graph) {
    struct graph_dominators dominators;
    graph_dominators_find(&dominators, graph);
    graph_sums_make(sums, graph, &dominators, GRAPH_BY_TYPE, 0, false);
    graph_dominators_free(&dominators);
}

void graph_show_growth(struct out *out, const struct graph *from, const struct graph *to, size_t shown,
                       enum graph_format format) {
    struct graph_sums old, new;
    struct all_holders all;
    sum_types(&old, from);
    sum_types(&new, to);
    find_sorted(&all.old, from);
    find_sorted(&all.new, to);
    struct grown_type *grown_type = memory_zeros(new.count, sizeof *grown_type);
    size_t count = find_grown(grown_type, &old, &new);
    count = shown && shown < count ? shown : count;
    for (size_t i = 0; i < count; i++)
        find_new_holders(&grown_type[i], &all);
    put_growth(out, grown_type, count, format);
    graph_holders_free(&all.old);
    graph_holders_free(&all.new);
    graph_sums_free(&old);
    graph_sums_free(&new);
    free(grown_type);
}
