/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The counters, summed up by something else than sites. */
#include "dump/view/groups.h"

#include "base/sort.h"
#include "dump/base/memory.h"
#include "dump/base/modules.h"
#include "dump/view/groups_write.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
    [BY_SITE] = "site", [BY_LINE] = "line",     [BY_FUNCTION] = "function", [BY_FILE] = "file",
    [BY_TYPE] = "type", [BY_MODULE] = "module", [BY_THREAD] = "thread",     [BY_PHASE] = "phase",
};

bool group_by_read(const char *name, enum group_by *by) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) {
            *by = (enum group_by)i;
            return true;
        }
    return false;
}

const char *group_by_name(enum group_by by) {
    return names[by];
}

/* The names of rows are in the pool, once each. */
static bool is_row(const void *key, const void *context, size_t element) {
    const struct groups *groups = context;
    const struct group_key *a = key, *b = &groups->rows[element].key;
    return a->name == b->name && a->is_unsited == b->is_unsited && a->is_module == b->is_module &&
           a->number == b->number && a->pid == b->pid;
}

static uint64_t hash_key(const struct group_key *key) {
    uint64_t hash = hash_number((uintptr_t)key->name, key->number);
    return hash_number(hash_number(hash, key->pid), 2 * key->is_unsited + key->is_module);
}

static struct group *row_for(struct groups *groups, struct group_key key) {
    key.name = string_keep(&groups->strings, key.name);
    uint64_t hash = hash_key(&key);
    size_t found = hash_find(&groups->index, hash, is_row, &key, groups);
    if (found != HASH_NONE)
        return &groups->rows[found];
    memory_grow(&groups->rows, groups->count, &groups->room, sizeof *groups->rows);
    hash_put(&groups->index, hash, groups->count);
    groups->rows[groups->count] = (struct group){.key = key};
    return &groups->rows[groups->count++];
}

static void add(struct groups *groups, struct group_key key, const struct report_site *part) {
    struct group *row = row_for(groups, key);
    counters_add(&row->sum.counters, &part->counters);
    row->sum.lost_blocks += part->lost_blocks;
    row->sum.lost_bytes += part->lost_bytes;
    if (groups->layouts)
        type_use_add_site(&row->use, type_layouts_of(groups->layouts, &part->view), &part->counters);
}

/* Where unsited allocations are made may be known from symbols and debug information. */
static bool is_known(enum group_by by, const struct site_view *view) {
    return by != BY_TYPE && (by == BY_FUNCTION ? view->at.function : view->at.file);
}

static struct group_key key_of_site(enum group_by by, const struct site_view *view) {
    if (by == BY_MODULE)
        return (struct group_key){.name = view->module};
    if (!view->sited && !is_known(by, view))
        return (struct group_key){.name = view->module, .is_unsited = true, .is_module = true};
    switch (by) {
    case BY_FUNCTION:
        return (struct group_key){.name = view->at.function, .is_unsited = !view->sited};
    case BY_TYPE:
        return (struct group_key){.name = view->type};
    case BY_LINE:
        return (struct group_key){.name = view->at.file, .is_unsited = !view->sited, .number = view->at.line};
    default:
        return (struct group_key){.name = view->at.file, .is_unsited = !view->sited};
    }
}

void groups_add_sites(struct groups *groups, const struct report *report) {
    const struct site_view left_out = {.module = ROW_LEFT_OUT};
    for (size_t i = 0; i < report->counted; i++)
        if (!report->sites[i]->view.backing)
            add(groups, key_of_site(groups->by, &report->sites[i]->view), report->sites[i]);
    if (report->left_out)
        add(groups, key_of_site(groups->by, &left_out), &report->hidden);
}

static struct group_key key_of_part(enum group_by by, const struct profile_part *part, uint64_t pid) {
    struct group_key key = {.name = part->is_known ? NULL : ROW_UNNAMED};
    if (by == BY_PHASE && part->is_known)
        key.name = part->phase;
    if (by == BY_THREAD) {
        key.number = part->thread;
        key.pid = pid;
    }
    return key;
}

static void add_parts(struct groups *groups, const struct profile_file *file) {
    for (size_t i = 0; i < file->part_count; i++) {
        const struct profile_part *part = &file->parts[i];
        struct report_site sum = {.counters = part->counters};
        add(groups, key_of_part(groups->by, part, file->pid), &sum);
    }
    counters_add(&groups->before_reset, &file->before_reset);
}

