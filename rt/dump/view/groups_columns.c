/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The columns of groups for people. */
#include "dump/view/groups_columns.h"

#include "dump/view/groups_types.h"

#include <stdio.h>
#include <string.h>

/* Those that say something in most programs always stand in their place. */
static bool is_shown(const struct groups *groups, const struct report *report, int column) {
    const struct counters *whole = &groups->whole.counters;
    switch (column) {
    case COLUMN_REALLOCS:
        return whole->reallocs;
    case COLUMN_MOVED:
        return whole->moved;
    case COLUMN_FAILED:
        return whole->failed;
    case COLUMN_LOST:
        return report->reach && !group_by_parts(groups->by);
    case COLUMN_PEAK:
        return !group_by_parts(groups->by) && !report->is_unowned;
    case COLUMN_FREES:
    case COLUMN_LIVE:
        return !report->is_unowned;
    case COLUMN_SIZE:
    case COLUMN_HOLES:
    case COLUMN_PADDING:
        return groups->whole_use.bytes || groups->whole_use.live_bytes;
    case COLUMN_LIVE_PADDING:
        return groups->whole_use.live_bytes && !report->is_unowned;
    default:
        return true;
    }
}

size_t groups_columns(int columns[GROUP_COLUMNS], const struct groups *groups, const struct report *report) {
    static const int usual[] = {COLUMN_BYTES,    COLUMN_BYTES_SHARE, COLUMN_ALLOCS,  COLUMN_ALLOCS_SHARE,
                                COLUMN_REALLOCS, COLUMN_FREES,       COLUMN_MOVED,   COLUMN_FAILED,
                                COLUMN_LOST,     COLUMN_LIVE,        COLUMN_PEAK,    COLUMN_AVERAGE,
                                COLUMN_SIZE,     COLUMN_HOLES,       COLUMN_PADDING, COLUMN_LIVE_PADDING};
    static const int leaks[] = {COLUMN_LOST,        COLUMN_LIVE,   COLUMN_LIVE_SHARE,
                                COLUMN_LIVE_BLOCKS, COLUMN_ALLOCS, COLUMN_AVERAGE};
    bool is_leaks = groups->limits.leaks;
    const int *from = is_leaks ? leaks : usual;
    size_t count = is_leaks ? sizeof leaks / sizeof *leaks : sizeof usual / sizeof *usual, kept = 0;
    for (size_t i = 0; i < count; i++)
        if (is_shown(groups, report, from[i]))
            columns[kept++] = from[i];
    return kept;
}

const char *groups_column_name(int column) {
    static const char *const own[] = {
        [COLUMN_FREES] = "frees",
        [COLUMN_SIZE] = "sizeof",
        [COLUMN_HOLES] = "holes",
        [COLUMN_PADDING] = "padding",
        [COLUMN_LIVE_PADDING] = "live padding",
    };
    return column >= COLUMNS ? own[column] : column_name((enum column)column);
}

static void signed_size(char *text, uint64_t bytes) {
    bool is_negative = bytes >> 63;
    if (bytes)
        *text++ = is_negative ? '-' : '+';
    units_size(text, is_negative ? -bytes : bytes);
}

/* A plus if there can be more in members that are only declared. */
static void holes_cell(char text[UNITS_SIZE], const struct type_layout *layout) {
    units_size(text, layout->padding);
    if (layout->is_partial)
        strcat(text, "+");
}

/* Nothing where it is not known. */
static void use_cell(char text[UNITS_SIZE], const struct type_use *use, int column) {
    text[0] = '\0';
    if (column == COLUMN_SIZE && use->differs)
        snprintf(text, UNITS_SIZE, "differs");
    else if (column == COLUMN_SIZE && type_use_has_size(use))
        units_size(text, use->layout->size);
    else if (column == COLUMN_HOLES && type_use_has_padding(use))
        holes_cell(text, use->layout);
    else if (column == COLUMN_PADDING && use->bytes)
        units_size(text, use->padding);
    else if (column == COLUMN_LIVE_PADDING && use->bytes)
        units_size(text, use->live_padding);
}

/* Shares are of what all rows have, which is more than the totals after a reset. */
void groups_cell(char text[UNITS_SIZE], const struct groups *groups, const struct group *row, int column) {
    const struct report whole = {.totals = groups->whole};
    const struct report_site *sum = &row->sum;
    if (column > COLUMN_FREES)
        use_cell(text, &row->use, column);
    else if (column == COLUMN_FREES)
        units_count(text, sum->counters.frees);
    else if (column == COLUMN_LIVE && group_by_parts(groups->by))
        signed_size(text, sum->counters.live_bytes);
    else
        column_cell(text, &whole, sum, (enum column)column);
}
