/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tree as JSON. */
#include "dump/view/tree.h"
#include "write/json.h"

static void put_amounts(struct json *json, const uint64_t amounts[MEASURE_SORTS]) {
    json_number(json, "bytes", amounts[MEASURE_BYTES]);
    json_number(json, "allocs", amounts[MEASURE_ALLOCS]);
    json_number(json, "live_bytes", amounts[MEASURE_LIVE]);
    json_number(json, "peak_bytes", amounts[MEASURE_PEAK]);
}

static void put_children(struct json *json, const struct tree *tree, const struct tree_node *node);

static void put_node(struct json *json, const struct tree *tree, const struct tree_node *node) {
    json_line(json);
    json_open(json, NULL, '{');
    json_text(json, "function", node->at.function);
    json_text(json, "file", node->at.file);
    json_number(json, "line", node->at.line);
    json_text(json, "module", node->at.module);
    if (node->at.address)
        json_address(json, "address", node->at.address);
    else
        json_text(json, "address", NULL);
    json_text(json, "callee", node->at.callee);
    put_amounts(json, node->amounts);
    put_children(json, tree, node);
    json_close(json, '}');
}

static void put_children(struct json *json, const struct tree *tree, const struct tree_node *node) {
    json_number(json, "left_out", node->pruned);
    json_open(json, "children", '[');
    for (size_t i = 0; i < node->count; i++)
        put_node(json, tree, &tree->nodes[tree->children[node->first + i]]);
    json_close(json, ']');
}

void tree_json(struct out *out, const struct tree *tree, const struct report *report) {
    const struct profile_walks *walks = &report->walks;
    struct json json = json_begin(out, "allocsite-tree", 1);
    json_head(&json, report);
    json_text(&json, "order", tree->is_root_first ? "root" : "leaf");
    json_text(&json, "by", measure_name(tree->by));
    json_number(&json, "depth", walks->depth);
    json_number(&json, "by_frame_pointer", walks->by_frame_pointer);
    json_number(&json, "by_table", walks->by_table);
    json_number(&json, "ended_early", walks->ended_early);
    put_amounts(&json, tree->nodes[0].amounts);
    put_children(&json, tree, &tree->nodes[0]);
    json_end(&json);
}
