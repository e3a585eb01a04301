/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The columns of groups for people. */
#include "group/write.h"

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
        return report->reach && group_by_has_lost(groups->by);
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
    static const int freed[] = {COLUMN_FREED, COLUMN_FREES, COLUMN_MOVED};
    bool is_leaks = groups->limits.leaks, is_freed = groups->by == BY_FREED;
    const int *from = is_freed ? freed : is_leaks ? leaks : usual;
    size_t kept = 0, count = is_freed   ? sizeof freed / sizeof *freed
                             : is_leaks ? sizeof leaks / sizeof *leaks
                                        : sizeof usual / sizeof *usual;
    for (size_t i = 0; i < count; i++)
        if (is_shown(groups, report, from[i]))
            columns[kept++] = from[i];
    return kept;
}

const char *groups_column_name(int column) {
    static const char *const own[] = {
        [COLUMN_FREES] = "frees", [COLUMN_FREED] = "freed",     [COLUMN_SIZE] = "sizeof",
        [COLUMN_HOLES] = "holes", [COLUMN_PADDING] = "padding", [COLUMN_LIVE_PADDING] = "live padding",
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
        strcpy(text, "differs");
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
    if (column > COLUMN_FREED)
        use_cell(text, &row->use, column);
    else if (column == COLUMN_FREES)
        units_count(text, sum->counters.frees);
    else if (column == COLUMN_FREED)
        units_size(text, sum->counters.freed_bytes + sum->counters.moved_bytes);
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

static bool has(size_t offset, enum group_by by, bool has_lost) {
    if (offset == OFFSET(lost_blocks) || offset == OFFSET(lost_bytes))
        return has_lost && group_by_has_lost(by);
    if (by == BY_FREED)
        return offset >= OFFSET(counters.frees) && offset <= OFFSET(counters.moved_bytes);
    return !group_by_parts(by) || offset <= OFFSET(counters.failed);
}

size_t groups_counters(struct group_counter list[GROUP_COUNTERS], enum group_by by, bool has_lost) {
    bool is_part = group_by_parts(by);
    size_t count = 0;
    for (size_t i = 0; i < GROUP_COUNTERS; i++) {
        if (!has(all[i].offset, by, has_lost))
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
