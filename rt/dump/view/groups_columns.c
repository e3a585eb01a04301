/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The columns of groups for people. */
#include "dump/view/groups_write.h"

#include "dump/base/complain.h"

#include <inttypes.h>
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

/* ---- The counters that groups have. */

#define OFFSET(name)  offsetof(struct report_site, name)
#define COUNTER(name) {#name, OFFSET(counters.name), false},

static const struct group_counter all[GROUP_COUNTERS] = {
    ALLOCSITE_TOTALS(COUNTER){"lost_blocks", OFFSET(lost_blocks), false},
    {"lost_bytes", OFFSET(lost_bytes), false},
};

static bool has(size_t offset, bool is_part, bool has_lost) {
    if (offset == OFFSET(lost_blocks) || offset == OFFSET(lost_bytes))
        return has_lost && !is_part;
    return !is_part || offset <= OFFSET(counters.failed);
}

size_t groups_counters(struct group_counter list[GROUP_COUNTERS], enum group_by by, bool has_lost) {
    bool is_part = group_by_parts(by);
    size_t count = 0;
    for (size_t i = 0; i < GROUP_COUNTERS; i++) {
        if (!has(all[i].offset, is_part, has_lost))
            continue;
        list[count] = all[i];
        list[count++].is_signed = is_part && (all[i].offset == OFFSET(counters.live_blocks) ||
                                              all[i].offset == OFFSET(counters.live_bytes));
    }
    return count;
}

uint64_t group_counter_of(const struct report_site *sum, const struct group_counter *counter) {
    uint64_t value;
    memcpy(&value, (const char *)sum + counter->offset, sizeof value);
    return value;
}

void group_counter_write(struct out *out, const struct report_site *sum,
                         const struct group_counter *counter) {
    uint64_t value = group_counter_of(sum, counter);
    bool is_negative = counter->is_signed && value >> 63;
    if (is_negative)
        out_char(out, '-');
    out_u64(out, is_negative ? -value : value);
}

/* ---- Whether groups are all of what a report has in total. */

/* The sum that the rows of parts must have: what was inherited came from elsewhere, and a reset takes nothing
 * off a part. */
static struct report_site whole_of_parts(const struct groups *groups, const struct report_site *totals) {
    struct report_site whole = *totals;
    counters_add(&whole.counters, &groups->before_reset);
    whole.counters.live_blocks -= totals->counters.inherited_blocks;
    whole.counters.live_bytes -= totals->counters.inherited_bytes;
    return whole;
}

int groups_check(const char *path, const struct groups *groups, const struct report *report) {
    struct group_counter list[GROUP_COUNTERS];
    size_t count = groups_counters(list, groups->by, report->reach);
    bool of_parts = group_by_parts(groups->by);
    struct report_site whole = of_parts ? whole_of_parts(groups, &report->totals) : report->totals;
    int status = STATUS_DONE;
    for (size_t i = 0; i < count; i++) {
        uint64_t left = group_counter_of(&groups->whole, &list[i]),
                 right = group_counter_of(&whole, &list[i]);
        if (left == right)
            continue;
        complain(path, "breaks a law: sum of %s over all %ss = %s, but they are %" PRIu64 " and %" PRIu64,
                 list[i].name, group_by_name(groups->by), list[i].name, left, right);
        status = STATUS_FAILED;
    }
    return status;
}
