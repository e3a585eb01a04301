/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Merges pairs. */
#include "dump/base/memory.h"
#include "dump/join/join.h"

#include <stdlib.h>

static uint64_t hash_pair(const struct joined_pair *pair) {
    uint64_t hash = hash_number(hash_number(pair->pair.kind, (uintptr_t)pair->pair.owner), pair->owner_stack);
    return hash_number(hash_number(hash, (uintptr_t)pair->pair.by), pair->by_stack);
}

static bool is_pair(const void *key, const void *context, size_t element) {
    const struct joined_pair *a = key, *b = &((const struct joined *)context)->pairs[element];
    return a->pair.kind == b->pair.kind && a->pair.owner == b->pair.owner && a->pair.by == b->pair.by &&
           a->owner_stack == b->owner_stack && a->by_stack == b->by_stack;
}

static void add_pair(struct joined *joined, const struct report_pair *part) {
    struct joined_pair key = {
        .pair = {.kind = part->kind,
                 .owner = part->owner ? part->owner->merged : NULL,
                 .by = part->by ? part->by->merged : NULL},
        .owner_stack = part->owner_stack ? joined_stack_number(joined, part->owner_stack) : SIZE_MAX,
        .by_stack = part->by_stack ? joined_stack_number(joined, part->by_stack) : SIZE_MAX,
    };
    struct elements pairs = {&joined->pairs, &joined->pair_count, &joined->pair_capacity, sizeof key};
    size_t found = hash_keep(&joined->pair_index, hash_pair(&key), is_pair, &key, joined, pairs);
    joined_add_to(joined, &joined->pairs[found].pair.count, part->count);
    joined_add_to(joined, &joined->pairs[found].pair.bytes, part->bytes);
}

/* Ordinary pairs are kept only if all reports have them. */
static bool is_wanted(const struct joined *joined, const struct report_pair *pair) {
    return pair_is_fault(pair->kind) || !joined->without_pairs;
}

void joined_add_pairs(struct joined *joined, const struct report *report) {
    for (size_t i = 0; i < report->pair_count; i++)
        if (is_wanted(joined, &report->pairs[i]))
            add_pair(joined, &report->pairs[i]);
}

static const struct report_stack *stack_at(const struct report *report, size_t number) {
    return number == SIZE_MAX ? NULL : &report->stacks[number];
}

void joined_list_pairs(struct joined *joined) {
    struct report *report = &joined->report;
    report->pairs = memory_zeros(joined->pair_count, sizeof *report->pairs);
    for (size_t i = 0; i < joined->pair_count; i++) {
        const struct joined_pair *from = &joined->pairs[i];
        if (!is_wanted(joined, &from->pair))
            continue;
        struct report_pair *pair = &report->pairs[report->pair_count++];
        *pair = from->pair;
        pair->owner_stack = stack_at(report, from->owner_stack);
        pair->by_stack = stack_at(report, from->by_stack);
    }
    report->has_pairs = !joined->without_pairs;
}

void joined_free_pairs(struct joined *joined) {
    free(joined->pairs);
    free(joined->report.pairs);
    hash_free(&joined->pair_index);
}
