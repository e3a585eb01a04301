/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Advice. */
#include "dump/base/hash_index.h"
#include "dump/base/memory.h"
#include "dump/findings/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Advice, from how types are laid out. */

enum { LEAST_PEAK = 4 << 10 }; /* bytes at the peak that advice must save to be given */

/* For each type, the site with the most bytes at the peak. */
struct largest {
    const struct report_site **list;
    size_t count;
    struct hash_index index;
};

/* True if the saving is at least `least` and at least one percent of the whole. */
static bool finding_is_worth(uint64_t saved, uint64_t least, uint64_t whole) {
    return saved >= least && (unsigned __int128)saved * 100 >= whole;
}

static bool is_of_type(const void *type, const void *context, size_t element) {
    return strcmp(((const struct largest *)context)->list[element]->view.type, type) == 0;
}

static size_t find_type(const struct largest *largest, const char *type) {
    return hash_find(&largest->index, hash_text(0, type), is_of_type, type, largest);
}

static void see_site(struct largest *largest, const struct report_site *site) {
    size_t found = find_type(largest, site->view.type);
    if (found == HASH_NONE) {
        hash_put(&largest->index, hash_text(0, site->view.type), largest->count);
        largest->list[largest->count++] = site;
    } else if (site->counters.peak_bytes > largest->list[found]->counters.peak_bytes) {
        largest->list[found] = site;
    }
}

static struct largest find_largest(const struct report *report) {
    struct largest largest = {.list = memory_zeros(report->counted, sizeof *largest.list)};
    for (size_t i = 0; i < report->counted; i++) {
        const struct site_view *view = &report->sites[i]->view;
        if (view->sited && !view->outside_totals && view->type)
            see_site(&largest, report->sites[i]);
    }
    return largest;
}

/* An upper bound of a type's alignment: a power of two that divides the size, at most malloc's 16. */
static uint64_t alignment_at_most(uint64_t size) {
    uint64_t lowest = size & -size;
    return lowest < 16 ? lowest : 16;
}

/* The bytes of each object that reordering the members saves at least. */
static uint64_t padding_saved(const struct type_layout *layout) {
    uint64_t align = alignment_at_most(layout->size), needed = layout->size - layout->padding;
    return layout->size - (needed + align - 1) / align * align;
}

static bool are_single(const struct group *row) {
    const struct counters *counters = &row->sum.counters;
    return !row->use.layout->is_flexible &&
           counters_bytes(counters) == counters_calls(counters) * row->use.layout->size;
}

static void advise_padding(struct findings *findings, const struct group *row,
                           const struct report_site *site) {
    const struct counters *counters = &row->sum.counters;
    const struct type_layout *layout = row->use.layout;
    bool are_arrays = !layout->is_flexible && counters->peak_bytes % layout->size == 0;
    uint64_t objects = are_arrays ? counters->peak_bytes / layout->size : counters->peak_blocks,
             each = padding_saved(layout), saved = objects * each;
    if (layout->is_partial ||
        !finding_is_worth(saved, LEAST_PEAK, findings->report->totals.counters.peak_bytes) ||
        !findings_want(findings, site))
        return;
    findings_add(findings, RULE_PADDING, site,
                 "%s has %s of padding in %s: %s less in each of %s at the peak", row->key.name,
                 SIZE_TEXT(layout->padding), SIZE_TEXT(layout->size), SIZE_TEXT(each), COUNT_TEXT(objects))
        ->peak_bytes = saved;
}

enum { CLASS = 16, CLASS_HEAD = 8, CLASS_LEAST = 24, CLASS_EXCESS = 4 };

