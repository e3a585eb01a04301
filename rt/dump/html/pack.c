/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the data for the page's script. */
#include "dump/html/html.h"

#include "dump/base/memory.h"
#include "dump/base/terminal.h"
#include "dump/view/view.h"

#include <stdlib.h>

/* Quotes the text in memory first, in a buffer for its longest possible form. */
void pack_string(struct json *json, const char *key, const char *text) {
    size_t size = text ? 6 * strlen(text) + 3 : 5;
    char *quoted = memory_zeros(size, 1);
    struct out memory;
    out_open_memory(&memory, quoted, size);
    out_json_string(&memory, text);
    json_key(json, key);
    for (const char *at = quoted; *at; at++)
        if (*at == '<')
            out_text(json->out, "\\u003c");
        else
            out_char(json->out, *at);
    free(quoted);
}

/* ---- Sizes, lifetimes and pairs. */

/* Alternates classes and counts. */
static void put_classes(struct json *json, const uint64_t counts[SIZE_CLASSES]) {
    for (unsigned i = 0; i < SIZE_CLASSES; i++) {
        if (!counts[i])
            continue;
        json_number(json, NULL, i);
        json_number(json, NULL, counts[i]);
    }
}

/* A site's row and its classes. */
static void put_sizes_of(struct json *json, size_t number, const uint64_t *sizes) {
    json_open(json, NULL, '[');
    json_number(json, NULL, number);
    put_classes(json, sizes);
    json_close(json, ']');
}

static void put_sizes(struct pack *pack, const char *key) {
    json_open_line(&pack->json, key, '[');
    for (size_t i = 0; i < pack->site_count; i++)
        if (pack->sites[i]->sizes)
            put_sizes_of(&pack->json, i, pack->sites[i]->sizes);
    json_close(&pack->json, ']');
}

/* A site's row, the sums of allocations and nanoseconds, and the classes of both. */
static void put_lifetimes_of(struct json *json, size_t number, const struct profile_lifetimes *lifetimes) {
    json_open(json, NULL, '[');
    json_number(json, NULL, number);
    json_number(json, NULL, lifetimes->allocations);
    json_number(json, NULL, lifetimes->nanoseconds);
    json_open(json, NULL, '[');
    put_classes(json, lifetimes->by_allocations);
    json_close(json, ']');
    json_open(json, NULL, '[');
    put_classes(json, lifetimes->by_time);
    json_close(json, ']');
    json_close(json, ']');
}

static void put_lifetimes(struct pack *pack, const char *key) {
    json_open_line(&pack->json, key, '[');
    for (size_t i = 0; i < pack->site_count; i++)
        if (pack->sites[i]->lifetimes)
            put_lifetimes_of(&pack->json, i, &pack->sites[i]->lifetimes->of);
    json_close(&pack->json, ']');
}

/* A report and the rows of its sites. */
struct pack_numbered {
    const struct report *report;
    const size_t *numbers;
};

/* The row of the site; the number of rows if the site is unknown. */
static size_t number_of_site(const struct pack *pack, const struct pack_numbered *of,
                             const struct report_site *site) {
    return site && report_has_row(of->report, site) ? of->numbers[site->position] : pack->site_count;
}

/* Each pair: owner, by, kind, count, bytes. */
static void put_pairs(struct pack *pack, const char *key, struct pack_numbered of) {
    json_open_line(&pack->json, key, '[');
    for (size_t i = 0; i < of.report->pair_count; i++) {
        const struct report_pair *pair = &of.report->pairs[i];
        if (!report_has_pair(of.report, pair))
            continue;
        json_open(&pack->json, NULL, '[');
        json_number(&pack->json, NULL, number_of_site(pack, &of, pair->owner));
        json_number(&pack->json, NULL, number_of_site(pack, &of, pair->by));
        json_number(&pack->json, NULL, pair->kind);
        json_number(&pack->json, NULL, pair->count);
        json_number(&pack->json, NULL, pair->bytes);
        json_close(&pack->json, ']');
    }
    json_close(&pack->json, ']');
}

static void put_kinds(struct pack *pack) {
    json_open(&pack->json, "kinds", '[');
    for (int kind = 0; kind < PAIR_KINDS; kind++)
        pack_string(&pack->json, NULL, pair_words((enum pair_kind)kind));
    json_close(&pack->json, ']');
}

/* ---- Threads and phases. */

