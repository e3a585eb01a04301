/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the forms of groups for people have in common. */
#include "groups_write.h"

#include "../lib/place.h"
#include "../lib/report_names.h"
#include "../lib/report_summary.h"

#include <string.h>

bool groups_have_before(const struct groups *groups) {
    static const struct counters nothing;
    return memcmp(&groups->before_reset, &nothing, sizeof nothing) != 0;
}

void groups_put_before(const struct page *page, const struct groups *groups) {
    const struct report before = {.totals = {.counters = groups->before_reset}};
    summary_totals(&(struct page){.out = page->out, .report = &before});
    out_text(page->out, " before the last reset, which the rows have and the total has not");
}

static void put_thread(const struct page *page, const struct group_key *key) {
    if (key->name) {
        page_code(page, key->name);
    } else {
        out_text(page->out, "thread ");
        out_u64(page->out, key->number);
    }
    if (!page->report->several.count)
        return;
    out_text(page->out, " of pid ");
    out_u64(page->out, key->pid);
}

static void put_place(const struct page *page, const struct group_key *key) {
    const struct place place = {.file = key->name, .line = (uint32_t)key->number};
    const char *quote = page->is_markdown ? "`" : "";
    out_text(page->out, key->is_module ? "unsited in " : "");
    out_text(page->out, quote);
    place_write(page->out, &place, page->report->directory);
    out_text(page->out, quote);
}

static void put_function(const struct page *page, const char *name) {
    char text[NAME_SIZE];
    name_function(text, name);
    page_code(page, text);
}

void groups_put_key(const struct page *page, enum group_by by, const struct group_key *key) {
    bool is_place = key->is_module || by == BY_MODULE || by == BY_FILE || by == BY_LINE;
    if (by == BY_THREAD)
        put_thread(page, key);
    else if (is_place)
        put_place(page, key);
    else if (by == BY_FUNCTION)
        put_function(page, key->name);
    else if (key->name)
        page_code(page, key->name);
    else
        out_text(page->out, by == BY_PHASE ? "(no phase)" : by == BY_TYPE ? "(unknown type)" : "unknown");
}

void groups_put_hidden(const struct page *page, const struct groups *groups) {
    size_t count = groups->count - groups->shown;
    page_count(page, count, " more ", " more ");
    out_text(page->out, group_by_name(groups->by));
    out_text(page->out, count == 1 ? "" : "s");
}

void groups_write(struct out *out, const struct groups *groups, const struct report *report,
                  enum report_format format) {
    static void (*const writers[])(struct out *, const struct groups *, const struct report *) = {
        [FORMAT_TEXT] = groups_text,
        [FORMAT_JSON] = groups_json,
        [FORMAT_CSV] = groups_csv,
        [FORMAT_MARKDOWN] = groups_markdown,
    };
    writers[format](out, groups, report);
}
