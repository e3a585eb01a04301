/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Groups for people: the columns, and the table as text and as Markdown. */
#include "group/groups.h"
#include "write/lines.h"
#include "write/summary.h"

#include <string.h>

/* ---- The columns of groups for people. */

/* Returns whether the columns of self and inclusive cost are shown instead of this column. */
static bool is_replaced(const struct groups *groups, int column) {
    int sorted = (int)column_sorted(&groups->limits);
    return groups->inclusive && (column == sorted || column == (int)column_share((enum column)sorted));
}

static bool is_shown(const struct groups *groups, const struct report *report, int column) {
    const struct type_use *use = &groups->whole_use;
    switch (column) {
    case COLUMN_FREED:
        return true;
    case COLUMN_PART_PEAK:
    case COLUMN_PART_PEAK_TIME:
        return group_by_parts(groups->by) && !report->is_unowned;
    case COLUMN_SELF:
    case COLUMN_SELF_SHARE:
    case COLUMN_INCLUSIVE:
    case COLUMN_INCLUSIVE_SHARE:
        return groups->inclusive;
    case COLUMN_SIZE:
    case COLUMN_HOLES:
    case COLUMN_PADDING:
        return use->bytes || use->live_bytes;
    case COLUMN_LIVE_PADDING:
        return use->live_bytes && !report->is_unowned;
    default:
        return ((column != COLUMN_LEAKED && column != COLUMN_POSSIBLY_LEAKED) ||
                group_by_has_leaked(groups->by)) &&
               !(group_by_parts(groups->by) &&
                 (column == COLUMN_PEAK || column == COLUMN_PEAK_SHARE || column == COLUMN_LIVE_SHARE)) &&
               !is_replaced(groups, column) &&
               column_is_shown(report, &groups->limits, &groups->whole, (enum column)column);
    }
}