static void put_group(struct pack *pack, const struct groups *groups, const struct group *row) {
    struct group_counter list[GROUP_COUNTERS];
    size_t count = groups_counters(list, groups->by, false);
    struct json *json = &pack->json;
    json_open(json, NULL, '{');
    pack_string(json, "name", row->key.name);
    if (groups->by == BY_THREAD && !row->key.name) {
        json_number(json, "thread", row->key.number);
        json_number(json, "pid", row->key.pid);
    }
    for (size_t i = 0; i < count; i++) {
        json_key(json, list[i].name);
        group_counter_write(json->out, &row->sum, &list[i]);
    }
    json_close(json, '}');
}

static void put_groups(struct pack *pack, const char *key, const struct groups *groups) {
    if (!groups || !groups->count)
        return;
    json_open_line(&pack->json, key, '[');
    for (size_t i = 0; i < groups->count; i++)
        put_group(pack, groups, &groups->rows[i]);
    json_close(&pack->json, ']');
}

/* Each: phase, site, stack, calls, bytes. A site or stack without a row has the number after the last one. */
static void put_by_phase(struct pack *pack) {
    const struct report *report = pack->html->report;
    const struct pack_numbered of = {report, pack->numbers};
    json_open_line(&pack->json, "by_phase", '[');
    for (size_t i = 0; i < report->phase_count; i++) {
        const struct report_phase *phase = &report->phases[i];
        size_t stack = phase->stack ? pack->stack_numbers[phase->stack - report->stacks] : SIZE_MAX;
        json_open(&pack->json, NULL, '[');
        json_number(&pack->json, NULL, pack_text(&pack->tables, phase->phase));
        json_number(&pack->json, NULL, number_of_site(pack, &of, phase->site));
        json_number(&pack->json, NULL, stack < pack->stacks.count ? stack : pack->stacks.count);
        json_number(&pack->json, NULL, phase->calls);
        json_number(&pack->json, NULL, phase->bytes);
        json_close(&pack->json, ']');
    }
    json_close(&pack->json, ']');
}

/* ---- Time. */

static void put_time(struct pack *pack) {
    const struct report *report = pack->html->report;
    const struct moment *moment = pack->html->moment;
    size_t count = moment->recording.site_count, *numbers = memory_zeros(count, sizeof *numbers);
    for (size_t i = 0; i < count; i++)
        numbers[i] = SIZE_MAX;
    for (size_t i = 0; i < report->site_count; i++)
        if (report_has_row(report, report->sites[i]))
            numbers[report->sites[i] - moment->rows] = pack->numbers[report->sites[i]->position];
    pack_time(&pack->json, moment, numbers);
    free(numbers);
}

/* ---- The document. */

static void add_stack(struct pack *pack, struct pack_stacks *stacks, size_t site,
                      const struct tree_part *part, size_t most) {
    memory_grow(&stacks->list, stacks->count, &stacks->capacity, sizeof *stacks->list);
    stacks->list[stacks->count++] =
        (struct pack_stack){site, pack_path(&pack->tables, part->path), part->counters};
    progress_show("stacks", stacks->count, most);
}

/* Skips parts without a stack: the script computes them as the site minus its stacks. */
static void take_stack(void *context, const struct tree_part *part) {
    struct pack *pack = context;
    const struct report *report = pack->html->report;
    if (!part->stack || !report_has_row(report, part->site))
        return;
    pack->stack_numbers[part->stack - report->stacks] = pack->stacks.count;
    add_stack(pack, &pack->stacks, pack->numbers[part->site->position], part, report->stack_count);
}

static void take_old_stack(void *context, const struct tree_part *part) {
    struct pack *pack = context;
    if (part->stack)
        add_stack(pack, &pack->old_stacks, pack->old_numbers[part->site->position], part,
                  pack->html->diff->old->stack_count);
}

/* Adds a row, with all counters 0, for a site that only the older report has. */
static size_t add_removed(struct pack *pack, const struct report_site *old) {
    struct report_site *removed = &pack->removed[pack->removed_count++];
    removed->view = old->view;
    removed->way = old->way;
    removed->main_stack = old->main_stack;
    pack->sites[pack->site_count] = removed;
    return pack->site_count++;
}

/* diff leaves out sites that only freed blocks, so these are matched by id here. */
static void join_others(struct pack *pack, const struct report *old) {
    const struct report *new = pack->html->report;
    struct number_map by_id = {0};
    for (size_t i = new->counted; i < new->site_count; i++)
        if (report_has_row(new, new->sites[i]))
            number_map_add(&by_id, new->sites[i]->view.id, pack->numbers[i]);
    for (size_t i = old->counted; i < old->site_count; i++) {
        if (!report_has_row(old, old->sites[i]))
            continue;
        const uint64_t *number = number_map_find(&by_id, old->sites[i]->view.id);
        pack->old_numbers[i] = number ? *number : add_removed(pack, old->sites[i]);
        pack->old[pack->old_numbers[i]] = old->sites[i];
    }
    number_map_free(&by_id);
}

