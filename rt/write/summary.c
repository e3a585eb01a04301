/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lines above the table in the formats for people. */
#include "write/summary.h"

#include "base/path.h"
#include "model/options.h"
#include "write/lines.h"

/* Puts "3.4 KiB in 12 blocks". */
static void put_blocks(const struct page *page, uint64_t blocks, uint64_t bytes) {
    out_print(page->out, "%s in %s%s", SIZE_TEXT(bytes), COUNT_TEXT(blocks),
              blocks == 1 ? " block" : " blocks");
}

void summary_processes(const struct page *page) {
    const struct report *report = page->report;
    if (!report->several.count) {
        out_print(page->out, ", pid %lu%s", report->pid,
                  report->sampled.time ? ""
                  : report->running    ? ", still running"
                                       : "");
        return;
    }
    out_text(page->out, ", ");
    page_count(page, report->several.count, " process", " processes");
    if (!report->several.unfinished)
        return;
    out_print(page->out, ", %s of them did not end by exit", COUNT_TEXT(report->several.unfinished));
    if (!report->several.killed)
        return;
    out_text(page->out, " (");
    page_count(page, report->several.killed, " killed by a signal)", " killed by signals)");
}

void summary_reason(const struct page *page, size_t reason) {
    uint64_t part = report_reason_part(page->report, reason);
    page_code(page, page->report->reasons[reason]);
    if (!part)
        return;
    out_print(page->out, " (in %s of %s%s", COUNT_TEXT(part), COUNT_TEXT(page->report->several.count),
              page->report->several.count == 1 ? " process)" : " processes)");
}

void summary_totals(const struct page *page) {
    const struct counters *totals = &page->report->totals.counters;
    out_print(page->out, "%s in %s%s", SIZE_TEXT(counters_bytes(totals)), COUNT_TEXT(totals->allocs),
              totals->allocs == 1 ? " allocation" : " allocations");
    if (totals->reallocs) {
        out_text(page->out, " and ");
        page_count(page, totals->reallocs, " reallocation", " reallocations");
    }
    if (totals->failed)
        out_print(page->out, ", %s failed", COUNT_TEXT(totals->failed));
}

static bool lines_are_known(const struct report *report) {
    return counters_calls(&report->known) == counters_calls(&report->totals.counters);
}

static void put_total(const struct page *page) {
    summary_totals(page);
    if (lines_are_known(page->report) && page->report->counted)
        out_text(page->out, ", all from known lines");
}

void summary_live(const struct page *page) {
    const struct report *report = page->report;
    const struct counters *totals = &report->totals.counters, *apart = &report->apart.counters;
    if (report->is_unowned) {
        out_text(page->out, "live and peak: not counted");
        return;
    }
    out_text(page->out, report->finished ? "live at exit: " : "live so far: ");
    if (totals->live_blocks)
        put_blocks(page, totals->live_blocks, totals->live_bytes);
    else
        out_text(page->out, "nothing");
    if (apart->live_blocks) {
        out_text(page->out, " (");
        if (apart->live_blocks == totals->live_blocks)
            out_text(page->out, "all of it");
        else
            page_size(page, apart->live_bytes);
        out_text(page->out, " start-up and stdio)");
    }
    out_text(page->out, "; peak: ");
    put_blocks(page, totals->peak_blocks, totals->peak_bytes);
    if (!report->peak_within)
        return;
    out_print(page->out, " (at most %s more)", SIZE_TEXT(report->peak_within));
}

/* Returns the resident bytes at the sample or, without samples, the most; 0: unknown. */
static uint64_t resident_of(const struct report *report) {
    return report->sampled.time ? report->sampled.resident : report->run.resident;
}

static uint64_t blocks_of(const struct report *report) {
    const struct counters *totals = &report->totals.counters;
    return report->sampled.time ? totals->live_bytes : totals->peak_bytes;
}

bool summary_has_resident(const struct report *report) {
    return resident_of(report);
}

