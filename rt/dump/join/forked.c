/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Forked children: a block counts once, in the process that allocated it. */
#include "dump/join/counters.h"

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* A child that gave back and allocated at the same site may have given back its own blocks first. If no block
 * but some bytes would be left of what it gave back, or of what is its own, one was replaced by another. */
static struct joined_untouched untouched_of(const struct counters *of) {
    struct joined_untouched part = {smaller(of->inherited_blocks, of->live_blocks),
                                    smaller(of->inherited_bytes, of->live_bytes), 0, 0};
    bool was_replaced = (part.blocks == of->inherited_blocks && part.bytes < of->inherited_bytes) ||
                        (part.blocks == of->live_blocks && part.bytes < of->live_bytes);
    if (was_replaced && part.blocks && --part.blocks == 0)
        part.bytes = 0;
    return part;
}

static void add(struct joined *joined, struct joined_untouched *sum, const struct joined_untouched *part) {
    joined_add_to(joined, &sum->blocks, part->blocks);
    joined_add_to(joined, &sum->bytes, part->bytes);
    joined_add_to(joined, &sum->lost_blocks, part->lost_blocks);
    joined_add_to(joined, &sum->lost_bytes, part->lost_bytes);
}

static struct joined_row *row_of(const struct report_site *site) {
    return (struct joined_row *)site->merged;
}

/* As many lost blocks may be the child's own as it has live ones of its own. */
void joined_add_untouched_lost(struct joined *joined, const struct report_site *site) {
    struct joined_untouched part = untouched_of(&site->counters);
    uint64_t blocks = smaller(site->lost_blocks, site->counters.live_blocks - part.blocks);
    uint64_t bytes = blocks ? smaller(site->lost_bytes, site->counters.live_bytes - part.bytes) : 0;
    part = (struct joined_untouched){0, 0, site->lost_blocks - blocks, site->lost_bytes - bytes};
    add(joined, &row_of(site)->untouched, &part);
}

/* Leaves in the site what is of no stack. */
void joined_add_untouched_stack(struct joined *joined, const struct report_stack *stack,
                                struct joined_untouched *untouched) {
    struct joined_untouched part = untouched_of(&stack->counters);
    struct counters *rest = &stack->site->counters;
    add(joined, untouched, &part);
    add(joined, &row_of(stack->site)->untouched, &part);
    rest->inherited_blocks -= smaller(rest->inherited_blocks, stack->counters.inherited_blocks);
    rest->inherited_bytes -= smaller(rest->inherited_bytes, stack->counters.inherited_bytes);
    rest->live_blocks -= smaller(rest->live_blocks, stack->counters.live_blocks);
    rest->live_bytes -= smaller(rest->live_bytes, stack->counters.live_bytes);
}

void joined_add_untouched(struct joined *joined, const struct counters *of,
                          struct joined_untouched *untouched) {
    struct joined_untouched part = untouched_of(of);
    add(joined, untouched, &part);
}

static void take_off(struct counters *of, struct joined_untouched part) {
    part.blocks = smaller(part.blocks, smaller(of->inherited_blocks, of->live_blocks));
    part.bytes = smaller(part.bytes, smaller(of->inherited_bytes, of->live_bytes));
    of->inherited_blocks -= part.blocks;
    of->inherited_bytes -= part.bytes;
    of->live_blocks -= part.blocks;
    of->live_bytes -= part.bytes;
}

static void take_off_row(struct joined *joined, struct joined_row *row) {
    const struct joined_untouched *part = &row->untouched;
    take_off(&row->row.counters, *part);
    row->row.lost_blocks -= part->lost_blocks;
    row->row.lost_bytes -= part->lost_bytes;
    if (!row->row.view.backing)
        add(joined, &joined->untouched, part);
}

void joined_take_untouched(struct joined *joined) {
    if (joined->processes == 1)
        return;
    for (size_t i = 0; i < joined->row_count; i++)
        take_off_row(joined, joined->rows[i]);
    for (size_t i = 0; i < joined->stack_count; i++)
        take_off(&joined->stacks[i]->stack.counters, joined->stacks[i]->untouched);
    take_off(&joined->report.custom, joined->custom_untouched);
}
