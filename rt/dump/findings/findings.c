/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a report gives reason to look at, but for advice. */
#include "dump/findings/findings.h"

#include "base/path.h"
#include "base/sort.h"
#include "dump/base/memory.h"
#include "model/filter.h"
#include "model/report_order.h"
#include "model/suppress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct rule_text *rule_text(enum rule rule) {
#define ALLOCSITE_RULE(rule, name, level, meaning) {name, meaning, level},
    static const struct rule_text all[] = {ALLOCSITE_RULES(ALLOCSITE_RULE)};
#undef ALLOCSITE_RULE
    return &all[rule];
}

static char *text_of(const char *format, va_list arguments) {
    char *text = NULL;
    return memory_need(vasprintf(&text, format, arguments) < 0 ? NULL : text);
}

struct finding *findings_add(struct findings *findings, enum rule rule, const struct report_site *site,
                             const char *format, ...) {
    va_list arguments;
    memory_grow(&findings->list, findings->count, &findings->room, sizeof *findings->list);
    struct finding *finding = &findings->list[findings->count++];
    va_start(arguments, format);
    *finding = (struct finding){.rule = rule, .site = site, .what = text_of(format, arguments)};
    va_end(arguments);
    return finding;
}

void findings_hint(struct findings *findings, const char *format, ...) {
    va_list arguments;
    if (findings->hint_count == sizeof findings->hints / sizeof *findings->hints)
        return;
    va_start(arguments, format);
    findings->hints[findings->hint_count++] = text_of(format, arguments);
    va_end(arguments);
}

bool findings_want(const struct findings *findings, const struct report_site *site) {
    return !findings->filter || (site && filter_matches(findings->filter, &site->view));
}

static int compare_findings(const void *a, const void *b) {
    const struct finding *left = a, *right = b;
    return compare_u64(left->rule, right->rule)
               ?: compare_u64(right->calls, left->calls)
               ?: compare_u64(right->copied_bytes, left->copied_bytes)
               ?: compare_u64(right->peak_bytes, left->peak_bytes)
               ?: left->site && right->site ? order_identity(left->site, right->site)
                                            : !left->site - !right->site;
}

void findings_sort(struct findings *findings) {
    if (findings->count)
        qsort(findings->list, findings->count, sizeof *findings->list, compare_findings);
}

void findings_free(struct findings *findings) {
    for (size_t i = 0; i < findings->count; i++)
        free(findings->list[i].what);
    for (size_t i = 0; i < findings->hint_count; i++)
        free(findings->hints[i]);
    free(findings->list);
}

const struct place *finding_place(const struct report_site *site) {
    const struct site_view *view = site ? &site->view : NULL;
    for (size_t i = 0; view && i <= view->inlined_count; i++) {
        const struct place *place = i ? &view->inlined[i - 1] : &view->at;
        if (place->file && place->line && !path_is_of_system(place->file))
            return place;
    }
    return view && view->at.file && view->at.line ? &view->at : NULL;
}

/* ---- Broken limits. */

void findings_add_broken(struct findings *findings, const struct check *check) {
    findings->budget_path = check->budget_path;
    for (size_t i = 0; i < check->count; i++) {
        const struct verdict *verdict = &check->verdicts[i];
        const struct report_site *sites[1 + sizeof findings->list->others / sizeof *findings->list->others];
        char text[1024];
        struct out out;
        if (verdict->is_kept)
            continue;
        size_t count = check_largest(check, verdict, sites, sizeof sites / sizeof *sites);
        out_open_memory(&out, text, sizeof text);
        check_say(&out, verdict);
        struct finding *finding = findings_add(findings, RULE_BUDGET, count ? sites[0] : NULL, "%s", text);
        finding->limit = verdict->limit;
        for (size_t other = 1; other < count; other++)
            finding->others[finding->other_count++] = sites[other];
    }
}

/* ---- Faults and leaks. */

_Static_assert(RULE_ARRAY_MISMATCH - RULE_DOUBLE_FREE == FAULT_ARRAY_MISMATCH - FAULT_DOUBLE_FREE,
               "each fault has a rule");

static void add_fault(struct findings *findings, const struct report_pair *fault) {
    const struct report_site *site = fault->by ? fault->by : fault->owner;
    if (!findings_want(findings, site) && !findings_want(findings, fault->owner))
        return;
    enum rule rule = RULE_DOUBLE_FREE + (fault->kind - FAULT_DOUBLE_FREE);
    struct finding *finding = findings_add(findings, rule, site, "%s, %s %s (%s)", pair_words(fault->kind),
                                           FINDING_COUNT(fault->count), fault->count == 1 ? "time" : "times",
                                           FINDING_SIZE(fault->bytes));
    if (fault->owner && fault->owner != site)
        finding->others[finding->other_count++] = fault->owner;
}

void findings_add_faults(struct findings *findings) {
    const struct report *report = findings->report;
    for (size_t i = report->pair_count - report->fault_count; i < report->pair_count; i++)
        add_fault(findings, &report->pairs[i]);
}

static void add_leak(struct findings *findings, const struct report_site *site) {
    bool is_lost = findings->report->reach;
    uint64_t blocks = is_lost ? site->lost_blocks : site->counters.live_blocks,
             bytes = is_lost ? site->lost_bytes : site->counters.live_bytes;
    struct finding *finding = findings_add(
        findings, RULE_LEAK, site, "%s %s of %s %s", FINDING_COUNT(blocks), blocks == 1 ? "block" : "blocks",
        FINDING_SIZE(bytes), is_lost ? "lost: nothing points there any more" : "live at the end");
    finding->peak_bytes = bytes;
}

void findings_add_leaks(struct findings *findings) {
    const struct report *report = findings->report;
    for (size_t i = 0; i < report->counted; i++) {
        const struct report_site *site = report->sites[i];
        bool is_leak = report->reach ? site->lost_blocks : findings->has_live && site->counters.live_blocks;
        bool is_known = findings->suppressed && suppress_matches(findings->suppressed, site);
        if (is_leak && !is_known && !report_library_use(site) && findings_want(findings, site))
            add_leak(findings, site);
    }
}