/* glibc's blocks are multiples of 16 bytes, and each has 8 bytes of overhead. */
static void advise_size_class(struct findings *findings, const struct group *row,
                              const struct report_site *site) {
    uint64_t size = row->use.layout->size, over = (size + CLASS_HEAD) % CLASS,
             saved = row->sum.counters.peak_blocks * CLASS;
    if (size <= CLASS_LEAST || !over || over > CLASS_EXCESS || !are_single(row) ||
        !finding_is_worth(saved, LEAST_PEAK, findings->report->totals.counters.peak_bytes) ||
        !findings_want(findings, site))
        return;
    findings_add(
        findings, RULE_SIZE_CLASS, site,
        "%s of %s is %s more than a size of glibc's malloc, which takes %s for it, %s times at the peak",
        row->key.name, SIZE_TEXT(size), SIZE_TEXT(over), SIZE_TEXT(size - over + CLASS),
        COUNT_TEXT(row->sum.counters.peak_blocks))
        ->peak_bytes = saved;
}

static void findings_add_types(struct findings *findings, const struct groups *types) {
    struct largest largest = find_largest(findings->report);
    for (size_t i = 0; i < types->count; i++) {
        const struct group *row = &types->rows[i];
        if (!row->key.name || row->key.is_module || !type_use_has_padding(&row->use) ||
            !row->use.layout->size)
            continue;
        size_t found = find_type(&largest, row->key.name);
        if (found == HASH_NONE)
            continue;
        advise_padding(findings, row, largest.list[found]);
        advise_size_class(findings, row, largest.list[found]);
    }
    hash_free(&largest.index);
    free(largest.list);
}

/* ---- Advice, from what sites have counted.
 *
 * Nothing here guesses. Lifetimes are counted only with lifetime=1, but the maximum number of live blocks
 * always is. If a site allocates N blocks and at most M are live at once, a block lives on average for at
 * most M allocations of the site. */

enum {
    LEAST_CALLS = 1000,         /* saved calls that advice needs, */
    LEAST_COPIED = 64 << 10,    /* or saved copying in bytes */
    ALLOCS_PER_BLOCK = 100,     /* allocations per block of the maximum, for blocks to be short-lived */
    LARGEST_ON_STACK = 1 << 10, /* bytes of a local variable */
    LARGEST_IN_POOL = 4 << 10,
    STEPS_PER_BLOCK = 4 /* reallocs per block, for a block to grow in many steps */
};

/* ---- Short-lived blocks. */

struct short_lived_blocks {
    const struct report_site *site;
    uint64_t most;             /* live at once */
    uint64_t largest;          /* bytes of the largest block; 0: unknown */
    uint64_t smallest;         /* bytes of the smallest block; 0: unknown */
    bool is_freed_in_function; /* its function frees all of them */
};

/* The size of the site's type if every block is one object, else 0. Equal sums of bytes exclude arrays and
 * trailing data. */
static uint64_t size_of_type(const struct groups *types, const struct report_site *site) {
    const struct counters *counters = &site->counters;
    const struct type_layout *layout =
        types->layout_of ? types->layout_of(types->layouts, &site->view) : NULL;
    bool is_known = layout && (layout->state == TYPE_KNOWN || layout->state == TYPE_VIRTUAL);
    return is_known && !layout->is_flexible && layout->size &&
                   counters->alloc_bytes == counters->allocs * layout->size
               ? layout->size
               : 0;
}

static void find_sizes(struct short_lived_blocks *blocks, const struct groups *types) {
    const uint64_t *sizes = blocks->site->sizes;
    blocks->smallest = blocks->largest = size_of_type(types, blocks->site);
    for (unsigned i = 0; sizes && !blocks->largest && i < SIZE_CLASSES - 1; i++)
        if (sizes[i])
            blocks->smallest = size_class_start(i);
    for (unsigned i = 0; sizes && i < SIZE_CLASSES - 1; i++) {
        if (!sizes[i] || (blocks->largest && blocks->largest == blocks->smallest))
            continue;
        blocks->smallest = blocks->smallest < size_class_start(i) ? blocks->smallest : size_class_start(i);
        blocks->largest = i ? size_class_start(i + 1) - 1 : 0;
    }
}

static bool is_in(const struct report_site *site, const struct report_site *function) {
    const char *name = function->view.at.function;
    return site && name && site->view.at.function && strcmp(site->view.at.function, name) == 0 &&
           site->view.module && function->view.module &&
           strcmp(site->view.module, function->view.module) == 0;
}