/* Writes the shown columns in order, and returns their number. */
static size_t groups_columns(int columns[GROUP_COLUMNS], const struct groups *groups,
                             const struct report *report) {
    static const int usual[] = {
        COLUMN_SELF,       COLUMN_SELF_SHARE,  COLUMN_INCLUSIVE,      COLUMN_INCLUSIVE_SHARE,
        COLUMN_BYTES,      COLUMN_BYTES_SHARE, COLUMN_ALLOCS,         COLUMN_ALLOCS_SHARE,
        COLUMN_REALLOCS,   COLUMN_FREES,       COLUMN_MOVED,          COLUMN_FAILED,
        COLUMN_LEAKED,     COLUMN_LIVE,        COLUMN_LIVE_SHARE,     COLUMN_PEAK,
        COLUMN_PEAK_SHARE, COLUMN_PART_PEAK,   COLUMN_PART_PEAK_TIME, COLUMN_SIZE,
        COLUMN_HOLES,      COLUMN_PADDING,     COLUMN_LIVE_PADDING};
    static const int leaks[] = {
        COLUMN_SELF,        COLUMN_SELF_SHARE,      COLUMN_INCLUSIVE, COLUMN_INCLUSIVE_SHARE,
        COLUMN_LEAKED,      COLUMN_POSSIBLY_LEAKED, COLUMN_LIVE,      COLUMN_LIVE_SHARE,
        COLUMN_LIVE_BLOCKS, COLUMN_ALLOCS};
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

static const char *groups_column_name(int column) {
    static const char *const titles[] = {
        [COLUMN_FREED] = "freed",
        [COLUMN_PART_PEAK] = "peak",
        [COLUMN_PART_PEAK_TIME] = "peak at",
        [COLUMN_SELF] = "self",
        [COLUMN_SELF_SHARE] = "self%",
        [COLUMN_INCLUSIVE] = "inclusive",
        [COLUMN_INCLUSIVE_SHARE] = "inclusive%",
        [COLUMN_SIZE] = "sizeof",
        [COLUMN_HOLES] = "holes",
        [COLUMN_PADDING] = "padding",
        [COLUMN_LIVE_PADDING] = "live padding",
    };
    return column >= COLUMNS ? titles[column] : column_name((enum column)column);
}

static void signed_size(char *text, uint64_t bytes) {
    bool is_negative = bytes >> 63;
    if (bytes)
        *text++ = is_negative ? '-' : '+';
    units_size(text, is_negative ? -bytes : bytes);
}

/* Writes the padding, with a plus if members whose types are only declared may have more. */
static void holes_cell(char text[UNITS_SIZE], const struct type_layout *layout) {
    units_size(text, layout->padding);
    if (layout->is_partial)
        strcat(text, "+");
}

/* Writes an empty cell if the value is unknown. */
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

/* Writes "-" if the time is unknown, and for the hidden rows, whose peaks are at different moments. */
static void peak_cell(char text[UNITS_SIZE], const struct report *report, const struct group *row,
                      const struct group *hidden, int column) {
    const struct report_peak *peak = &row->peak;
    uint64_t begun = report->run.begun, since = peak->time > begun ? peak->time - begun : 0;
    strcpy(text, "-");
    if (row == hidden)
        return;
    if (column == COLUMN_PART_PEAK)
        units_size(text, peak->bytes);
    else if (peak->time && since < 1000000) /* the clock is not that precise */
        strcpy(text, "<1 ms");
    else if (peak->time)
        units_time(text, since);
}

/* Hidden rows have no inclusive cost: they may all call one another, so their sum would count bytes twice. */
static void inclusive_cell(char text[UNITS_SIZE], const struct groups *groups, const struct report *whole,
                           const struct group *row, enum column column) {
    const struct report_site sum = {.counters = *group_inclusive(row)};
    if (row == &groups->hidden)
        strcpy(text, "-");
    else
        column_cell(text, whole, &sum, column);
}

/* Shares relate to the sum of all rows. After a reset this is more than the totals. */
static void groups_cell(char text[UNITS_SIZE], const struct groups *groups, const struct report *report,
                        const struct group *row, int column) {
    const struct report whole = {.totals = groups->whole};
    const struct report_site *sum = &row->sum;
    enum column sorted = column_sorted(&groups->limits);
    if (column == COLUMN_SELF || column == COLUMN_SELF_SHARE)
        column_cell(text, &whole, sum, column == COLUMN_SELF ? sorted : column_share(sorted));
    else if (column == COLUMN_INCLUSIVE || column == COLUMN_INCLUSIVE_SHARE)
        inclusive_cell(text, groups, &whole, row, column == COLUMN_INCLUSIVE ? sorted : column_share(sorted));
    else if (column == COLUMN_PART_PEAK || column == COLUMN_PART_PEAK_TIME)
        peak_cell(text, report, row, &groups->hidden, column);
    else if (column > COLUMN_FREED)
        use_cell(text, &row->use, column);
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

static const struct group_counter all[GROUP_COUNTERS] = {ALLOCSITE_TOTALS(COUNTER) ALLOCSITE_LEAKED(COUNTER)};

static bool groups_have(size_t offset, enum group_by by, bool has_leaked) {
    if (offset >= OFFSET(counters.leaked_blocks))
        return has_leaked && group_by_has_leaked(by);
    if (by == BY_FREED)
        return offset >= OFFSET(counters.frees) && offset <= OFFSET(counters.moved_bytes);
    return !group_by_parts(by) || offset <= OFFSET(counters.failed);
}

size_t groups_counters(struct group_counter list[GROUP_COUNTERS], enum group_by by, bool has_leaked) {
    bool is_part = group_by_parts(by);
    size_t count = 0;
    for (size_t i = 0; i < GROUP_COUNTERS; i++) {
        if (!groups_have(all[i].offset, by, has_leaked))
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

/* ---- Groups for people: for the terminal, and as a Markdown table. */

enum { HOLES_INDENT = 4 };

_Static_assert((int)GROUP_COLUMNS <= (int)GRID_COLUMNS, "a grid has room for them");

bool groups_have_before(const struct groups *groups) {
    static const struct counters nothing;
    return memcmp(&groups->before_reset, &nothing, sizeof nothing) != 0;
}

static void put_before(const struct page *page, const struct groups *groups) {
    const struct report before = {.totals = {.counters = groups->before_reset}};
    summary_totals(&(struct page){.out = page->out, .report = &before});
    out_text(page->out, " before the last reset: the rows include them, the total does not");
}

static void put_thread(const struct page *page, const struct group_key *key) {
    if (key->name) {
        page_code(page, key->name);
    } else {
        out_print(page->out, "thread %lu", key->number);
    }
    if (!page->report->several.count)
        return;
    out_print(page->out, " of pid %lu", key->pid);
}

static void put_place(const struct page *page, const struct group_key *key) {
    const struct place place = {.file = key->name, .line = (uint32_t)key->number};
    out_text(page->out, key->is_module ? "unsited in " : "");
    page_place(page, &place);
}

static void put_role(const struct page *page, const struct group_key *key) {
    static const char *const before[ROLES] = {[ROLE_CALLER] = "called by ", [ROLE_CALLEE] = "calls "};
    bool is_end = !key->name && key->role == ROLE_CALLER;
    out_text(page->out, is_end ? "no caller on the path" : before[key->role] ?: "");
    if (key->is_module)
        page_path(page, key->name);
    else if (key->name)
        page_function(page, key->name);
    else if (!is_end)
        out_text(page->out, "an allocator");
    out_text(page->out, key->role == ROLE_SELF ? " itself" : "");
}

static void put_key(const struct page *page, enum group_by by, const struct group_key *key) {
    bool is_place = key->is_module || by == BY_MODULE || by == BY_FILE || by == BY_LINE || by == BY_FREED;
    if (key->role)
        put_role(page, key);
    else if (key->is_apart)
        out_text(page->out, "start-up and stdio");
    else if (group_by_stacks(by))
        page_site(page, key->site);
    else if (by == BY_THREAD)
        put_thread(page, key);
    else if (is_place)
        put_place(page, key);
    else if (by == BY_FUNCTION)
        page_function(page, key->name);
    else if (key->name)
        (by == BY_TYPE ? page_type : page_code)(page, key->name);
    else
        out_text(page->out, group_unnamed(by));
}

/* Writes no amounts, because the hidden callers and callees share blocks. */
static void put_hidden_roles(const struct page *page, const struct groups *groups) {
    size_t callers = groups->hidden_of[ROLE_CALLER], callees = groups->hidden_of[ROLE_CALLEE];
    if (callers)
        page_count(page, callers, " more caller", " more callers");
    out_text(page->out, callers && callees ? ", " : "");
    if (callees)
        page_count(page, callees, " more function that it calls", " more functions that it calls");
}

static void put_hidden(const struct page *page, const struct groups *groups) {
    static const char filtered[] = "what the filter leaves out";
    size_t count = groups->count - groups->shown;
    if (groups->focus) {
        put_hidden_roles(page, groups);
        return;
    }
    if (!count) {
        out_text(page->out, filtered);
        return;
    }
    out_print(page->out, "%s more %s%s%s%s", COUNT_TEXT(count),
              groups->by == BY_FREED ? "line" : group_by_name(groups->by), count == 1 ? "" : "s",
              groups->has_filtered ? ", and " : "", groups->has_filtered ? filtered : "");
}

static bool has_hidden(const struct groups *groups) {
    return groups->shown < groups->count || groups->has_filtered;
}

static void put_stack(const struct page *page, const struct groups *groups, const struct group *row) {
    const struct group_key *key = &row->key;
    if (!key->site)
        return;
    if (groups->by == BY_CALLER)
        details_of_caller(page, key->site, key->caller);
    else if (key->stack)
        details_of_stack(page, key->stack, groups->depth, counters_calls(&row->sum.counters));
    else
        details_of_others(page, key->site, counters_calls(&row->sum.counters));
}

struct table_of {
    const struct groups *groups;
    const struct report *report;
};

static void group_cell(char text[GRID_CELL], const void *context, const void *row, int column) {
    const struct table_of *table = context;
    const struct groups *groups = table->groups;
    if (groups->focus && row == &groups->hidden)
        text[0] = '\0';
    else if (row)
        groups_cell(text, groups, table->report, row, column);
    else
        strcpy(text, groups_column_name(column));
}

static void groups_measure(struct grid *grid, const struct groups *groups) {
    grid_measure(grid, NULL);
    for (size_t i = 0; i < groups->shown; i++)
        grid_measure(grid, &groups->rows[i]);
    if (has_hidden(groups))
        grid_measure(grid, &groups->hidden);
    columns_narrow(grid, &groups->limits);
}

static void put_row(const struct page *page, const struct grid *grid, const struct group *row) {
    const struct groups *groups = ((const struct table_of *)grid->context)->groups;
    const struct page stack_page = {.out = page->out,
                                    .report = page->report,
                                    .is_markdown = page->is_markdown,
                                    .indent = grid_indent(grid)};
    struct line line;
    grid_row(grid, row);
    line_begin(&line, &stack_page, grid_width(grid), stack_page.indent);
    put_key(&line.page, groups->by, &row->key);
    line_end(&line);
    if (group_by_stacks(groups->by))
        grid_put_dropped(grid, &stack_page, row);
    put_stack(&stack_page, groups, row);
    groups_put_holes(page, groups, &row->use);
    grid_end(page);
}

static void put_rows(const struct page *page, const struct groups *groups) {
    const struct table_of table = {groups, page->report};
    struct grid grid = {.page = page, .cell = group_cell, .context = &table};
    grid.count = groups_columns(grid.columns, groups, page->report);
    groups_measure(&grid, groups);
    grid_head(&grid, groups->by == BY_FREED ? "by" : group_by_name(groups->by));
    for (size_t i = 0; i < groups->shown; i++)
        put_row(page, &grid, &groups->rows[i]);
    if (!has_hidden(groups))
        return;
    grid_row(&grid, &groups->hidden);
    put_hidden(page, groups);
    grid_end(page);
}

static void put_head(const struct page *page, const struct groups *groups) {
    (page->is_markdown ? summary_markdown : summary_text)(page);
    if (groups->by == BY_TYPE)
        groups_put_types(page, groups);
    if (!groups_have_before(groups))
        return;
    page_begin_line(page, "reset: ", "\nReset: ");
    put_before(page, groups);
    page_end_line(page);
}

void groups_text(struct out *out, const struct groups *groups, const struct report *report) {
    const struct page page = {.out = out, .report = report, .indent = HOLES_INDENT};
    put_head(&page, groups);
    if (groups->count || groups->has_filtered)
        put_rows(&page, groups);
}

void groups_markdown(struct out *out, const struct groups *groups, const struct report *report) {
    const struct page page = {.out = out, .report = report, .is_markdown = true};
    put_head(&page, groups);
    out_char(out, '\n');
    put_rows(&page, groups);
}

void groups_write(struct out *out, const struct groups *groups, const struct report *report,
                  enum report_format format) {
#define ALLOCSITE_FORMAT(format, name, for_programs) groups_##name,
    static void (*const writers[])(struct out *, const struct groups *,
                                   const struct report *) = {ALLOCSITE_FORMATS(ALLOCSITE_FORMAT)};
#undef ALLOCSITE_FORMAT
    writers[format](out, groups, report);
}
