/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lines for people about a site, below its row, and about faults. */
#include "base/path.h"
#include "write/formats.h"
#include "write/lines.h"
#include "write/summary.h"

#include <string.h>

/* Advice about churn needs this many allocations of a site that never has two live blocks. */
#define CHURN_ALLOCS 1000
#define CHURN_EACH   100 /* for each block that is live at once */

/* Callers of a line to show. */
enum { CALLERS_SHOWN = 3 };

/* Pairs of one owner to show one by one. */
#define PAIRS_SHOWN 5

static void put_single(const struct page *page, uint64_t stacks) {
    struct line line;
    page_begin_below(&line, page);
    out_text(line.page.out, "never two blocks at once");
    if (stacks > 1)
        out_print(line.page.out, " of each of %s%s", COUNT_TEXT(stacks), stacks == 1 ? "" : " stacks");
    out_text(line.page.out, ": a buffer to reuse");
    page_end_below(&line);
}

static void put_advice(const struct page *page, const struct report_site *site) {
    const struct counters *counters = &site->counters;
    if (counters->allocs >= CHURN_ALLOCS && report_is_single(site) &&
        counters->allocs / CHURN_EACH >= counters_most(counters))
        put_single(page, counters_most(counters));
}

struct histogram {
    const uint64_t *counts;        /* by size class */
    void (*put)(char *, uint64_t); /* writes a bound of a class */
    unsigned first, last, largest; /* classes; first > last: empty */
    uint64_t sum;
};

static struct histogram histogram_of(const uint64_t counts[SIZE_CLASSES], void (*put)(char *, uint64_t)) {
    struct histogram histogram = {.counts = counts, .put = put, .first = SIZE_CLASSES};
    for (unsigned i = 0; i < SIZE_CLASSES; i++) {
        if (!counts[i])
            continue;
        if (histogram.first == SIZE_CLASSES)
            histogram.first = i;
        histogram.last = i;
        histogram.sum += counts[i];
        if (counts[i] > counts[histogram.largest])
            histogram.largest = i;
    }
    return histogram;
}

static void put_value(const struct page *page, const struct histogram *histogram, uint64_t value) {
    out_text(page->out, units_text((char[UNITS_SIZE]){0}, value, histogram->put));
}

static void put_class_end(const struct page *page, const struct histogram *histogram, unsigned number) {
    if (number == SIZE_CLASSES - 1)
        out_text(page->out, "more");
    else
        put_value(page, histogram, number ? size_class_start(number + 1) - 1 : 0);
}

