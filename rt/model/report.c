/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Merges, sorts and limits the sites of a report. */
#include "model/report.h"

#include "base/arrays.h"
#include "model/filter.h"
#include "model/gaps.h"
#include "model/suppress.h"

#include <string.h>

static void add_sizes(struct report_site *total, const struct report_site *part) {
    if (!total->sizes)
        total->sizes = part->sizes;
    else if (part->sizes)
        for (int i = 0; i < SIZE_CLASSES; i++)
            total->sizes[i] += part->sizes[i];
}

static void add_lifetimes(struct report_site *total, const struct report_site *part) {
    if (!total->lifetimes)
        total->lifetimes = part->lifetimes;
    else if (part->lifetimes)
        for (int i = 0; i < LIFETIMES_COUNTERS; i++)
            total->lifetimes->counters[i] += part->lifetimes->counters[i];
}

static void merge_site(struct report_site *site, struct report_site *copy) {
    counters_join(&site->counters, &copy->counters);
    add_sizes(site, copy);
    add_lifetimes(site, copy);
    copy->merged = site;
}

static void merge_same(struct report *report) {
    struct report_site **sites = report->sites;
    size_t kept = 0;
    order_sites_by_identity(sites, report->site_count);
    for (size_t i = 0; i < report->site_count; i++)
        if (kept && order_identity(sites[kept - 1], sites[i]) == 0)
            merge_site(sites[kept - 1], sites[i]);
        else {
            sites[kept] = sites[i];
            sites[kept]->merged = sites[kept];
            kept++;
        }
    report->site_count = kept;
}

/* A row that has only the bound of a maximum has counted nothing. */
static bool is_blank(const struct report_site *site) {
    static const struct counters nothing;
    struct counters counters = site->counters;
    counters.max_live_blocks_within = 0;
    return memcmp(&counters, &nothing, sizeof nothing) == 0;
}

/* Moves sites that only free other sites' blocks to the end. */
static void put_blank_ones_last(struct report *report) {
    struct report_site **sites = report->sites;
    report->counted = 0;
    for (size_t i = 0; i < report->site_count; i++)
        if (!is_blank(sites[i])) {
            struct report_site *site = sites[i];
            sites[i] = sites[report->counted];
            sites[report->counted++] = site;
        }
    order_sites_by_identity(sites + report->counted, report->site_count - report->counted);
}

static void sum_up(struct report *report) {
    bool has_sites = false;
    for (size_t i = 0; i < report->counted; i++) {
        const struct report_site *site = report->sites[i];
        if (site->view.outside_totals) {
            counters_add(&(site->view.mapping ? &report->mappings : &report->chunks)->counters,
                         &site->counters);
            ++*(site->view.mapping ? &report->mapping_count : &report->chunk_count);
            continue;
        }
        counters_add(&report->totals.counters, &site->counters);
        has_sites |= site->view.sited;
        if (site->view.sited || report_library_use(site)) {
            counters_add(&report->known, &site->counters);
            continue;
        }
        report->caller_count += site->view.address != 0;
        report->module_count += !site->view.address;
    }
    /* In a program without the plugin, the libraries' own allocations are no better known than the others. */
    if (!has_sites)
        report->known = (struct counters){.allocs = 0};
}

static bool is_wanted(const struct report_site *site, const struct report_limits *limits) {
    return limits_want(limits, &site->counters) &&
           (!limits->filter || filter_matches(limits->filter, &site->view));
}

static bool is_any(const char *text, const char *const *list, size_t count) {
    for (size_t i = 0; text && i < count; i++)
        if (strcmp(text, list[i]) == 0)
            return true;
    return false;
}

static bool is_one_block(const struct counters *counters, uint64_t least, uint64_t most) {
    return counters->allocs == 1 && !counters->reallocs && counters->alloc_bytes >= least &&
           counters->alloc_bytes <= most && counters->live_blocks == 1;
}

/* The dynamic library's pool has no symbol. Its size identifies the block. */
bool report_is_exception_pool(const struct report_site *site) {
    if (site->view.sited)
        return false;
    const char *slash = site->view.module ? strrchr(site->view.module, '/') : NULL;
    if (slash && strncmp(slash, "/libstdc++.so", strlen("/libstdc++.so")) == 0)
        return is_one_block(&site->counters, 64 << 10, 128 << 10);
    return site->view.at.function && strcmp(site->view.at.function, "_GLOBAL__sub_I_eh_alloc.cc") == 0;
}

bool report_is_stream_function(const char *function) {
    static const char *const inside[] = {"_IO_file_doallocate", "_IO_wfile_doallocate"};
    return is_any(function, inside, sizeof inside / sizeof *inside);
}

