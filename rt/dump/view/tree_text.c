/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tree for the terminal: share and amount in columns, then the calls.
 *
 * What has a single way on, with all that it has, goes on below in the same column: most of a stack does, and
 * each branch is a real one. */
#include "dump/view/tree.h"
#include "model/site_json.h"
#include "write/names.h"
#include "write/summary.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <unistd.h>

/* What stands before the calls: three characters for each branch on the way. */
struct margin {
    char text[8192];
    size_t length;
};

struct lines {
    const char *branch, *last, *below;
};

static const struct lines drawn = {"├─ ", "└─ ", "│  "}, typed = {"|- ", "`- ", "|  "};

struct writing {
    struct out *out;
    const struct tree *tree;
    const struct report *report;
    struct margin margin;
    const struct lines *lines;
    size_t width; /* of amounts */
};

static void put_right(struct out *out, const char *text, size_t width) {
    for (size_t used = strlen(text); used < width; used++)
        out_char(out, ' ');
    out_text(out, text);
}

static void put_amount(const struct writing *writing, uint64_t amount) {
    char share[UNITS_SIZE], text[UNITS_SIZE];
    units_share(share, amount, writing->tree->nodes[0].amounts[writing->tree->by]);
    measure_show(text, amount, writing->tree->by);
    put_right(writing->out, share, 6);
    put_right(writing->out, text, writing->width + 2);
    out_text(writing->out, "  ");
}

static void put_place(const struct writing *writing, const struct tree_place *at) {
    struct out *out = writing->out;
    const struct place place = {.file = at->file, .line = at->line};
    char name[NAME_SIZE];
    name_function(name, at->function);
    if (at->function || at->file)
        out_text(out, name);
    if (at->file || at->module) {
        out_text(out, at->function ? at->file ? " " : " in " : at->file ? " " : "");
        place_write(out, at->file ? &place : &(struct place){.file = at->module}, writing->report->directory);
    }
    if (at->address) {
        out_text(out, "+0x");
        out_hex(out, at->address);
    }
    if (at->callee) {
        out_char(out, ' ');
        out_plain(out, at->callee);
    }
    out_char(out, '\n');
}

static void push(struct margin *margin, const char *text) {
    size_t size = strlen(text) + 1;
    if (margin->length + size <= sizeof margin->text)
        memcpy(margin->text + margin->length, text, size);
    margin->length += size - 1;
}

static void pop(struct margin *margin, size_t length) {
    margin->length = length;
    if (length < sizeof margin->text)
        margin->text[length] = '\0';
}

static void put_children(struct writing *writing, size_t node);

/* The node, what goes on from it alone, and then its branches. */
static void put_node(struct writing *writing, size_t node, const char *branch, const char *below) {
    const struct tree *tree = writing->tree;
    size_t length = writing->margin.length;
    for (bool is_first = true;; is_first = false) {
        const struct tree_node *at = &tree->nodes[node];
        put_amount(writing, at->amounts[tree->by]);
        out_text(writing->out, writing->margin.text);
        out_text(writing->out, is_first ? branch : below);
        put_place(writing, &at->at);
        size_t only = at->count == 1 ? tree->children[at->first] : 0;
        if (!only || tree->nodes[only].amounts[tree->by] != at->amounts[tree->by])
            break;
        node = only;
    }
    push(&writing->margin, below);
    put_children(writing, node);
    pop(&writing->margin, length);
}

static void put_pruned(const struct writing *writing, const struct tree_node *node) {
    char text[UNITS_SIZE];
    put_amount(writing, node->pruned_amounts[writing->tree->by]);
    out_text(writing->out, writing->margin.text);
    out_text(writing->out, writing->lines->last);
    units_count(text, node->pruned);
    out_text(writing->out, text);
    out_text(writing->out, " more\n");
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

/* What goes into a file is the same in every language. */
static const struct lines *lines_for_terminal(void) {
    setlocale(LC_CTYPE, "");
    return isatty(STDOUT_FILENO) && strcmp(nl_langinfo(CODESET), "UTF-8") != 0 ? &typed : &drawn;
}

void tree_text(struct out *out, const struct tree *tree, const struct report *report) {
    struct writing writing = {.out = out, .tree = tree, .report = report, .lines = lines_for_terminal()};
    const struct page page = {.out = out, .report = report};
    char text[UNITS_SIZE];
    measure_show(text, tree->nodes[0].amounts[tree->by], tree->by);
    writing.width =
        strlen(text) > strlen(measure_name(tree->by)) ? strlen(text) : strlen(measure_name(tree->by));
    summary_text(&page);
    put_right(out, "share", 6);
    put_right(out, measure_name(tree->by), writing.width + 2);
    out_text(out,
             tree->is_root_first ? "  from the root to what allocates\n" : "  allocation and its callers\n");
    put_children(&writing, 0);
}
