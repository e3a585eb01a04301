/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes comparisons as text and JSON. */
#include "dump/compare/diff.h"

#include "write/formats.h"
#include "write/lines.h"
#include "write/summary.h"

#include <string.h>

struct writing {
    struct page page;
    const struct diff *diff;
    const struct diff_limits *limits;
    struct grid grid;
    size_t state_width, shown, wanted;
};

/* Sign and amount. */
static void put_cell(char text[GRID_CELL], const struct report_site *old, const struct report_site *new,
                     enum measure measure) {
    struct change change = change_of(old, new, measure);
    text[0] = !change.by ? '=' : change.is_less ? '-' : '+';
    text[1] = '\0';
    if (change.by)
        measure_show(text + 1, change.by, measure);
}

static void format_cell(char text[GRID_CELL], const void *context, const void *of, int column) {
    const struct diff_row *row = of;
    (void)context;
    if (row)
        put_cell(text, row->old, row->new, (enum measure)column);
    else
        strcpy(text, measure_name((enum measure)column));
}

static bool is_shown(const struct writing *writing, const struct diff_row *row, size_t before) {
    return diff_is_wanted(row, writing->limits) && (!writing->limits->top || before < writing->limits->top);
}

static void measure_rows(struct writing *writing) {
    writing->grid = (struct grid){.page = &writing->page, .cell = format_cell};
    grid_number_columns(&writing->grid, MEASURE_SORTS);
    writing->state_width = strlen("state");
    grid_measure(&writing->grid, NULL);
    for (size_t i = 0; i < writing->diff->count; i++) {
        const struct diff_row *row = &writing->diff->rows[i];
        if (is_shown(writing, row, writing->shown)) {
            grid_measure(&writing->grid, row);
            writing->state_width =
                grid_wider(writing->state_width, strlen(diff_state_name(row->state)), GRID_CELL);
            writing->shown++;
        }
        writing->wanted += diff_is_wanted(row, writing->limits);
    }
    writing->page.indent = writing->state_width + 4 + grid_width(&writing->grid);
}

static void put_state(const struct writing *writing, const char *state) {
    out_text(writing->page.out, state);
    grid_pad(writing->page.out, strlen(state), writing->state_width);
}

/* Writes "70.2 KiB -> 74.0 KiB", or all digits if the rounded numbers are equal: "71,911 B -> 71,930 B". */
static void put_change(struct out *out, const struct report_site *old, const struct report_site *new,
                       enum measure measure) {
    char from[UNITS_SIZE], to[UNITS_SIZE];
    measure_show(from, measure_of(old, measure), measure);
    measure_show(to, measure_of(new, measure), measure);
    bool is_rounded = strcmp(from, to) == 0;
    if (is_rounded) {
        units_count(from, measure_of(old, measure));
        units_count(to, measure_of(new, measure));
    }
    out_print(out, "%s%s%s%s", from, is_rounded ? " B -> " : " -> ", to, is_rounded ? " B" : "");
}

static void put_numbers(const struct writing *writing, const struct diff_row *row) {
    struct out *out = writing->page.out;
    const char *separator = "";
    page_break(&writing->page);
    for (enum measure measure = 0; measure < MEASURE_SORTS; measure++) {
        if (!change_of(row->old, row->new, measure).by)
            continue;
        out_print(out, "%s%s ", separator, measure_name(measure));
        put_change(out, row->old, row->new, measure);
        separator = ", ";
    }
}

