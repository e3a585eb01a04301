/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tree as JSON. */
#include "dump/view/tree.h"
#include "write/json.h"

static void put_amounts(struct out *out, const uint64_t amounts[MEASURE_SORTS]) {
    json_number(out, "bytes", amounts[MEASURE_BYTES]);
    json_number(out, "allocs", amounts[MEASURE_ALLOCS]);
    json_number(out, "live_bytes", amounts[MEASURE_LIVE]);
    json_number(out, "peak_bytes", amounts[MEASURE_PEAK]);
}

static void put_address(struct out *out, uint64_t address) {
    out_text(out, ",\"address\":");
    if (!address) {
        out_text(out, "null");
        return;
    }
    out_text(out, "\"0x");
    out_hex(out, address);
    out_char(out, '"');
}

static void put_children(struct out *out, const struct tree *tree, const struct tree_node *node);

static void put_node(struct out *out, const struct tree *tree, const struct tree_node *node) {
    out_text(out, "{\"function\":");
    out_json_string(out, node->at.function);
    json_text(out, "file", node->at.file);
    json_number(out, "line", node->at.line);
    json_text(out, "module", node->at.module);
    put_address(out, node->at.address);
    json_text(out, "callee", node->at.callee);
    put_amounts(out, node->amounts);
    put_children(out, tree, node);
    out_char(out, '}');
}

static void put_children(struct out *out, const struct tree *tree, const struct tree_node *node) {
    json_number(out, "left_out", node->pruned);
    out_text(out, ",\"children\":[");
    for (size_t i = 0; i < node->count; i++) {
        out_text(out, i ? ",\n" : "\n");
        put_node(out, tree, &tree->nodes[tree->children[node->first + i]]);
    }
    out_char(out, ']');
}

void tree_json(struct out *out, const struct tree *tree, const struct report *report) {
    const struct profile_walks *walks = &report->walks;
    out_text(out, "{\"format\":\"allocsite-tree\",\"version\":1");
    report_head_json(out, report);
    json_text(out, "order", tree->is_root_first ? "root" : "leaf");
    json_text(out, "by", measure_name(tree->by));
    json_number(out, "depth", walks->depth);
    json_number(out, "by_frame_pointer", walks->by_frame_pointer);
    json_number(out, "by_table", walks->by_table);
    json_number(out, "ended_early", walks->ended_early);
    put_amounts(out, tree->nodes[0].amounts);
    put_children(out, tree, &tree->nodes[0]);
    out_text(out, "}\n");
}