/* The first output to a stream allocates its buffer. The allocation is attributed to the line that writes. */
static bool is_stream_buffer(const struct report_site *site) {
    static const char *const output[] = {"printf",
                                         "fprintf",
                                         "vprintf",
                                         "vfprintf",
                                         "puts",
                                         "fputs",
                                         "putchar",
                                         "putc",
                                         "fputc",
                                         "fwrite",
                                         "perror",
                                         "std::operator<<",
                                         "std::ostream::operator<<",
                                         "std::basic_ostream::operator<<",
                                         "std::ostream::write",
                                         "std::ostream::put"};
    uint64_t bytes = site->counters.alloc_bytes;
    if (!site->view.sited)
        return site->view.at.function && report_is_stream_function(site->view.at.function);
    return is_any(site->view.callee, output, sizeof output / sizeof *output) &&
           is_one_block(&site->counters, 1024, 4096) && (bytes == 1024 || bytes == 4096);
}

const char *report_library_use(const struct report_site *site) {
    if (report_is_exception_pool(site))
        return "reserve for exceptions";
    return is_stream_buffer(site) ? "buffer of stdio" : NULL;
}

static bool is_suppressed(const struct report *report, const struct report_site *site) {
    const struct report_limits *limits = &report->limits;
    return limits->leaks && limits->suppressed && site->counters.live_blocks &&
           suppress_matches(limits->suppressed, site);
}

/* Moves the sites to show to the front, in order. */
static void limit_sites(struct report *report) {
    for (size_t i = 0; i < report->counted; i++) {
        struct report_site *site = report->sites[i];
        bool fits = !report->limits.top || report->shown < report->limits.top;
        if (report->limits.apart && is_wanted(site, &report->limits) && report_library_use(site)) {
            counters_add(&report->apart.counters, &site->counters);
            report->apart_count++;
            continue;
        }
        bool is_known = is_suppressed(report, site);
        if (is_known) {
            counters_add(&report->suppressed.counters, &site->counters);
            report->suppressed_count++;
        }
        if (is_known || !fits || !is_wanted(site, &report->limits)) {
            if (!site->view.outside_totals)
                counters_add(&report->hidden.counters, &site->counters);
            continue;
        }
        report->sites[i] = report->sites[report->shown];
        report->sites[report->shown++] = site;
    }
}

/* Returns NULL if the report does not have the reason. Reports contain reasons only as text. */
static const char *reason_of(const struct report *report, enum gap gap) {
    char text[GAP_TEXT_SIZE];
    gap_text(text, gap, NULL);
    for (size_t i = 0; i < report->reason_count; i++)
        if (strcmp(report->reasons[i], text) == 0)
            return report->reasons[i];
    return NULL;
}

static void take_stack(struct report_stack *stack) {
    struct report_site *site = stack->site = stack->site->merged;
    bool is_main =
        !site->main_stack || counters_bytes(&stack->counters) > counters_bytes(&site->main_stack->counters);
    if (is_main && stack->frame_count)
        site->main_stack = stack;
    site->single_stacks += counters_most(&stack->counters) == 1;
}

static void number_stacks(struct report *report) {
    size_t number = 0;
    for (size_t i = 0; i < report->stack_count; i++)
        if (report_has_row(report, report->stacks[i].site))
            report->stacks[i].number = number++;
}

bool report_is_torn(const struct report *report) {
    return reason_of(report, GAP_TORN) || reason_of(report, GAP_FORK);
}

const char *report_unowned_reason(const struct report *report) {
    const char *reason = reason_of(report, GAP_UNOWNED);
    return reason ? reason : reason_of(report, GAP_FREES);
}

void report_prepare(struct report *report, const struct report_limits *limits) {
    report->limits = *limits;
    report->is_unowned = report_unowned_reason(report) != NULL;
    merge_same(report);
    for (size_t i = 0; i < report->stack_count; i++)
        take_stack(&report->stacks[i]);
    put_blank_ones_last(report);
    sum_up(report);
    order_sites(report->sites, report->counted, limits);
    limit_sites(report);
    for (size_t i = 0; i < report->site_count; i++)
        report->sites[i]->position = i;
    pairs_prepare(report);
    phases_prepare(report);
    callers_prepare(report);
    number_stacks(report);
}

bool report_filter_has_no_match(const struct report *report, const char *filter) {
    for (size_t i = 0; i < report->site_count; i++)
        if (!filter[0] || filter_matches(filter, &report->sites[i]->view))
            return false;
    return filter[0];
}

struct report_limits report_limits_of(const struct options *options) {
    return (struct report_limits){
        .sort = options->sort,
        .top = format_is_for_programs(options->format) && !options->top_given ? 0 : options->top,
        .min_bytes = options->min_bytes,
        .min_allocs = options->min_allocs,
        .leaks = options->leaks,
        .pairs = options->pairs,
        .sizes = options->sizes,
        .lifetimes = options->lifetime,
        .full_names = options->full_names,
        .filter = options->filter[0] ? options->filter : NULL,
        .depth = options->depth,
        .apart = !format_is_for_programs(options->format),
    };
}

uint64_t report_cut_calls(const struct report *report) {
    uint64_t calls = 0;
    for (size_t i = 0; i < report->stack_count; i++) {
        const struct report_stack *stack = &report->stacks[i];
        if (stack->frame_count && report_is_cut(&stack->frames[stack->frame_count - 1]))
            calls += counters_calls(&stack->counters);
    }
    return calls;
}