/* For a row with equal bytes, calls, live bytes and peak. */
static void put_other_numbers(const struct writing *writing, const struct diff_row *row) {
    struct out *out = writing->page.out;
    const struct counters *old = &row->old->counters, *new = &row->new->counters;
    const char *separator = "";
    page_break(&writing->page);
#define PUT_COUNTER(name)                                                                                    \
    if (old->name != new->name) {                                                                            \
        out_text(out, separator);                                                                            \
        out_text(out, #name " ");                                                                            \
        out_u64(out, old->name);                                                                             \
        out_text(out, " -> ");                                                                               \
        out_u64(out, new->name);                                                                             \
        separator = ", ";                                                                                    \
    }
    ALLOCSITE_TOTALS(PUT_COUNTER)
    PUT_COUNTER(max_live_blocks)
#undef PUT_COUNTER
    if (old->leaked_blocks != new->leaked_blocks || old->leaked_bytes != new->leaked_bytes) {
        out_print(out, "%slost ", separator);
        put_change(out, row->old, row->new, MEASURE_LEAKED);
        separator = ", ";
    }
    if (old->possibly_leaked_bytes != new->possibly_leaked_bytes) {
        out_print(out, "%spossibly leaked ", separator);
        measure_write(out, old->possibly_leaked_bytes, MEASURE_LEAKED);
        out_text(out, " -> ");
        measure_write(out, new->possibly_leaked_bytes, MEASURE_LEAKED);
    }
}

static bool is_in_measures(const struct diff_row *row) {
    bool is_in = false;
    for (enum measure measure = 0; measure < MEASURE_SORTS; measure++)
        is_in |= change_of(row->old, row->new, measure).by != 0;
    return is_in;
}

static void put_caller(const struct page *page, const struct place *place) {
    page_function(page, place->function);
    out_char(page->out, ' ');
    page_place(page, place);
}

/* The outermost location that differs, since everything inlined there moves along. NULL: the chains differ in
 * length. */
static const struct place *old_caller(const struct site_view *old, const struct site_view *new) {
    if (old->inlined_count != new->inlined_count)
        return NULL;
    size_t i = old->inlined_count;
    while (i > 1 && !join_is_other_place(&old->inlined[i - 1], &new->inlined[i - 1]))
        i--;
    return &old->inlined[i - 1];
}

static void put_old_chain(const struct page *page, const struct site_view *old, const struct site_view *new) {
    const struct place *place = old_caller(old, new);
    if (!place && old->inlined_count)
        place = &old->inlined[old->inlined_count - 1];
    if (place)
        put_caller(page, place);
    else
        out_text(page->out, "not inlined");
}

static void put_old_place(const struct writing *writing, const struct diff_row *row) {
    const struct page *page = &writing->page;
    const struct site_view *old = &row->old->view, *new = &row->new->view;
    page_break(page);
    out_text(page->out, "was ");
    if (join_is_other_place(&old->at, &new->at))
        place_write(page->out, &old->at, writing->diff->old->directory);
    else
        put_old_chain(page, old, new);
}

static void put_row(const struct writing *writing, const struct diff_row *row) {
    const struct page *page = &writing->page;
    put_state(writing, diff_state_name(row->state));
    grid_row(&writing->grid, row);
    page_site(page, diff_site(row));
    page_chain(page, diff_site(row));
    details_of_way(page, diff_site(row), page_break);
    if (row->is_moved)
        put_old_place(writing, row);
    if (row->state != DIFF_NEW && row->state != DIFF_GONE && is_in_measures(row))
        put_numbers(writing, row);
    else if (row->state == DIFF_CHANGED)
        put_other_numbers(writing, row);
    out_char(page->out, '\n');
}

static void put_rows(const struct writing *writing) {
    put_state(writing, "state");
    grid_head(&writing->grid, "site");
    for (size_t i = 0, shown = 0; shown < writing->shown; i++)
        if (diff_is_wanted(&writing->diff->rows[i], writing->limits)) {
            put_row(writing, &writing->diff->rows[i]);
            shown++;
        }
    if (writing->wanted == writing->shown)
        return;
    page_count(&writing->page, writing->wanted - writing->shown, " more row\n", " more rows\n");
}

static void put_side(struct out *out, const struct loaded *side) {
    out_plain(out, side->path);
    out_text(out, " (");
    out_plain(out, side->report->program);
    summary_processes(&(struct page){.out = out, .report = side->report});
    out_char(out, ')');
}

static void put_totals(struct out *out, const struct diff *diff) {
    const struct report_site *old = &diff->old->totals, *new = &diff->new->totals;
    out_text(out, "total: ");
    for (enum measure measure = 0; measure < MEASURE_SORTS; measure++) {
        char text[GRID_CELL];
        put_cell(text, old, new, measure);
        out_print(out, "%s%s ", measure ? "; " : "", measure_name(measure));
        if (*text == '=') {
            measure_write(out, measure_of(new, measure), measure);
            continue;
        }
        put_change(out, old, new, measure);
        out_print(out, " (%s)", text);
    }
    out_char(out, '\n');
}

static void put_counts(struct out *out, const struct diff *diff) {
    const char *separator = "";
    out_text(out, "rows: ");
    for (enum diff_state state = 0; state < DIFF_STATES; state++) {
        if (!diff->states[state])
            continue;
        out_print(out, "%s%lu %s", separator, diff->states[state], diff_state_name(state));
        separator = ", ";
    }
    if (diff->moved) {
        out_print(out, "; %lu moved", diff->moved);
    }
    out_text(out, diff->count ? "\n" : "none\n");
}

static bool is_small_change(const struct report_site *old, const struct report_site *new) {
    bool is_small = true;
    for (enum measure measure = 0; measure < MEASURE_SORTS; measure++)
        is_small &= change_of(old, new, measure).by <= measure_of(old, measure) / 100;
    return is_small;
}

void diff_text(struct out *out, const struct diff *diff, const struct loaded *old, const struct loaded *new,
               const struct diff_limits *limits) {
    struct writing writing = {.page = {.out = out, .report = diff->new}, .diff = diff, .limits = limits};
    out_text(out, "allocsite: ");
    put_side(out, old);
    out_text(out, " -> ");
    put_side(out, new);
    out_char(out, '\n');
    put_totals(out, diff);
    put_counts(out, diff);
    loaded_doubts_text(out, old);
    loaded_doubts_text(out, new);
    if (!diff->differs)
        out_text(out, "nothing changed\n");
    else if (is_small_change(&diff->old->totals, &diff->new->totals))
        out_text(out, "no total changed by more than 1%\n");
    measure_rows(&writing);
    if (writing.shown)
        put_rows(&writing);
}

/* ---- JSON. */

static void write_change(struct json *json, const struct report_site *old, const struct report_site *new) {
    json_open(json, "change", '{');
    for (enum measure measure = 0; measure < MEASURE_SORTS; measure++) {
        struct change change = change_of(old, new, measure);
        json_key(json, measure_name(measure));
        out_print(json->out, "%s%lu", change.is_less ? "-" : "", change.by);
    }
    json_close(json, '}');
}

static void write_side(struct json *json, const char *key, const struct report *report,
                       const struct report_site *site) {
    if (!site) {
        json_text(json, key, NULL);
        return;
    }
    json_open(json, key, '{');
    json_site(json, &site->view);
    json_counters(json, &site->counters, true);
    json_leaked(json, report, &site->counters);
    json_way(json, report, site);
    json_close(json, '}');
}

static void write_row(struct json *json, const struct diff *diff, const struct diff_row *row) {
    json_line(json);
    json_open(json, NULL, '{');
    json_text(json, "state", diff_state_name(row->state));
    json_flag(json, "moved", row->is_moved);
    write_change(json, row->old, row->new);
    write_side(json, "old", diff->old, row->old);
    write_side(json, "new", diff->new, row->new);
    json_close(json, '}');
}

static void write_rows(struct json *json, const struct diff *diff, const struct diff_limits *limits) {
    size_t shown = 0;
    json_line(json);
    json_open(json, "rows", '[');
    for (size_t i = 0; i < diff->count && (!limits->top || shown < limits->top); i++) {
        if (!diff_is_wanted(&diff->rows[i], limits))
            continue;
        write_row(json, diff, &diff->rows[i]);
        shown++;
    }
    json_close(json, ']');
}

static void write_states(struct json *json, const struct diff *diff) {
    json_line(json);
    json_flag(json, "differs", diff->differs);
    json_open(json, "counts", '{');
    for (enum diff_state state = 0; state < DIFF_STATES; state++)
        json_number(json, diff_state_name(state), diff->states[state]);
    json_number(json, "moved", diff->moved);
    json_close(json, '}');
}

void diff_json(struct out *out, const struct diff *diff, const struct loaded *old, const struct loaded *new,
               const struct diff_limits *limits) {
    struct json json = json_begin(out, "allocsite-diff", 1);
    json_line(&json);
    loaded_json(&json, "old", old);
    json_line(&json);
    loaded_json(&json, "new", new);
    write_states(&json, diff);
    write_change(&json, &diff->old->totals, &diff->new->totals);
    write_rows(&json, diff, limits);
    json_end(&json);
}