static void match_reports(struct pack *pack, const struct diff *diff) {
    pack->removed = memory_zeros(diff->old->site_count, sizeof *pack->removed);
    pack->old = memory_zeros(pack->site_count + diff->old->site_count, sizeof *pack->old);
    pack->old_numbers = memory_zeros(diff->old->site_count, sizeof *pack->old_numbers);
    for (size_t i = 0; i < diff->count; i++) {
        const struct diff_row *row = &diff->rows[i];
        if (!row->old)
            continue;
        size_t number = row->new ? pack->numbers[row->new->position] : add_removed(pack, row->old);
        pack->old_numbers[row->old->position] = number;
        pack->old[number] = row->old;
    }
    join_others(pack, diff->old);
}

static void collect_rows(struct pack *pack) {
    const struct report *report = pack->html->report;
    const struct diff *diff = pack->html->diff;
    pack->sites = memory_zeros(report->site_count + (diff ? diff->old->site_count : 0), sizeof *pack->sites);
    pack->numbers = memory_zeros(report->site_count, sizeof *pack->numbers);
    pack->stack_numbers = memory_zeros(report->stack_count, sizeof *pack->stack_numbers);
    for (size_t i = 0; i < report->stack_count; i++)
        pack->stack_numbers[i] = SIZE_MAX;
    for (size_t i = 0; i < report->site_count; i++) {
        pack->numbers[i] = pack->site_count;
        if (report_has_row(report, report->sites[i]))
            pack->sites[pack->site_count++] = report->sites[i];
    }
    if (diff)
        match_reports(pack, diff);
    if (report->walks.depth)
        tree_parts(report, (struct tree_extent){0}, take_stack, pack);
    if (diff && diff->old->walks.depth)
        tree_parts(diff->old, (struct tree_extent){0}, take_old_stack, pack);
    pack->counters =
        memory_zeros(pack->site_count + pack->stacks.count + pack->old_stacks.count, sizeof *pack->counters);
}

/* The page can choose lines anew if there are call paths and no other rule chose lines. Recordings keep no
 * paths. */
static bool can_choose(const struct html *html) {
    return html->report->walks.depth && (!html->diff || html->diff->old->walks.depth) && !html->moment &&
           !html->is_by_stack && html->symbolizer->line.choice == LINE_AUTO;
}

static void put_head(struct pack *pack) {
    const struct report *report = pack->html->report;
    struct json *json = &pack->json;
    pack_string(json, "by", pack->html->is_by_stack ? "stack" : "site");
    pack_string(json, "directory", report->directory);
    json_flag(json, "owned", !report->is_unowned);
    json_flag(json, "reach", report->reach);
    json_flag(json, "paired", report->has_pairs);
    json_flag(json, "finished", report->finished);
    json_number(json, "depth", report->walks.depth);
    json_flag(json, "chooses", can_choose(pack->html));
    json_number(json, "left_out", report->counted - report->shown);
}

void pack_write(struct out *out, const struct html *html) {
    struct pack *pack = memory_zeros(1, sizeof *pack);
    pack->html = html;
    pack->tables.symbolizer = html->symbolizer;
    pack->json = json_begin(out, "allocsite-page", 1);
    collect_rows(pack);
    put_head(pack);
    pack_sites(pack);
    pack_stacks_as(pack, "stacks", &pack->stacks);
    put_sizes(pack, "sizes");
    put_lifetimes(pack, "lifetimes");
    put_pairs(pack, "pairs", (struct pack_numbered){html->report, pack->numbers});
    put_kinds(pack);
    put_groups(pack, "threads", html->threads);
    put_groups(pack, "phases", html->phases);
    if (html->report->phase_count && !html->diff && !html->moment)
        put_by_phase(pack);
    if (html->has_source)
        pack_source(&pack->json, &pack->tables, html->report);
    if (html->moment)
        put_time(pack);
    if (html->diff) {
        pack_old(pack);
        pack_stacks_as(pack, "old_stacks", &pack->old_stacks);
        put_sizes(pack, "old_sizes");
        put_lifetimes(pack, "old_lifetimes");
        put_pairs(pack, "old_pairs", (struct pack_numbered){html->diff->old, pack->old_numbers});
    }
    pack_tables_write(&pack->json, &pack->tables);
    json_end(&pack->json);
    pack_tables_free(&pack->tables);
    free(pack->sites);
    free(pack->old);
    free(pack->removed);
    free(pack->numbers);
    free(pack->old_numbers);
    free(pack->stack_numbers);
    free(pack->stacks.list);
    free(pack->old_stacks.list);
    free(pack->counters);
    call_path_free(&pack->path);
    free(pack);
}
