/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The effects of each line on the heap. */
#include "dump/view/views.h"

#include "base/arrays.h"
#include "dump/base/files.h"
#include "dump/base/memory.h"
#include "model/filter.h"
#include "write/formats.h"
#include "write/lines.h"
#include "write/summary.h"

#include <stdlib.h>

/* Blocks that a line allocated (no owner), or blocks of an owner that the line freed or reallocated. */
struct event {
    const struct report_site *at, *owner; /* NULL: unknown */
    bool has_owner;                       /* else the event is the line's own sum */
    uint64_t count, bytes;
};

/* The sum of a line, followed by the owners of its blocks. */
struct line_events {
    uint64_t count, bytes;
    struct event *owners;
    size_t owner_count;
};

struct events {
    const struct report *report;
    const char *filter;
    struct event *list;
    size_t count, capacity;
};

static int compare_lines(const struct report_site *a, const struct report_site *b) {
    if (!a || !b)
        return !a - !b;
    const struct site_view *left = &a->view, *right = &b->view;
    return compare_text(left->at.file, right->at.file)
               ?: compare_u64(left->at.line, right->at.line)
               ?: left->at.file ? 0 : compare_text(left->module, right->module)
               ?: compare_u64(left->address, right->address);
}

static int compare_events(const void *a, const void *b) {
    const struct event *left = a, *right = b;
    return compare_lines(left->at, right->at)
               ?: compare_u64(left->has_owner, right->has_owner) ?: compare_lines(left->owner, right->owner);
}

static int compare_sizes(const void *a, const void *b) {
    const struct event *left = a, *right = b;
    return compare_u64(right->bytes, left->bytes)
               ?: compare_u64(right->count, left->count) ?: compare_lines(left->owner, right->owner);
}

static int compare_line_sizes(const void *a, const void *b) {
    const struct line_events *left = a, *right = b;
    return compare_u64(right->bytes, left->bytes)
               ?: compare_u64(right->count, left->count)
               ?: compare_lines(left->owners->at, right->owners->at);
}

static bool is_asked(const struct events *events, const struct report_site *site) {
    return !events->filter[0] || (site && filter_matches(events->filter, &site->view));
}

static void events_add(struct events *events, struct event event) {
    bool is_wanted = is_asked(events, event.at) || (event.has_owner && is_asked(events, event.owner));
    if (!event.count || !is_wanted)
        return;
    memory_grow(&events->list, events->count, &events->capacity, sizeof *events->list);
    events->list[events->count++] = event;
}

static void add_pairs(struct events *events, enum pair_kind kind) {
    const struct report *report = events->report;
    for (size_t i = 0; i < report->pair_count - report->fault_count; i++) {
        const struct report_pair *pair = &report->pairs[i];
        if (pair->kind == kind)
            events_add(events, (struct event){.at = pair->by,
                                              .owner = pair->owner,
                                              .has_owner = true,
                                              .count = pair->count,
                                              .bytes = pair->bytes});
    }
}

static void add_calls(struct events *events, bool is_realloc) {
    for (size_t i = 0; i < events->report->counted; i++) {
        const struct report_site *site = events->report->sites[i];
        const struct counters *counters = &site->counters;
        if (!site->view.outside_totals)
            events_add(events,
                       (struct event){.at = site,
                                      .count = is_realloc ? counters->reallocs : counters->allocs,
                                      .bytes = is_realloc ? counters->realloc_bytes : counters->alloc_bytes});
    }
}

/* Merges events with the same line and owner. */
static void events_merge(struct events *events) {
    size_t kept = 0;
    sort_array(events->list, events->count, sizeof *events->list, compare_events);
    for (size_t i = 0; i < events->count; i++)
        if (kept && compare_events(&events->list[kept - 1], &events->list[i]) == 0) {
            events->list[kept - 1].count += events->list[i].count;
            events->list[kept - 1].bytes += events->list[i].bytes;
        } else
            events->list[kept++] = events->list[i];
    events->count = kept;
}

/* Groups the sorted events by line, and returns the number of lines. The sum of a line without allocations is
 * the sum of the blocks that it freed. */