static bool is_freed_in_function(const struct report *report, const struct report_site *site) {
    uint64_t freed = 0;
    for (size_t i = 0; i < site->pair_count; i++) {
        const struct report_pair *pair = &report->pairs[site->first_pair + i];
        freed += pair->kind == PAIR_FREE && is_in(pair->by, site) ? pair->count : 0;
    }
    return report->has_pairs && freed == site->counters.allocs;
}

/* A block that a realloc at another site takes over continues its life there. */
static bool find_short_lived(const struct report *report, const struct report_site *site,
                             struct short_lived_blocks *blocks) {
    const struct counters *counters = &site->counters;
    *blocks = (struct short_lived_blocks){.site = site, .most = counters_most(counters)};
    return counters->moved == counters->reallocs && !counters->inherited_blocks && blocks->most &&
           counters->allocs >= LEAST_CALLS && counters->allocs / ALLOCS_PER_BLOCK >= blocks->most &&
           finding_is_worth(counters->allocs - blocks->most, LEAST_CALLS,
                            counters_calls(&report->totals.counters));
}

static const char *at_once(char text[64], const struct short_lived_blocks *blocks) {
    snprintf(text, 64,
             blocks->most == 1                ? "never two at once"
             : report_is_single(blocks->site) ? "never two at once of each of %s stacks"
                                              : "never more than %s at once",
             COUNT_TEXT(blocks->most));
    return text;
}

/* ", each of 48 B", ", of 33 B to 63 B", or nothing. */
static const char *of_sizes(char text[96], const struct short_lived_blocks *blocks) {
    if (!blocks->largest)
        text[0] = '\0';
    else if (blocks->smallest == blocks->largest)
        snprintf(text, 96, ", each of %s", SIZE_TEXT(blocks->largest));
    else
        snprintf(text, 96, ", of %s to %s", SIZE_TEXT(blocks->smallest), SIZE_TEXT(blocks->largest));
    return text;
}

/* "; lived 2 allocations and 1.2 µs on average", or nothing. */
static const char *lifetime_text(char text[128], const struct report_site *site) {
    uint64_t blocks = site->lifetimes ? lifetimes_blocks(site->lifetimes) : 0;
    text[0] = '\0';
    if (blocks)
        snprintf(text, 128, "; lived %s %s and %s on average",
                 COUNT_TEXT(site->lifetimes->of.allocations / blocks),
                 site->lifetimes->of.allocations / blocks == 1 ? "allocation" : "allocations",
                 TIME_TEXT(site->lifetimes->of.nanoseconds / blocks));
    return text;
}

static void advise_blocks(struct findings *findings, enum rule rule,
                          const struct short_lived_blocks *blocks) {
    const struct counters *counters = &blocks->site->counters;
    char most[64], sizes[96], lives[128];
    struct finding *finding =
        findings_add(findings, rule, blocks->site, "%s allocations%s, %s%s%s", COUNT_TEXT(counters->allocs),
                     of_sizes(sizes, blocks), at_once(most, blocks),
                     rule == RULE_STACK ? ", all freed in the function that allocated them" : "",
                     lifetime_text(lives, blocks->site));
    finding->calls = counters->allocs - (rule == RULE_STACK ? 0 : blocks->most);
}

/* The largest size of a class is less than twice its smallest. */
static bool is_one_size(const struct short_lived_blocks *blocks) {
    return blocks->largest && blocks->largest < 2 * blocks->smallest;
}

struct unknown {
    size_t sizes, pairs; /* number of sites that would get more advice with the option */
};

/* Blocks freed before the program's next allocation, whatever the site's other blocks do. A block that a
 * realloc takes over does not count as freed. */
static void advise_short_lived(struct findings *findings, const struct report_site *site) {
    uint64_t short_lived =
        site->lifetimes && !site->counters.moved ? site->lifetimes->of.by_allocations[0] : 0;
    char lives[128];
    if (!finding_is_worth(short_lived, LEAST_CALLS, counters_calls(&findings->report->totals.counters)))
        return;
    struct finding *finding = findings_add(
        findings, RULE_SHORT_LIVED, site, "%s of %s blocks were freed before anything else was allocated%s",
        COUNT_TEXT(short_lived), COUNT_TEXT(lifetimes_blocks(site->lifetimes)), lifetime_text(lives, site));
    finding->calls = short_lived;
}