static void put_resident_parts(const struct page *page) {
    const struct report_run *run = &page->report->run;
    out_print(page->out, "; at exit %s", SIZE_TEXT(run_resident(run)));
    for (int i = 0, is_first = true; i < RESIDENT_PART_COUNT; i++) {
        if (!run->resident_parts[i])
            continue;
        out_print(page->out, "%s%s %s", is_first ? ": " : ", ", resident_words[i],
                  SIZE_TEXT(run->resident_parts[i]));
        is_first = false;
    }
}

void summary_resident(const struct page *page) {
    const struct report *report = page->report;
    uint64_t resident = resident_of(report), blocks = blocks_of(report);
    out_print(page->out, "%s%s", SIZE_TEXT(resident), report->sampled.time ? " then" : " at most");
    if (run_resident(&report->run)) {
        put_resident_parts(page);
        return;
    }
    if (report->is_unowned || resident <= blocks)
        return;
    out_print(page->out, ", %s%s: code, stacks, mappings, overhead", SIZE_TEXT(resident - blocks),
              report->sampled.time ? " more than what was live" : " more than the peak");
}

void summary_leaked(const struct page *page) {
    const struct counters *totals = &page->report->totals.counters;
    if (!page->report->reach) {
        out_text(page->out, "not known, ");
        page_code(page, page->report->leaked_unknown);
        return;
    }
    if (totals->leaked_blocks)
        put_blocks(page, totals->leaked_blocks, totals->leaked_bytes);
    else
        out_text(page->out, "nothing");
    if (totals->possibly_leaked_blocks) {
        out_text(page->out, "; possibly leaked: ");
        put_blocks(page, totals->possibly_leaked_blocks, totals->possibly_leaked_bytes);
        out_text(page->out, ", to which only memory points that the program mapped itself");
    }
    out_text(page->out, "; still reachable: ");
    put_blocks(page, totals->live_blocks - totals->leaked_blocks - totals->possibly_leaked_blocks,
               totals->live_bytes - totals->leaked_bytes - totals->possibly_leaked_bytes);
}

void summary_inherited(const struct page *page) {
    const struct counters *totals = &page->report->totals.counters;
    const struct report_processes *several = &page->report->several;
    put_blocks(page, totals->inherited_blocks, totals->inherited_bytes);
    out_text(page->out, " that existed when counting began");
    if (!several->untouched_blocks)
        return;
    out_text(page->out, "; ");
    put_blocks(page, several->untouched_blocks, several->untouched_bytes);
    out_print(page->out, " that %s%s left alone count once, where they were allocated",
              COUNT_TEXT(several->forked), several->forked == 1 ? " forked process" : " forked processes");
    if (several->forked == several->count)
        out_text(page->out, ", which none of these did");
}

static void put_nameless(const struct page *page) {
    const struct report_nameless *nameless = &page->report->nameless;
    page_share(page, nameless->calls, counters_calls(&page->report->totals.counters));
    out_text(page->out, " of the calls pass through ");
    page_code(page, path_base(nameless->module));
    out_text(page->out, ", which has no symbols; ");
    if (nameless->package) {
        page_code(page, nameless->package);
        out_text(page->out, "-dbgsym or ");
    } else {
        out_text(page->out, "a build without -s or ");
    }
    out_text(page->out, "DEBUGINFOD_URLS would name its functions");
}

static void put_places_without_lines(const struct page *page) {
    const struct report *report = page->report;
    if (report->caller_count)
        page_count(page, report->caller_count, " place", " places");
    if (report->caller_count && report->module_count)
        out_text(page->out, ", and others in ");
    if (report->module_count || !report->caller_count)
        page_count(page, report->module_count, " module", " modules");
}

void summary_lines(const struct page *page) {
    const struct report *report = page->report;
    uint64_t calls = counters_calls(&report->totals.counters), known = counters_calls(&report->known);
    if (known == calls) {
        out_text(page->out, "known for all calls");
        return;
    }
    if (known) {
        out_print(page->out, "known from the plugin for %s of the calls and %s of the bytes; the others, ",
                  SHARE_TEXT(known, calls),
                  SHARE_TEXT(counters_bytes(&report->known), counters_bytes(&report->totals.counters)));
    }
    put_places_without_lines(page);
    out_text(page->out, ", from symbols and debug information alone");
}