static size_t take_lines(const struct events *events, struct line_events *lines) {
    size_t count = 0;
    for (size_t i = 0; i < events->count; i++) {
        struct event *event = &events->list[i];
        bool is_new = !count || compare_lines(lines[count - 1].owners->at, event->at) != 0;
        if (is_new)
            lines[count++] = (struct line_events){.owners = event};
        struct line_events *line = &lines[count - 1];
        if (!event->has_owner || line->owners->has_owner) {
            line->count += event->count;
            line->bytes += event->bytes;
        }
        line->owner_count++;
    }
    for (size_t i = 0; i < count; i++)
        sort_array(lines[i].owners, lines[i].owner_count, sizeof *lines[i].owners, compare_sizes);
    sort_array(lines, count, sizeof *lines, compare_line_sizes);
    return count;
}

static void put_blocks(const struct page *page, uint64_t count, uint64_t bytes) {
    page_count(page, count, " block of ", " blocks of ");
    page_size(page, bytes);
}

static void put_line(const struct page *page, const struct report_site *site) {
    if (!site || !site->view.at.file) {
        page_site(page, site);
        return;
    }
    page_place(page, &(struct place){.file = site->view.at.file, .line = site->view.at.line});
    line_space(page);
    page_function(page, site->view.at.function);
}

static void events_begin_row(struct line *line, const struct page *page, size_t indent, const char *item) {
    out_spaces(page->out, indent);
    out_text(page->out, page->is_markdown ? item : "");
    line_begin(line, page, indent, indent + 2);
}

static void events_end_row(struct line *line) {
    const struct page *to = line->to;
    line_end(line);
    out_char(to->out, '\n');
}

static void put_events(const struct page *page, const struct line_events *at) {
    struct line line;
    events_begin_row(&line, page, 2, "- ");
    put_blocks(&line.page, at->count, at->bytes);
    out_text(line.page.out, " at ");
    put_line(&line.page, at->owners->at);
    events_end_row(&line);
    for (size_t i = 0; i < at->owner_count; i++) {
        const struct event *event = &at->owners[i];
        if (!event->has_owner)
            continue;
        events_begin_row(&line, page, 6, "- ");
        out_text(line.page.out, "Overrides ");
        put_blocks(&line.page, event->count, event->bytes);
        out_text(line.page.out, " of ");
        put_line(&line.page, event->owner);
        events_end_row(&line);
    }
}

static void put_title(const struct page *page, const char *title) {
    out_print(page->out, "%s%s%s", page->is_markdown ? "\n## " : "", title,
              page->is_markdown ? "\n\n" : "\n");
}

/* ---- The same as JSON. */

static void json_line_of(struct json *json, const struct report_site *site) {
    static const struct site_view unknown;
    const struct site_view *view = site ? &site->view : &unknown;
    json_text(json, "function", view->at.function);
    json_text(json, "file", view->at.file);
    json_number(json, "line", view->at.line);
    json_text(json, "module", view->module);
    if (view->address)
        json_address(json, "address", view->address);
}

static void json_event(struct json *json, const struct report_site *at, uint64_t count, uint64_t bytes) {
    json_open(json, NULL, '{');
    json_line_of(json, at);
    json_number(json, "blocks", count);
    json_number(json, "bytes", bytes);
}