static void advise_short_lived_blocks(struct findings *findings, const struct groups *types,
                                      const struct report_site *site, struct unknown *unknown) {
    struct short_lived_blocks blocks;
    if (!find_short_lived(findings->report, site, &blocks)) {
        advise_short_lived(findings, site);
        return;
    }
    if (!site->counters.reallocs)
        find_sizes(&blocks, types);
    bool is_small = blocks.largest && blocks.largest <= LARGEST_ON_STACK;
    if (is_small && is_freed_in_function(findings->report, site)) {
        advise_blocks(findings, RULE_STACK, &blocks);
        return;
    }
    unknown->sizes += !blocks.largest && !site->sizes && !site->counters.reallocs;
    unknown->pairs += is_small && !findings->report->has_pairs;
    if (report_is_single(site))
        advise_blocks(findings, RULE_REUSE, &blocks);
    else if (is_one_size(&blocks) && blocks.largest <= LARGEST_IN_POOL)
        advise_blocks(findings, RULE_POOL, &blocks);
    else
        advise_short_lived(findings, site);
}

/* ---- Blocks that grow.
 *
 * The number of blocks that grew is the number freed or live at this site: other blocks moved on to the
 * realloc of another site. A site that grows blocks by half or more each time already uses a factor, and the
 * counts do not show that it could know the size earlier. */

static void advise_reserve(struct findings *findings, const struct report_site *site) {
    const struct counters *counters = &site->counters, *totals = &findings->report->totals.counters;
    uint64_t grown = counters->frees + counters->live_blocks, steps = counters->reallocs,
             old = counters->realloc_old_bytes, more = counters->realloc_bytes - old;
    if (counters->realloc_bytes <= old || more >= old / 2 || !grown || steps / STEPS_PER_BLOCK < grown)
        return;
    if (!finding_is_worth(steps - grown, LEAST_CALLS, counters_calls(totals)) &&
        !finding_is_worth(counters->realloc_old_bytes, LEAST_COPIED, counters_bytes(totals)))
        return;
    struct finding *finding = findings_add(
        findings, RULE_RESERVE, site, "%s reallocations of %s %s, each by %s (%.1f%%) on average",
        COUNT_TEXT(steps), COUNT_TEXT(grown), grown == 1 ? "block" : "blocks", SIZE_TEXT(more / steps),
        100.0 * (double)more / (double)counters->realloc_old_bytes);
    finding->calls = steps - grown;
    finding->copied_bytes = counters->realloc_old_bytes;
}

/* ---- All advice. */

static void add_hints(struct findings *findings, const struct unknown *unknown) {
    if (unknown->sizes)
        findings_hint(findings,
                      "sizes=1 shows whether the blocks of %s %s of one size, or small: pool, stack",
                      COUNT_TEXT(unknown->sizes), unknown->sizes == 1 ? "site are" : "sites are");
    if (unknown->pairs)
        findings_hint(findings,
                      "pairs=1 shows whether the small blocks of %s %s freed in their own function: stack",
                      COUNT_TEXT(unknown->pairs), unknown->pairs == 1 ? "site are" : "sites are");
}

void findings_add_advice(struct findings *findings, const struct groups *types) {
    const struct report *report = findings->report;
    struct unknown unknown = {0};
    if (report->is_unowned) {
        findings_hint(findings,
                      "frees were not counted: run without owners=0 for stack, reuse, pool, reserve, "
                      "padding and size-class");
        return;
    }
    for (size_t i = 0; i < report->counted; i++) {
        const struct report_site *site = report->sites[i];
        if (site->view.outside_totals || !finding_place(site) || !findings_want(findings, site))
            continue;
        advise_short_lived_blocks(findings, types, site, &unknown);
        advise_reserve(findings, site);
    }
    findings_add_types(findings, types);
    add_hints(findings, &unknown);
}
