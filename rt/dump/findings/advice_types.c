/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Advice, from how types are laid out. */
#include "dump/findings/findings.h"

#include "dump/base/hash_index.h"
#include "dump/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_PEAK = 4 << 10 }; /* bytes of the peak that are saved, for advice to be worth a word */

/* Of the sites of each type the one that has most at the peak. */
struct largest {
    const struct report_site **list;
    size_t count;
    struct hash_index index;
};

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
        if (view->sited && !view->backing && view->type)
            see_site(&largest, report->sites[i]);
    }
    return largest;
}

/* An alignment is a power of two that the size is a multiple of, and malloc's blocks have 16. */
static uint64_t alignment_at_most(uint64_t size) {
    uint64_t lowest = size & -size;
    return lowest < 16 ? lowest : 16;
}

/* What the order of members can save at least of one object. */
static uint64_t padding_saved(const struct type_layout *layout) {
    uint64_t align = alignment_at_most(layout->size), needed = layout->size - layout->padding;
    return layout->size - (needed + align - 1) / align * align;
}

static bool are_single(const struct group *row) {
    const struct counters *counters = &row->sum.counters;
    return !row->use.layout->is_flexible &&
           counters_bytes(counters) == counters_calls(counters) * row->use.layout->size;
}

static void look_at_padding(struct findings *findings, const struct group *row,
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
                 FINDING_SIZE(layout->padding), FINDING_SIZE(layout->size), FINDING_SIZE(each),
                 FINDING_COUNT(objects))
        ->peak_bytes = saved;
}

enum { CLASS = 16, CLASS_HEAD = 8, CLASS_LEAST = 24, LITTLE = 4 };

/* Blocks of glibc are multiples of 16 bytes, of which it needs 8 itself. */
static void look_at_class(struct findings *findings, const struct group *row,
                          const struct report_site *site) {
    uint64_t size = row->use.layout->size, over = (size + CLASS_HEAD) % CLASS,
             saved = row->sum.counters.peak_blocks * CLASS;
    if (size <= CLASS_LEAST || !over || over > LITTLE || !are_single(row) ||
        !finding_is_worth(saved, LEAST_PEAK, findings->report->totals.counters.peak_bytes) ||
        !findings_want(findings, site))
        return;
    findings_add(
        findings, RULE_SIZE_CLASS, site,
        "%s of %s is %s more than a size of glibc's malloc, which takes %s for it, %s times at the peak",
        row->key.name, FINDING_SIZE(size), FINDING_SIZE(over), FINDING_SIZE(size - over + CLASS),
        FINDING_COUNT(row->sum.counters.peak_blocks))
        ->peak_bytes = saved;
}

void findings_add_types(struct findings *findings, const struct groups *types) {
    struct largest largest = find_largest(findings->report);
    for (size_t i = 0; i < types->count; i++) {
        const struct group *row = &types->rows[i];
        if (!row->key.name || row->key.is_module || !type_use_has_padding(&row->use) ||
            !row->use.layout->size)
            continue;
        size_t found = find_type(&largest, row->key.name);
        if (found == HASH_NONE)
            continue;
        look_at_padding(findings, row, largest.list[found]);
        look_at_class(findings, row, largest.list[found]);
    }
    hash_free(&largest.index);
    free(largest.list);
}