static void json_events(struct json *json, const struct line_events *at) {
    json_line(json);
    json_event(json, at->owners->at, at->count, at->bytes);
    json_open(json, "overrides", '[');
    for (size_t i = 0; i < at->owner_count; i++) {
        const struct event *event = &at->owners[i];
        if (!event->has_owner)
            continue;
        json_event(json, event->owner, event->count, event->bytes);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

/* ---- For both formats. */

struct writing {
    struct page page;
    struct json *json; /* NULL: writes text */
};

static void put_section(const struct writing *to, struct events *events, const char *title, const char *key) {
    events_merge(events);
    struct line_events *lines = memory_zeros(events->count + 1, sizeof *lines);
    size_t count = take_lines(events, lines);
    to->json ? json_open(to->json, key, '[') : put_title(&to->page, title);
    for (size_t i = 0; i < count; i++)
        to->json ? json_events(to->json, &lines[i]) : put_events(&to->page, &lines[i]);
    if (to->json)
        json_close(to->json, ']');
    free(lines);
    events->count = 0;
}

/* ---- The summary: for each line, how many of its blocks were freed and how many are live. */

struct summed {
    const struct report_site *at;
    struct counters counters;
};

static int compare_summed_lines(const void *a, const void *b) {
    return compare_lines(((const struct summed *)a)->at, ((const struct summed *)b)->at);
}

/* Orders by live bytes first. */
static int compare_summed(const void *a, const void *b) {
    const struct summed *left = a, *right = b;
    return compare_u64(right->counters.live_bytes, left->counters.live_bytes)
               ?: compare_u64(counters_bytes(&right->counters), counters_bytes(&left->counters))
               ?: compare_summed_lines(a, b);
}

static size_t sum_lines(const struct events *events, struct summed *lines) {
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < events->report->counted; i++) {
        const struct report_site *site = events->report->sites[i];
        if (!site->view.outside_totals && is_asked(events, site))
            lines[count++] = (struct summed){site, site->counters};
    }
    sort_array(lines, count, sizeof *lines, compare_summed_lines);
    for (size_t i = 0; i < count; i++)
        if (kept && compare_summed_lines(&lines[kept - 1], &lines[i]) == 0)
            counters_add(&lines[kept - 1].counters, &lines[i].counters);
        else
            lines[kept++] = lines[i];
    sort_array(lines, kept, sizeof *lines, compare_summed);
    return kept;
}

/* Writes "(12, 10, 1)". */
static void put_counts(const struct page *page, const struct counters *counters) {
    out_print(page->out, "(%s, %s, %s)", COUNT_TEXT(counters->allocs), COUNT_TEXT(counters->frees),
              COUNT_TEXT(counters->reallocs));
}

static void put_summed(const struct page *page, const struct counters *counters,
                       const struct report_site *at) {
    struct line line;
    events_begin_row(&line, page, 2, "- ");
    put_counts(&line.page, counters);
    out_text(line.page.out, ", live ");
    put_blocks(&line.page, counters->live_blocks, counters->live_bytes);
    if (at) {
        out_text(line.page.out, " of ");
        put_line(&line.page, at);
    } else
        out_text(line.page.out, " in total");
    events_end_row(&line);
}

static void json_summed(struct json *json, const struct summed *line) {
    json_open_line(json, NULL, '{');
    json_line_of(json, line->at);
    json_counters(json, &line->counters, false);
    json_close(json, '}');
}

static void put_total(const struct writing *to, const struct counters *total) {
    if (!to->json) {
        put_summed(&to->page, total, NULL);
        return;
    }
    json_close(to->json, ']');
    json_open(to->json, "total", '{');
    json_counters(to->json, total, false);
    json_close(to->json, '}');
}

static void put_summary(const struct writing *to, const struct events *events, bool is_leaks) {
    struct summed *lines = memory_zeros(events->report->counted + 1, sizeof *lines);
    struct counters total = {.allocs = 0};
    size_t count = sum_lines(events, lines);
    to->json ? json_open(to->json, "summary", '[')
             : put_title(&to->page, "HEAP SUMMARY (alloc, free, realloc)");
    for (size_t i = 0; i < count; i++) {
        if (is_leaks && !lines[i].counters.live_blocks)
            continue;
        to->json ? json_summed(to->json, &lines[i]) : put_summed(&to->page, &lines[i].counters, lines[i].at);
        counters_add(&total, &lines[i].counters);
    }
    put_total(to, &total);
    free(lines);
}

static void put_sections(const struct writing *to, struct events *events) {
    add_calls(events, false);
    put_section(to, events, "ALLOCATIONS", "allocations");
    add_calls(events, true);
    add_pairs(events, PAIR_REALLOC);
    put_section(to, events, "REALLOCATIONS", "reallocations");
    add_pairs(events, PAIR_FREE);
    put_section(to, events, "DEALLOCATIONS", "deallocations");
}

static void put_all(const struct writing *to, struct events *events, bool is_leaks) {
    if (!is_leaks)
        put_sections(to, events);
    put_summary(to, events, is_leaks);
    free(events->list);
}

int show_events(const char *path, struct report *report, struct showing *showing) {
    const struct options *options = &showing->options;
    struct events events = {.report = report, .filter = options->filter};
    struct json json;
    struct writing to = {
        .page = {.out = standard_out(), .report = report, .is_markdown = options->format == FORMAT_MARKDOWN}};
    view_prepare_all(report, showing);
    if (!report->has_pairs && !options->leaks)
        return complain_file(path, WITHOUT_PAIRS);
    if (options->format == FORMAT_JSON) {
        json = json_begin(to.page.out, "allocsite-events", 1);
        json_head(&json, report);
        to.json = &json;
    } else
        (to.page.is_markdown ? summary_markdown : summary_text)(&to.page);
    put_all(&to, &events, options->leaks);
    if (to.json)
        json_end(to.json);
    return standard_out_end();
}
