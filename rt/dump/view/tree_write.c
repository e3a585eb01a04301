/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tree for the terminal: share and amount in columns, then the calls.
 *
 * A node whose only child has the same amounts continues with the child on the next line, without
 * indentation. Most frames of a stack have only one child, so indentation shows real branches. */
#include "dump/view/views.h"

#include "dump/base/files.h"
#include "write/formats.h"
#include "write/lines.h"
#include "write/shown_names.h"
#include "write/summary.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <unistd.h>

/* The text before the calls: three characters for each level of branches. */
struct margin {
    char text[8192];
    size_t length;
};

struct lines {
    const char *branch, *last, *below;
};

static const struct lines drawn = {"├─ ", "└─ ", "│  "}, typed = {"|- ", "`- ", "|  "};

struct writing {
    struct page page;
    const struct tree *tree;
    struct grid grid;
    struct margin margin;
    const struct lines *lines;
};

enum { TREE_SHARE, TREE_AMOUNT, TREE_CALLS, TREE_COLUMNS };

/* row: the amounts of a node. */
static void tree_cell(char text[GRID_CELL], const void *context, const void *row, int column) {
    const struct tree *tree = context;
    const uint64_t *amounts = row;
    enum measure measure = column == TREE_CALLS ? MEASURE_ALLOCS : tree->by;
    if (!row)
        strcpy(text, column == TREE_SHARE ? "share" : measure_name(measure));
    else if (column == TREE_SHARE)
        units_share(text, amounts[measure], tree->nodes[0].amounts[measure]);
    else
        measure_show(text, amounts[measure], measure);
}

static size_t width_of(const char *text) {
    size_t columns = 0;
    for (; *text; text++)
        columns += (*text & 0xC0) != 0x80;
    return columns;
}

/* Writes the part after the function's name: source location and callee. */
static void put_function_and_path(const struct page *page, const struct path_place *at) {
    const char *path = at->file ? at->file : at->module;
    if (path) {
        out_text(page->out, at->file ? " " : at->function ? " in " : "");
        page_path(page, path);
    }
    if (at->file && at->line)
        out_print(page->out, ":%u", at->line);
    if (at->address) {
        out_print(page->out, "+0x%lx", at->address);
    }
    if (at->callee) {
        out_char(page->out, ' ');
        page_function(page, at->callee);
    }
}

/* The function's name and its path share the columns to the right of the tree's branches. */
static void put_place(const struct writing *writing, const struct path_place *at) {
    const struct page *page = &writing->page;
    size_t used = grid_width(&writing->grid) + width_of(writing->margin.text) + strlen("|- "), after;
    char shown[4096];
    struct page shorter = *page;
    struct line line;
    struct out out;
    line_begin(&line, page, used, used);
    out_open_memory(&out, shown, sizeof shown);
    shorter.out = &out;
    shorter.room = at->function ? line.page.room / 2 : line.page.room;
    shorter.indent = used + shorter.room;
    put_function_and_path(&shorter, at);
    after = width_of(shown);
    shorter.out = page->out;
    shorter.indent = used + after;
    if (at->function || at->file)
        page_function(&shorter, at->function);
    out_print(page->out, "%s\n", shown);
}

static bool is_same(const struct tree *tree, const struct tree_node *a, const struct tree_node *b) {
    return a->amounts[tree->by] == b->amounts[tree->by] &&
           a->amounts[MEASURE_ALLOCS] == b->amounts[MEASURE_ALLOCS];
}

static void margin_push(struct margin *margin, const char *text) {
    size_t size = strlen(text) + 1;
    if (margin->length + size <= sizeof margin->text)
        memcpy(margin->text + margin->length, text, size);
    margin->length += size - 1;
}

static void margin_pop(struct margin *margin, size_t length) {
    margin->length = length;
    if (length < sizeof margin->text)
        margin->text[length] = '\0';
}

static void put_children(struct writing *writing, size_t node);

/* Writes the node, the chain of only children that follows it, and then its branches. */
static void put_node(struct writing *writing, size_t node, const char *branch, const char *below) {
    const struct tree *tree = writing->tree;
    size_t length = writing->margin.length;
    for (bool is_first = true;; is_first = false) {
        const struct tree_node *at = &tree->nodes[node];
        if (is_first)
            grid_row(&writing->grid, at->amounts);
        else
            out_spaces(writing->page.out, grid_width(&writing->grid));
        out_print(writing->page.out, "%s%s", writing->margin.text, is_first ? branch : below);
        put_place(writing, &at->at);
        size_t only = at->count == 1 ? tree->children[at->first] : 0;
        if (!only || !is_same(tree, &tree->nodes[only], at))
            break;
        node = only;
    }
    margin_push(&writing->margin, below);
    put_children(writing, node);
    margin_pop(&writing->margin, length);
}

static void put_pruned(const struct writing *writing, const struct tree_node *node) {
    grid_row(&writing->grid, node->pruned_amounts);
    out_print(writing->page.out, "%s%s%s more\n", writing->margin.text, writing->lines->last,
              COUNT_TEXT(node->pruned));
}

