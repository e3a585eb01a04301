/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables of a graph with commas. */
#include "dump/graph/show.h"
#include "write/formats.h"

static void put_numbers(struct out *out, const uint64_t *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        out_u64(out, numbers[i]);
        out_char(out, ',');
    }
}

static void put_site(struct out *out, const struct graph *graph, const struct graph_site *site) {
    char text[4096];
    struct out memory;
    out_open_memory(&memory, text, sizeof text);
    graph_site_write(&memory, graph, site);
    out_char(out, ',');
    csv_text(out, text);
}

void graph_csv_sums(struct out *out, const struct graph *graph, const struct graph_sums *sums, size_t shown,
                    enum graph_by by) {
    out_text(out, "objects,own,retained,deep,lost,type");
    out_text(out, by == GRAPH_BY_TYPE ? "\n" : by == GRAPH_BY_SITE ? ",site\n" : ",site,stack\n");
    for (size_t i = 0; i < shown; i++) {
        const struct graph_row *row = &sums->rows[i];
        const uint64_t numbers[] = {row->objects, row->own, row->retained, row->deep, row->lost_bytes};
        put_numbers(out, numbers, sizeof numbers / sizeof *numbers);
        csv_text(out, row->name);
        if (by != GRAPH_BY_TYPE)
            put_site(out, graph, &graph->sites[row->site]);
        if (by == GRAPH_BY_STACK) {
            out_char(out, ',');
            csv_text(out, row->way);
        }
        out_char(out, '\n');
    }
}

void graph_csv_holders(struct out *out, const struct graph_holders *holders, size_t shown) {
    out_text(out, "references,objects,bytes,from,field\n");
    for (size_t i = 0; i < shown; i++) {
        const struct graph_holder *holder = &holders->list[i];
        put_numbers(out, (const uint64_t[]){holder->references, holder->objects, holder->bytes}, 3);
        csv_text(out, holder->from);
        out_char(out, ',');
        csv_text(out, holder->field);
        out_char(out, '\n');
    }
}
