/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Groups as values separated by tabs: how many rows there are, and then these. */
#include "group/write.h"
#include "write/formats.h"

static void put_stack(struct out *out, const struct groups *groups, const struct group_key *key) {
    size_t count = group_frames(groups, key);
    tsv_site(out, &key->site->view);
    for (size_t i = 1; i < count; i++) {
        const struct report_frame *frame = &key->stack->frames[i];
        out_char(out, '\t');
        out_plain(out, frame->function ? frame->function : frame->module ? frame->module->path : "?");
        if (!frame->function) {
            out_text(out, "+0x");
            out_hex(out, frame->address);
        }
    }
}

static void put_key(struct out *out, const struct groups *groups, const struct group_key *key) {
    if (groups->by == BY_STACK) {
        put_stack(out, groups, key);
        return;
    }
    if (groups->by != BY_THREAD || key->name)
        out_plain(out, key->name ? key->name : group_unnamed(groups->by));
    if (key->number) {
        out_text(out, groups->by == BY_THREAD ? "" : ":");
        out_u64(out, key->number);
    }
}

void groups_tsv(struct out *out, const struct groups *groups, const struct report *report) {
    (void)report;
    out_u64(out, groups->shown);
    out_char(out, '\n');
    for (size_t i = 0; i < groups->shown; i++) {
        const struct group *row = &groups->rows[i];
        tsv_amounts(out, &row->sum.counters, groups->by == BY_FREED);
        put_key(out, groups, &row->key);
        out_char(out, '\n');
    }
}