bool groups_add_parts(struct groups *groups, const struct report_source *source, struct reason *why) {
    const char *by = group_by_name(groups->by);
    if (!source->is_profile)
        return reason_set(why, "is a report in JSON: only profiles have %ss", by);
    if (source->profile.is_merged)
        return reason_set(why, "was made by merge: only the profiles that it is of have %ss", by);
    add_parts(groups, &source->profile);
    return true;
}

void groups_free(struct groups *groups) {
    free(groups->rows);
    hash_free(&groups->index);
    string_pool_free(&groups->strings);
}

/* ---- The order of groups, and which of them are shown. */

/* The live bytes of a part are signed. */
static uint64_t live(const struct groups *groups, const struct counters *counters) {
    return group_by_parts(groups->by) ? counters->live_bytes ^ UINT64_C(1) << 63 : counters->live_bytes;
}

static void set_order(const struct groups *groups, struct group *group) {
    const struct counters *counters = &group->sum.counters;
    enum report_sort sort = groups->limits.sort;
    uint64_t live_bytes = live(groups, counters);
    group->order[0] = group->order[1] = 0;
    if (groups->limits.leaks) {
        group->order[0] = group->sum.lost_bytes;
        group->order[1] = live_bytes;
    } else if (sort == SORT_ALLOCS) {
        group->order[0] = counters_calls(counters);
    } else if (sort == SORT_LIVE) {
        group->order[0] = live_bytes;
        group->order[1] = counters->peak_bytes;
    } else if (sort == SORT_PEAK) {
        group->order[0] = counters->peak_bytes;
        group->order[1] = live_bytes;
    }
}

static int compare_keys(const struct group_key *a, const struct group_key *b) {
    return compare_u64(a->is_module, b->is_module)
               ?: compare_u64(a->is_unsited, b->is_unsited)
               ?: compare_text(a->name, b->name)
               ?: compare_u64(a->pid, b->pid) ?: compare_u64(a->number, b->number);
}

/* The larger first; what is equal, and has as many bytes and calls, by name. */
static int compare(const void *a, const void *b) {
    const struct group *left = a, *right = b;
    const struct counters *less = &left->sum.counters, *more = &right->sum.counters;
    return compare_u64(right->order[0], left->order[0])
               ?: compare_u64(right->order[1], left->order[1])
               ?: compare_u64(counters_bytes(more), counters_bytes(less))
               ?: compare_u64(counters_calls(more), counters_calls(less))
               ?: compare_keys(&left->key, &right->key);
}

static bool is_wanted(const struct report_site *sum, const struct report_limits *limits) {
    return counters_bytes(&sum->counters) >= limits->min_bytes &&
           counters_calls(&sum->counters) >= limits->min_allocs &&
           (!limits->leaks || sum->counters.live_blocks);
}

static void add_row(struct report_site *sum, const struct report_site *part) {
    counters_add(&sum->counters, &part->counters);
    sum->lost_blocks += part->lost_blocks;
    sum->lost_bytes += part->lost_bytes;
}

/* Those that are shown come to the front, in their order. */
static void cut(struct groups *groups) {
    const struct report_limits *limits = &groups->limits;
    for (size_t i = 0; i < groups->count; i++) {
        struct group group = groups->rows[i];
        bool fits = !limits->top || groups->shown < limits->top;
        if (!fits || !is_wanted(&group.sum, limits)) {
            add_row(&groups->hidden.sum, &group.sum);
            type_use_add(&groups->hidden.use, &group.use);
            continue;
        }
        groups->rows[i] = groups->rows[groups->shown];
        groups->rows[groups->shown++] = group;
    }
}

void groups_prepare(struct groups *groups, const struct report_limits *limits) {
    groups->limits = *limits;
    for (size_t i = 0; i < groups->count; i++) {
        set_order(groups, &groups->rows[i]);
        add_row(&groups->whole, &groups->rows[i].sum);
        type_use_add(&groups->whole_use, &groups->rows[i].use);
    }
    if (groups->count)
        qsort(groups->rows, groups->count, sizeof *groups->rows, compare);
    cut(groups);
}