/* Returns whether stack=N limits the frames of each path. */
static bool are_limited(const struct profile_walks *walks) {
    return walks->depth && walks->depth <= OPTIONS_STACK_MOST;
}

static bool has_paths(const struct report *report) {
    const struct profile_walks *walks = &report->walks;
    return are_limited(walks) || walks->ended_early || walks->without_stack || report->wrong_contexts ||
           report_cut_calls(report);
}

/* Puts a clause with a count and its noun, unless the count is 0. */
static void put_clause(const struct page *page, bool *is_first, uint64_t count, const char *singular,
                       const char *plural) {
    if (!count)
        return;
    out_print(page->out, "%s%s%s", *is_first ? "" : "; ", COUNT_TEXT(count), count == 1 ? singular : plural);
    *is_first = false;
}

/* Writes "up to 8 frames; 3 paths end early": the limits of the paths that are not whole. */
static void put_paths(const struct page *page) {
    const struct report *report = page->report;
    const struct profile_walks *walks = &report->walks;
    bool is_first = true;
    if (are_limited(walks)) {
        out_text(page->out, "up to ");
        put_clause(page, &is_first, walks->depth, " frame", " frames");
    }
    put_clause(page, &is_first, walks->ended_early, " path ends early", " paths end early");
    put_clause(page, &is_first, report_cut_calls(report),
               " call is shown with its innermost callers alone: there are more paths than are kept",
               " calls are shown with their innermost callers alone: there are more paths than are kept");
    put_clause(page, &is_first, walks->without_stack, " call has no path, for want of room",
               " calls have no path, for want of room");
    put_clause(page, &is_first, report->wrong_contexts,
               " call had another path than its context stood for, and is shown with the walked one",
               " calls had other paths than their contexts stood for, and are shown with the walked ones");
}

void summary_custom(const struct page *page) {
    const struct report *report = page->report;
    uint64_t blocks = report->custom.allocs + report->custom.reallocs;
    uint64_t chunks = report->chunks.counters.allocs + report->chunks.counters.reallocs;
    put_blocks(page, blocks, report->custom.alloc_bytes + report->custom.realloc_bytes);
    out_text(page->out, " by custom allocators");
    if (!chunks)
        return;
    out_text(page->out, "; the ");
    put_blocks(page, chunks, report->chunks.counters.alloc_bytes + report->chunks.counters.realloc_bytes);
    out_text(page->out, " that they took for it (chunks) ");
    out_text(page->out, chunks == 1 ? "is not in the total" : "are not in the total");
}

/* Writes "3.0 MiB in 3 mappings mapped so far, of 5.0 MiB by 4 calls, not in the total", with maps=1. */
static void put_mappings(const struct page *page) {
    const struct counters *mappings = &page->report->mappings.counters;
    uint64_t live = mappings->live_blocks, calls = counters_calls(mappings);
    if (live)
        out_print(page->out, "%s in %s%s", SIZE_TEXT(mappings->live_bytes), COUNT_TEXT(live),
                  live == 1 ? " mapping" : " mappings");
    else
        out_text(page->out, "nothing");
    out_print(page->out, " mapped %s, of %s by %s%s, not in the total",
              page->report->finished ? "at exit" : "so far", SIZE_TEXT(counters_bytes(mappings)),
              COUNT_TEXT(calls), calls == 1 ? " call" : " calls");
}

void summary_hidden(const struct page *page) {
    const struct report *report = page->report;
    page_count(page, report_hidden_count(report), " more site", " more sites");
    if (!report->suppressed_count)
        return;
    out_print(page->out, ", %s of %s suppressed", SIZE_TEXT(report->suppressed.counters.live_bytes),
              COUNT_TEXT(report->suppressed_count));
}

/* A report without sites has a row for each caller of malloc. In most programs this is a single wrapper
 * function, so stacks are needed. */
static bool lacks_stacks(const struct report *report) {
    const struct counters *totals = &report->totals.counters;
    return report->caller_count && !has_paths(report) && !report->is_unowned && !report->walks.depth &&
           counters_calls(&report->known) < counters_calls(totals) / 2;
}

static void put_advice(const struct page *page) {
    out_text(page->out, "none were kept; the option stack=16 keeps them");
}

