/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How types are laid out, from what of them has a member. */
#include "dump/types/layout.h"

#include "base/sort.h"

#include <stdio.h>
#include <stdlib.h>

static int by_start(const void *left, const void *right) {
    const struct type_extent *a = left, *b = right;
    return compare_u64(a->start, b->start) ?: compare_u64(a->end, b->end);
}

static void name_member(char name[TYPE_MEMBER_SIZE], const struct type_extent *extent) {
    const char *outer = extent->outer, *inner = extent->inner;
    if (!outer || !inner || outer == inner)
        snprintf(name, TYPE_MEMBER_SIZE, "%s", outer ?: inner ?: "");
    else
        snprintf(name, TYPE_MEMBER_SIZE, "%s.%s", outer, inner);
}

static void add_hole(struct type_layout *layout, uint64_t start, uint64_t end,
                     const struct type_extent *before) {
    if (start >= end)
        return;
    layout->padding += end - start;
    if (layout->holes_count++ >= TYPE_HOLES_MAX)
        return;
    struct type_hole *hole = &layout->holes[layout->holes_count - 1];
    *hole = (struct type_hole){.offset = start, .size = end - start};
    if (before)
        name_member(hole->after, before);
}

/* Sorted, up to the next one that begins elsewhere. */
static uint64_t end_of(const struct type_extent *extent, const struct type_extent *behind, uint64_t size) {
    const struct type_extent *next = extent;
    if (extent->end != TYPE_EXTENT_OPEN)
        return extent->end;
    while (next != behind && next->start == extent->start)
        next++;
    return next == behind ? size : next->start;
}

void type_layout_fill(struct type_layout *layout, struct type_extent *extents, size_t count) {
    const struct type_extent *before = NULL;
    uint64_t end = 0;
    layout->padding = 0;
    layout->holes_count = 0;
    if (count)
        qsort(extents, count, sizeof *extents, by_start);
    for (size_t i = 0; i < count && end < layout->size; i++) {
        uint64_t start = extents[i].start, next = end_of(&extents[i], extents + count, layout->size);
        if (next <= end || next <= start)
            continue;
        add_hole(layout, end, start < layout->size ? start : layout->size, before);
        end = next;
        before = &extents[i];
    }
    add_hole(layout, end, layout->size, before);
}

static bool is_same(const struct type_layout *a, const struct type_layout *b) {
    size_t holes = a->holes_count < TYPE_HOLES_MAX ? a->holes_count : TYPE_HOLES_MAX;
    if (a->state != b->state || a->size != b->size || a->padding != b->padding ||
        a->is_flexible != b->is_flexible || a->holes_count != b->holes_count)
        return false;
    for (size_t i = 0; i < holes; i++)
        if (a->holes[i].offset != b->holes[i].offset || a->holes[i].size != b->holes[i].size)
            return false;
    return true;
}

/* A type that is complete in one unit can have members that are only declared in another one. */
void type_layout_join(struct type_layout *layout, const struct type_layout *other) {
    if (other->state == TYPE_UNKNOWN || layout->state == TYPE_DIFFERS)
        return;
    bool is_better = layout->is_partial && !other->is_partial && layout->size == other->size;
    bool is_worse = !layout->is_partial && other->is_partial && layout->size == other->size;
    if (layout->state == TYPE_UNKNOWN || is_better)
        *layout = *other;
    else if (!is_worse && !is_same(layout, other))
        layout->state = TYPE_DIFFERS;
}
