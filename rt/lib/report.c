/* Merging, sorting and cutting the sites of a report.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "report.h"

#include <string.h>

typedef int compare_sites(const struct report_site *, const struct report_site *);

static int compare_u64(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

static int compare_text(const char *a, const char *b) {
    if (a == b)
        return 0;
    if (!a || !b)
        return a ? 1 : -1;
    return strcmp(a, b);
}

static int compare_place(const struct place *a, const struct place *b) {
    int order = compare_text(a->file, b->file);
    if (!order)
        order = compare_u64(a->line, b->line);
    if (!order)
        order = compare_u64(a->column, b->column);
    return order ? order : compare_text(a->function, b->function);
}

/* 0: the two are one site of one module. */
static int compare_identity(const struct report_site *a, const struct report_site *b) {
    int order = compare_u64(!a->view.sited, !b->view.sited);
    if (!order)
        order = compare_place(&a->view.at, &b->view.at);
    if (!order)
        order = compare_text(a->view.callee, b->view.callee);
    if (!order)
        order = compare_u64(a->view.id, b->view.id);
    return order ? order : compare_text(a->view.module, b->view.module);
}

static int compare_bytes(const struct report_site *a, const struct report_site *b) {
    int order = compare_u64(counters_bytes(&b->counters), counters_bytes(&a->counters));
    if (!order)
        order = compare_u64(counters_calls(&b->counters), counters_calls(&a->counters));
    return order ? order : compare_identity(a, b);
}

static int compare_calls(const struct report_site *a, const struct report_site *b) {
    int order = compare_u64(counters_calls(&b->counters), counters_calls(&a->counters));
    if (!order)
        order = compare_u64(counters_bytes(&b->counters), counters_bytes(&a->counters));
    return order ? order : compare_identity(a, b);
}

static void sift_down(struct report_site **heap, size_t root, size_t count, compare_sites *compare) {
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && compare(heap[child], heap[child + 1]) < 0)
            child++;
        if (compare(heap[root], heap[child]) >= 0)
            return;
        struct report_site *site = heap[root];
        heap[root] = heap[child];
        heap[child] = site;
    }
}

/* In place: the C library's qsort allocates, and would be counted. */
static void sort_sites(struct report_site **sites, size_t count, compare_sites *compare) {
    for (size_t root = count / 2; root-- > 0;)
        sift_down(sites, root, count, compare);
    for (size_t last = count; last-- > 1;) {
        struct report_site *site = sites[0];
        sites[0] = sites[last];
        sites[last] = site;
        sift_down(sites, 0, last, compare);
    }
}

static void merge_same(struct report *report) {
    struct report_site **sites = report->sites;
    size_t kept = 0;
    sort_sites(sites, report->site_count, compare_identity);
    for (size_t i = 0; i < report->site_count; i++)
        if (kept && compare_identity(sites[kept - 1], sites[i]) == 0)
            counters_add(&sites[kept - 1]->counters, &sites[i]->counters);
        else
            sites[kept++] = sites[i];
    report->site_count = kept;
}

static void sum_up(struct report *report) {
    for (size_t i = 0; i < report->site_count; i++) {
        const struct report_site *site = report->sites[i];
        counters_add(&report->totals, &site->counters);
        if (site->view.sited)
            counters_add(&report->sited, &site->counters);
        report->sited_count += site->view.sited;
        report->module_count += !site->view.sited;
    }
}

static bool is_large(const struct report_site *site, const struct report_limits *limits) {
    return counters_bytes(&site->counters) >= limits->min_bytes &&
           counters_calls(&site->counters) >= limits->min_allocs;
}

/* Moves the sites that are shown to the front; both parts keep their order as far as it matters. */
static void cut(struct report *report, const struct report_limits *limits) {
    for (size_t i = 0; i < report->site_count; i++) {
        struct report_site *site = report->sites[i];
        bool fits = !limits->top || report->shown < limits->top;
        if (!fits || !is_large(site, limits)) {
            counters_add(&report->hidden, &site->counters);
            continue;
        }
        report->sites[i] = report->sites[report->shown];
        report->sites[report->shown++] = site;
    }
}

void report_prepare(struct report *report, const struct report_limits *limits) {
    merge_same(report);
    sum_up(report);
    sort_sites(report->sites, report->site_count,
               limits->sort == SORT_ALLOCS ? compare_calls : compare_bytes);
    cut(report, limits);
}

void report_write(struct out *out, const struct report *report, enum report_format format) {
    static void (*const writers[])(struct out *, const struct report *) = {
        [FORMAT_TEXT] = report_text,
        [FORMAT_JSON] = report_json,
        [FORMAT_CSV] = report_csv,
        [FORMAT_MARKDOWN] = report_markdown,
    };
    writers[format](out, report);
}

struct report_limits report_limits_of(const struct options *options) {
    bool for_programs = options->format == FORMAT_JSON || options->format == FORMAT_CSV;
    return (struct report_limits){
        .sort = options->sort,
        .top = for_programs && !options->top_given ? 0 : options->top,
        .min_bytes = options->min_bytes,
        .min_allocs = options->min_allocs,
        .leaks = options->leaks,
    };
}