static void put_bar(const struct page *page, const struct histogram *histogram) {
    static const char *const bars[] = {"·", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    uint64_t most = histogram->counts[histogram->largest];
    for (unsigned i = histogram->first; i <= histogram->last; i++) {
        unsigned __int128 eighths = (unsigned __int128)histogram->counts[i] * 8 + most - 1;
        out_text(page->out, bars[eighths / most]);
    }
}

/* Puts "16 B ▂▁█▃ 127 B (a bar per power of two), 85.2% from 64 B to 127 B". */
static void put_classes(const struct page *page, const struct histogram *histogram) {
    bool is_one = histogram->first == histogram->last;
    if (!is_one) {
        put_value(page, histogram, size_class_start(histogram->first));
        out_char(page->out, ' ');
        put_bar(page, histogram);
        out_char(page->out, ' ');
        put_class_end(page, histogram, histogram->last);
        out_print(page->out, " (a bar per power of two), %s%s",
                  SHARE_TEXT(histogram->counts[histogram->largest], histogram->sum),
                  histogram->largest > 1 ? " from " : " of ");
    }
    put_value(page, histogram, size_class_start(histogram->largest));
    if (histogram->largest > 1) {
        out_text(page->out, " to ");
        put_class_end(page, histogram, histogram->largest);
    }
}

static void put_sizes(const struct page *page, const uint64_t *sizes) {
    struct histogram histogram = histogram_of(sizes, units_size);
    struct line line;
    if (histogram.first > histogram.last)
        return;
    page_begin_below(&line, page);
    out_text(line.page.out, "sizes: ");
    put_classes(&line.page, &histogram);
    page_end_below(&line);
}

/* Puts "lived 12 allocations on average: 0 █·▁ 7, ...". */
static void put_lives(const struct page *page, uint64_t sum, struct histogram histogram, const char *unit,
                      const char *units) {
    struct line line;
    if (!histogram.sum)
        return;
    page_begin_below(&line, page);
    out_text(line.page.out, "lived ");
    put_value(&line.page, &histogram, sum / histogram.sum);
    out_print(line.page.out, "%s on average: ", sum / histogram.sum == 1 ? unit : units);
    put_classes(&line.page, &histogram);
    page_end_below(&line);
}

static void put_lifetimes(const struct page *page, const struct profile_lifetimes *lifetimes) {
    put_lives(page, lifetimes->allocations, histogram_of(lifetimes->by_allocations, units_count),
              " allocation", " allocations");
    put_lives(page, lifetimes->nanoseconds, histogram_of(lifetimes->by_time, units_time), "", "");
}

static void put_amount(const struct page *page, const struct report_pair *pair) {
    page_count(page, pair->count, " block of ", " blocks of ");
    page_size(page, pair->bytes);
}

/* Puts "3 blocks of 1.0 KiB freed by main app.c:12:3 free": source locations are long, so the amount comes
 * first. */
static void put_pair(const struct page *page, const struct report_pair *pair) {
    struct line line;
    page_begin_below(&line, page);
    put_amount(&line.page, pair);
    out_print(line.page.out, " %s ", pair_words(pair->kind));
    if (pair->by == pair->owner)
        out_text(line.page.out, "itself");
    else
        page_site_in(&line.page, pair->by);
    page_end_below(&line);
}

static void put_pairs(const struct page *page, const struct report_site *site) {
    struct report_pair remainder = {0};
    for (size_t i = 0; i < site->pair_count; i++) {
        const struct report_pair *pair = &page->report->pairs[site->first_pair + i];
        if (i < PAIRS_SHOWN) {
            put_pair(page, pair);
            continue;
        }
        remainder.count += pair->count;
        remainder.bytes += pair->bytes;
    }
    if (site->pair_count <= PAIRS_SHOWN)
        return;
    page_break(page);
    put_amount(page, &remainder);
    out_print(page->out, " by %s more", COUNT_TEXT(site->pair_count - PAIRS_SHOWN));
}

void details_of_way(const struct page *page, const struct report_site *row,
                    void (*separate)(const struct page *)) {
    struct path path = path_of(page->report, row->way ? row->main_stack : NULL, 0);
    if (path.callers == path.count)
        return;
    separate(page);
    out_text(page->out, "called by ");
    path_callers(page, &path, row->shares_way);
}

void details_of_stack(const struct page *page, const struct report_stack *stack, uint64_t depth,
                      uint64_t calls) {
    struct path path = path_of(page->report, stack, depth);
    struct line line;
    if (path.callers == path.count) {
        page_chain(page, stack->site);
        return;
    }
    page_begin_below(&line, page);
    page_count(&line.page, calls, " call by ", " calls by ");
    out_text(line.page.out, page_inlined(&line.page, stack->site, "") ? " <- " : "");
    path_callers(&line.page, &path, false);
    page_end_below(&line);
}

void details_of_others(const struct page *page, const struct report_site *site, uint64_t calls) {
    struct line line;
    page_chain(page, site);
    if (!page->report->walks.without_stack || !calls)
        return;
    page_begin_below(&line, page);
    page_count(&line.page, calls, " call without a path", " calls without a path");
    page_end_below(&line);
}

/* Puts "called by node (a.c:3) <- ": the callers common to all calls of the row. */
static void put_common_callers(const struct page *page, const struct report_site *site) {
    bool has_inlined = page_inlined(page, site, "called by ");
    for (size_t i = 0; i < site->shared_caller_count; i++) {
        out_text(page->out, i || has_inlined ? " <- " : "called by ");
        page_caller(page, &site->shared_callers[i]);
    }
    out_text(page->out, has_inlined || site->shared_caller_count ? " <- " : "called by ");
}

static void put_caller(const struct page *page, const struct place *at) {
    if (at)
        page_caller(page, at);
    else
        out_text(page->out, "unknown code");
}

void details_of_caller(const struct page *page, const struct report_site *site, const struct place *caller) {
    struct line line;
    if (!caller && !site->caller_count) {
        page_chain(page, site);
        return;
    }
    page_begin_below(&line, page);
    put_common_callers(&line.page, site);
    put_caller(&line.page, caller);
    page_end_below(&line);
}

static void put_shares(const struct page *page, const struct report_site *site) {
    const struct report_caller *callers = &page->report->callers[site->first_caller];
    uint64_t calls = counters_calls(&site->counters);
    size_t count = site->caller_count, shown = count < CALLERS_SHOWN ? count : CALLERS_SHOWN;
    for (size_t i = 0; i < shown; i++) {
        out_text(page->out, i ? ", " : "");
        put_caller(page, callers[i].at);
        if (callers[i].calls == calls)
            continue;
        out_print(page->out, " %s", SHARE_TEXT(callers[i].calls, calls));
    }
    if (count == shown)
        return;
    out_print(page->out, ", and %s more", COUNT_TEXT(count - shown));
    if (callers->calls < calls / 2)
        out_text(page->out, ", none with half of it (--by=caller shows all)");
}

/* Puts "called by node (a.c:3) <- load (a.c:12) 83.1%, parse (b.c:7) 16.9%": the callers common to all calls,
 * then the callers that differ, with their shares of the calls. */
static void put_callers(const struct page *page, const struct report_site *site) {
    struct line line;
    bool is_known = site->main_stack && site->caller_count &&
                    (site->caller_count > 1 || page->report->callers[site->first_caller].at);
    if (!is_known) {
        page_chain(page, site);
        return;
    }
    page_begin_below(&line, page);
    put_common_callers(&line.page, site);
    put_shares(&line.page, site);
    page_end_below(&line);
}

void details_of_site(const struct page *page, const struct report_site *site) {
    put_callers(page, site);
    put_advice(page, site);
    if (page->report->limits.sizes && site->sizes)
        put_sizes(page, site->sizes);
    if (page->report->limits.lifetimes && site->lifetimes)
        put_lifetimes(page, &site->lifetimes->of);
    if (page->report->limits.pairs)
        put_pairs(page, site);
}

void details_of_apart(const struct page *page) {
    const struct report *report = page->report;
    for (size_t i = report->shown; i < report->counted; i++) {
        struct line line;
        if (!report_is_apart(report, report->sites[i]))
            continue;
        page_begin_below(&line, page);
        out_print(line.page.out, "%s %s: ", SIZE_TEXT(counters_bytes(&report->sites[i]->counters)),
                  report_library_use(report->sites[i]));
        page_site(&line.page, report->sites[i]);
        page_end_below(&line);
    }
}

static void put_end_of_fault(const struct page *page, const char *what, const struct report_site *site) {
    struct line line;
    page_begin_below(&line, page);
    out_text(line.page.out, what);
    page_site(&line.page, site);
    page_end_below(&line);
    page_chain(page, site);
}

/* Puts "FAULT: freed twice, 2 times (200 B)" and both source locations. */
static void put_fault(const struct page *page, const struct report_pair *fault) {
    page_style(page, STYLE_ALARM);
    out_text(page->out, page->is_markdown ? "\n**Fault:** " : "FAULT: ");
    page_style(page, STYLE_PLAIN);
    out_print(page->out, "%s, %s%s%s)", pair_words(fault->kind), COUNT_TEXT(fault->count),
              fault->count == 1 ? " time (" : " times (", SIZE_TEXT(fault->bytes));
    put_end_of_fault(page, "allocated by ", fault->owner);
    put_end_of_fault(page, "freed by ", fault->by);
    out_char(page->out, '\n');
}

void details_of_faults(const struct page *page) {
    struct page below = *page;
    below.indent = 2;
    for (size_t i = page->report->pair_count - page->report->fault_count; i < page->report->pair_count; i++)
        put_fault(&below, &page->report->pairs[i]);
}
