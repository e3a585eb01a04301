/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tree as a flame graph of characters: a line for each depth, and each call as wide as its share. */
#include "base/hash.h"
#include "dump/base/memory.h"
#include "dump/view/tree.h"
#include "names/names.h"
#include "write/grid.h"
#include "write/summary.h"

#include <stdlib.h>
#include <string.h>

/* Columns that a node has: from first to end - 1. */
struct span {
    size_t node, first, end;
};

struct flame {
    struct page page;
    const struct tree *tree;
    struct span *spans, *next; /* of a depth, and of the one below */
    size_t count, next_count;
};

/* Columns of a part, rounded so that those of all parts together are those of the whole. */
static size_t columns_of(uint64_t part, uint64_t whole, size_t columns) {
    return whole ? (size_t)((double)part / (double)whole * (double)columns + 0.5) : 0;
}

/* What is narrower than a column is not drawn. */
static void add_children(struct flame *flame, const struct span *parent) {
    const struct tree *tree = flame->tree;
    const struct tree_node *node = &tree->nodes[parent->node];
    uint64_t whole = node->amounts[tree->by], before = 0;
    size_t width = parent->end - parent->first;
    for (size_t i = 0; i < node->count; i++) {
        size_t child = tree->children[node->first + i];
        size_t first = columns_of(before, whole, width);
        before += tree->nodes[child].amounts[tree->by];
        size_t end = columns_of(before, whole, width);
        if (end > first)
            flame->next[flame->next_count++] =
                (struct span){child, parent->first + first, parent->first + end};
    }
}

/* "function:line", "module+0x10"; text has NAME_SIZE bytes. */
static void name_node(char *text, const struct tree_place *at, size_t columns) {
    char name[NAME_SIZE], place[32] = "";
    const char *slash = at->module ? strrchr(at->module, '/') : NULL;
    struct out out;
    out_open_memory(&out, place, sizeof place);
    if (at->address || at->line)
        out_text(&out, at->address ? "+0x" : ":");
    if (at->address)
        out_hex(&out, at->address);
    else if (at->line)
        out_u64(&out, at->line);
    size_t room = columns > strlen(place) ? columns - strlen(place) : 0;
    name_function(name, at->function, room);
    out_open_memory(&out, text, NAME_SIZE);
    out_plain(&out, at->function || !at->module ? name : slash ? slash + 1 : at->module);
    out_text(&out, place);
}

/* Writes so many columns of the text and spaces behind it. */
static void put_cut(struct out *out, const char *text, size_t columns) {
    size_t used = 0;
    for (; *text && used < columns; used++)
        text += out_plain_character(out, text);
    out_spaces(out, columns - used);
}

/* The same function has the same shade of fire everywhere. */
static void begin_colour(const struct flame *flame, const char *function) {
    static const unsigned char shades[] = {172, 178, 179, 180, 208, 214, 215, 216, 220, 222};
    uint64_t hash = function ? fnv_1a(function, strlen(function)) : 0;
    if (!flame->page.report->is_coloured)
        return;
    out_text(flame->page.out, "\x1b[30;48;5;");
    out_u64(flame->page.out, shades[hash % sizeof shades]);
    out_char(flame->page.out, 'm');
}

static void put_node(const struct flame *flame, const struct span *span) {
    const struct tree_place *at = &flame->tree->nodes[span->node].at;
    size_t columns = span->end - span->first;
    char text[NAME_SIZE];
    bool has_colour = flame->page.report->is_coloured;
    name_node(text, at, columns - 1);
    begin_colour(flame, at->function);
    out_char(flame->page.out, has_colour ? ' ' : '|');
    put_cut(flame->page.out, columns > 4 ? text : "", columns - 1);
    page_style(&flame->page, STYLE_PLAIN);
}

static void put_depth(const struct flame *flame) {
    size_t column = 0;
    for (size_t i = 0; i < flame->count; i++) {
        out_spaces(flame->page.out, flame->spans[i].first - column);
        put_node(flame, &flame->spans[i]);
        column = flame->spans[i].end;
    }
    out_char(flame->page.out, '\n');
}

static void go_down(struct flame *flame) {
    struct span *shown = flame->spans;
    flame->next_count = 0;
    for (size_t i = 0; i < flame->count; i++)
        add_children(flame, &shown[i]);
    flame->spans = flame->next;
    flame->count = flame->next_count;
    flame->next = shown;
}

void tree_flame(struct out *out, const struct tree *tree, const struct report *report) {
    struct flame flame = {.page = {.out = out, .report = report}, .tree = tree, .count = 1};
    flame.spans = memory_zeros(report->width, sizeof *flame.spans);
    flame.next = memory_zeros(report->width, sizeof *flame.next);
    flame.spans[0].end = report->width;
    summary_text(&flame.page);
    out_text(out, "width: ");
    out_text(out, measure_name(tree->by));
    out_text(out, ", ");
    measure_write(out, tree->nodes[0].amounts[tree->by], tree->by);
    out_char(out, '\n');
    for (go_down(&flame); flame.count; go_down(&flame))
        put_depth(&flame);
    free(flame.spans);
    free(flame.next);
}