static void put_children(struct writing *writing, size_t number) {
    const struct tree_node *node = &writing->tree->nodes[number];
    bool has_pruned = node->pruned_amounts[writing->tree->by];
    for (size_t i = 0; i < node->count; i++) {
        bool is_last = i + 1 == node->count && !has_pruned;
        put_node(writing, writing->tree->children[node->first + i],
                 is_last ? writing->lines->last : writing->lines->branch,
                 is_last ? "   " : writing->lines->below);
    }
    if (has_pruned)
        put_pruned(writing, node);
}

/* Writes the sum of the rows that are in no node. */
static void put_bare(const struct writing *writing) {
    const struct tree *tree = writing->tree;
    const struct page *page = &writing->page;
    if (!tree->bare)
        return;
    grid_row(&writing->grid, tree->bare_amounts);
    page_count(page, tree->bare, " site without frames", " sites without frames");
    out_char(page->out, '\n');
}

/* Output into a file does not depend on the locale. */
static const struct lines *lines_for(const struct out *out) {
    setlocale(LC_CTYPE, "");
    return isatty(out->fd) && strcmp(nl_langinfo(CODESET), "UTF-8") != 0 ? &typed : &drawn;
}

static void add_names(struct shown_names *names, const struct tree *tree) {
    for (size_t i = 0; i < tree->count; i++)
        shown_names_add(names, NAME_FUNCTION, tree->nodes[i].at.function);
}

/* No share is wider than 6 columns. */
void tree_text(struct out *out, const struct tree *tree, const struct report *of) {
    struct shown_names names = {0};
    struct report named = *of; /* with names of calling frames added */
    const struct report *report = &named;
    struct writing writing = {.page = {.out = out, .report = report}, .tree = tree, .lines = lines_for(out)};
    add_names(&names, tree);
    named.names = &names;
    writing.grid = (struct grid){.page = &writing.page, .cell = tree_cell, .context = tree, .widths = {6}};
    grid_number_columns(&writing.grid, tree->by == MEASURE_ALLOCS ? TREE_CALLS : TREE_COLUMNS);
    grid_measure(&writing.grid, NULL);
    for (size_t i = 0; i < tree->count; i++)
        grid_measure(&writing.grid, tree->nodes[i].amounts);
    grid_narrow(&writing.grid, 60, (const int[]){TREE_CALLS, TREE_SHARE}, 2);
    summary_text(&writing.page);
    grid_head(&writing.grid,
              tree->is_root_first ? "from the root to what allocates" : "allocation and its callers");
    put_children(&writing, 0);
    put_bare(&writing);
    shown_names_free(&names);
}

/* ---- The tree as JSON. */

static void write_amounts(struct json *json, const uint64_t amounts[MEASURE_SORTS]) {
    json_number(json, "bytes", amounts[MEASURE_BYTES]);
    json_number(json, "allocs", amounts[MEASURE_ALLOCS]);
    json_number(json, "live_bytes", amounts[MEASURE_LIVE]);
    json_number(json, "peak_bytes", amounts[MEASURE_PEAK]);
}

static void write_children(struct json *json, const struct tree *tree, const struct tree_node *node);

static void write_node(struct json *json, const struct tree *tree, const struct tree_node *node) {
    json_open_line(json, NULL, '{');
    json_text(json, "function", node->at.function);
    json_text(json, "file", node->at.file);
    json_number(json, "line", node->at.line);
    json_text(json, "module", node->at.module);
    if (node->at.address)
        json_address(json, "address", node->at.address);
    else
        json_text(json, "address", NULL);
    json_text(json, "callee", node->at.callee);
    write_amounts(json, node->amounts);
    write_children(json, tree, node);
    json_close(json, '}');
}

static void write_children(struct json *json, const struct tree *tree, const struct tree_node *node) {
    json_number(json, "left_out", node->pruned);
    json_open(json, "children", '[');
    for (size_t i = 0; i < node->count; i++)
        write_node(json, tree, &tree->nodes[tree->children[node->first + i]]);
    json_close(json, ']');
}

void tree_json(struct out *out, const struct tree *tree, const struct report *report) {
    const struct profile_walks *walks = &report->walks;
    struct json json = json_begin(out, "allocsite-tree", 1);
    json_head(&json, report);
    json_text(&json, "order", tree->is_root_first ? "root" : "leaf");
    json_text(&json, "by", measure_name(tree->by));
    json_number(&json, "depth", walks->depth);
    json_number(&json, "ended_early", walks->ended_early);
    write_amounts(&json, tree->nodes[0].amounts);
    write_children(&json, tree, &tree->nodes[0]);
    json_end(&json);
}

/* ---- The view. */

int show_tree(const char *path, struct report *report, struct showing *showing) {
    struct tree *tree = &showing->tree;
    const struct options *options = &showing->options;
    bool is_json = options->format == FORMAT_JSON;
    view_prepare_all(report, showing);
    if (laws_need_stacks(path, report->walks.depth))
        return STATUS_FAILED;
    tree->is_root_first = showing->order && strcmp(showing->order, "root") == 0;
    tree->by = (enum measure)options->sort;
    tree->filter = options->filter;
    tree->depth = options->depth;
    tree->top = options->top_given ? options->top : 0;
    tree->least[MEASURE_BYTES] = options->min_bytes;
    tree->least[MEASURE_ALLOCS] = options->min_allocs;
    tree->has_stacks_alone = !is_json;
    tree_make(tree, report);
    (is_json ? tree_json : tree_text)(standard_out(), tree, report);
    tree_free(tree);
    return standard_out_end();
}