static void put_line(const struct page *page, const char *label, void (*summary)(const struct page *),
                     const char *end) {
    struct line line;
    line_begin(&line, page, 0, 2);
    out_text(line.page.out, label);
    summary(&line.page);
    line_end(&line);
    out_text(page->out, end);
}

static void put_program(const struct page *page) {
    out_text(page->out, "allocsite: ");
    page_code(page, page->report->program);
    summary_processes(page);
}

static void put_run(const struct page *page) {
    if (page->report->run.command) {
        page_code(page, page->report->run.command);
        out_text(page->out, "; ");
    }
    summary_run(page);
}

static void put_private(const struct page *page) {
    out_text(page->out,
             "unavailable, like record, serve and report pid:N: the kernel gave the counters no memory file "
             "(profile=PATH gives them one)");
}

static void put_directory(const struct page *page) {
    page_code(page, page->report->directory);
}

static void put_reason(const struct page *page, size_t reason) {
    struct line line;
    line_begin(&line, page, 0, 2);
    page_style(&line.page, STYLE_ALARM);
    out_text(line.page.out, "exact: no, ");
    page_style(&line.page, STYLE_PLAIN);
    summary_reason(&line.page, reason);
    line_end(&line);
    out_char(page->out, '\n');
}

static void put_reasons(const struct page *page) {
    for (size_t i = 0; i < page->report->reason_count; i++)
        put_reason(page, i);
}

static void mark_reasons(const struct page *page, const char *label, const char *end) {
    for (size_t i = 0; i < page->report->reason_count; i++) {
        out_text(page->out, label);
        summary_reason(page, i);
        out_text(page->out, end);
    }
}

static void put_fact(const struct page *page, bool is_known, const char *label, const char *marked,
                     void (*summary)(const struct page *)) {
    if (is_known)
        put_line(page, page->is_markdown ? marked : label, summary, page->is_markdown ? ".\n" : "\n");
}

static void put_facts(const struct page *page) {
    const struct report *report = page->report;
    put_fact(page, summary_has_resident(report), "resident: ", "\nResident: ", summary_resident);
    put_fact(page, summary_has_leaked(report), "leaked: ", "\nLeaked: ", summary_leaked);
    put_fact(page, summary_has_inherited(report), "inherited: ", "\nInherited: ", summary_inherited);
    put_fact(page, !lines_are_known(report), "lines: ", "\nLines: ", summary_lines);
    put_fact(page, report->nameless.module, "names: ", "\nNames: ", put_nameless);
    put_fact(page, report->has_custom, "custom: ", "\nCustom: ", summary_custom);
    put_fact(page, report->mapping_count, "mappings: ", "\nMappings: ", put_mappings);
    put_fact(page, has_paths(report), "paths: ", "\nPaths: ", put_paths);
    put_fact(page, lacks_stacks(report), "paths: ", "\nPaths: ", put_advice);
    put_fact(page, report->is_private, "top: ", "\nTop: ", put_private);
    put_fact(page, report->is_elsewhere, "files: below ", "\nFiles: below ", put_directory);
}

/* The summary of a damaged profile begins with the damage. */
void summary_text(const struct page *page) {
    const struct report *report = page->report;
    put_line(page, "", put_program, "\n");
    if (report->run.begun)
        put_line(page, "ran: ", put_run, "\n");
    if (report->sampled.time)
        put_line(page, "sampled: ", summary_sampled, "\n");
    if (report->damaged)
        put_reasons(page);
    put_line(page, "total: ", put_total, "\n");
    put_line(page, "", summary_live, "\n");
    put_facts(page);
    if (!report->damaged)
        put_reasons(page);
}

void summary_markdown(const struct page *page) {
    const struct report *report = page->report;
    if (report->damaged)
        mark_reasons(page, "Not exact: ", ".\n\n");
    out_text(page->out, "**allocsite** ");
    page_code(page, report->program);
    if (report->several.count)
        summary_processes(page);
    put_line(page, ": ", put_total, "; ");
    put_line(page, "", summary_live, ".\n");
    put_facts(page);
    if (!report->damaged)
        mark_reasons(page, "\nNot exact: ", ".\n");
}
