/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Matches sites of two reports. */
#include "dump/compare/diff.h"

#include "base/arrays.h"
#include "base/path.h"
#include "dump/base/memory.h"
#include "model/report.h"

#include <stdlib.h>
#include <string.h>

typedef int compare_function(const struct join_site *, const struct join_site *);
typedef void pair_function(struct join_site **old, size_t old_count, struct join_site **new,
                           size_t new_count);

/* A matching rule: sites with equal keys form a group and are matched within it. */
struct pass {
    compare_function *key;
    pair_function *pair;
    bool is_for_edited; /* only for sites; leaves matched sites in the group */
    bool is_by_caller;  /* orders sites by the call in the outermost function */
};

/* Rows by stack. */
static int by_way(const struct join_site *a, const struct join_site *b) {
    return compare_names(a->site->way, b->site->way);
}

static int by_stack(const struct join_site *a, const struct join_site *b) {
    return by_way(a, b) ?: (a->site->way ? order_stacks(a->site->main_stack, b->site->main_stack, 0) : 0);
}

static int by_id_and_module(const struct join_site *a, const struct join_site *b) {
    return compare_u64(!a->site->view.sited, !b->site->view.sited)
               ?: compare_u64(a->site->view.id, b->site->view.id)
               ?: compare_names(a->module, b->module) ?: by_stack(a, b);
}

/* Addresses differ between builds: a caller is identified by its function, or by its address if it has
 * none. */
static int compare_callers(const struct join_site *a, const struct join_site *b) {
    const struct site_view *left = &a->site->view, *right = &b->site->view;
    int order = compare_names(a->module, b->module)
                    ?: compare_u64(!left->address, !right->address)
                    ?: compare_names(left->at.function, right->at.function);
    return order || left->at.function ? order : compare_u64(left->address, right->address);
}

static int by_id_or_module(const struct join_site *a, const struct join_site *b) {
    int order = compare_u64(!a->site->view.sited, !b->site->view.sited) ?: by_way(a, b);
    if (order)
        return order;
    if (a->site->view.sited)
        return compare_u64(a->site->view.id, b->site->view.id);
    return compare_callers(a, b);
}

static int by_call(const struct join_site *a, const struct join_site *b) {
    const struct site_view *left = &a->site->view, *right = &b->site->view;
    return compare_names(left->at.function, right->at.function)
               ?: compare_names(left->callee, right->callee)
               ?: compare_names(path_base(left->at.file), path_base(right->at.file)) ?: by_way(a, b);
}

static int by_call_and_chain(const struct join_site *a, const struct join_site *b) {
    const struct site_view *left = &a->site->view, *right = &b->site->view;
    int order = by_call(a, b) ?: compare_u64(left->inlined_count, right->inlined_count);
    for (size_t i = 0; !order && i < left->inlined_count; i++)
        order = compare_names(left->inlined[i].function, right->inlined[i].function);
    return order;
}

static int by_place(const struct place *a, const struct place *b) {
    return compare_u64(a->line, b->line) ?: compare_u64(a->column, b->column);
}

/* Compares from the outermost call inwards. A total order, so that the result does not depend on the order of
 * files. */
static int in_code(const struct join_site *a, const struct join_site *b) {
    const struct site_view *left = &a->site->view, *right = &b->site->view;
    int order = by_place(a->at, b->at) ?: compare_u64(left->inlined_count, right->inlined_count);
    for (size_t i = left->inlined_count; !order && i-- > 0;)
        order = by_place(&left->inlined[i], &right->inlined[i]);
    return order ?: by_place(&left->at, &right->at)
                 ?: compare_u64(left->id, right->id)
                 ?: compare_names(left->module, right->module) ?: by_stack(a, b);
}

static int by_key_in_code(const void *a, const void *b, void *key) {
    const struct join_site *left = *(struct join_site *const *)a, *right = *(struct join_site *const *)b;
    return (*(compare_function **)key)(left, right) ?: in_code(left, right);
}

static void make_partners(struct join_site *old, struct join_site *new) {
    old->partner = new;
    new->partner = old;
}

static void pair_as_they_come(struct join_site **old, size_t old_count, struct join_site **new,
                              size_t new_count) {
    for (size_t i = 0; i < old_count && i < new_count; i++)
        make_partners(old[i], new[i]);
}

static void pair_edited(struct join_site **old, size_t old_count, struct join_site **new, size_t new_count) {
    size_t old_free = 0, new_free = 0;
    for (size_t i = 0; i < old_count; i++)
        old_free += !old[i]->partner;
    for (size_t i = 0; i < new_count; i++)
        new_free += !new[i]->partner;
    if (old_free && new_free)
        diff_align(old, old_count, new, new_count);
}

/* The sites of one report to which the rule applies, sorted. */
static struct join_site **sort_side(struct join_side *side, const struct pass *pass, size_t *count) {
    struct join_site **sorted = memory_zeros(side->count, sizeof *sorted);
    compare_function *key = pass->key;
    *count = 0;
    for (size_t i = 0; i < side->count; i++) {
        struct join_site *site = &side->sites[i];
        const struct site_view *view = &site->site->view;
        if (pass->is_for_edited ? !view->sited : site->partner != NULL)
            continue;
        bool is_inlined = pass->is_by_caller && view->inlined_count;
        site->at = is_inlined ? &view->inlined[view->inlined_count - 1] : &view->at;
        sorted[(*count)++] = site;
    }
    qsort_r(sorted, *count, sizeof(struct join_site *), by_key_in_code, &key);
    return sorted;
}

static size_t group_size(struct join_site **sites, size_t count, compare_function *key) {
    size_t size = 1;
    while (size < count && key(sites[0], sites[size]) == 0)
        size++;
    return size;
}

static void pair_groups(const struct pass *pass, struct join_site **old, size_t old_count,
                        struct join_site **new, size_t new_count) {
    for (size_t i = 0, j = 0; i < old_count && j < new_count;) {
        int order = pass->key(old[i], new[j]);
        size_t old_size = order > 0 ? 0 : group_size(old + i, old_count - i, pass->key);
        size_t new_size = order < 0 ? 0 : group_size(new + j, new_count - j, pass->key);
        if (order == 0)
            pass->pair(old + i, old_size, new + j, new_size);
        i += old_size;
        j += new_size;
    }
}

static void run_pass(const struct pass *pass, struct join_side *old, struct join_side *new) {
    size_t old_count, new_count;
    struct join_site **old_sorted = sort_side(old, pass, &old_count);
    struct join_site **new_sorted = sort_side(new, pass, &new_count);
    pair_groups(pass, old_sorted, old_count, new_sorted, new_count);
    free(old_sorted);
    free(new_sorted);
}

/* Compared builds seldom have equal paths, and often the programs have different names. */
static const char *module_name(const struct report *report, const char *module) {
    bool is_program = module && report->program && strcmp(module, report->program) == 0;
    return is_program ? "/" : path_base(module);
}

static void open_side(struct join_side *side) {
    const struct report *report = side->report;
    side->count = report->counted;
    side->sites = memory_zeros(side->count, sizeof *side->sites);
    for (size_t i = 0; i < side->count; i++) {
        const struct report_site *site = report->sites[i];
        side->sites[i] = (struct join_site){.site = site, .module = module_name(report, site->view.module)};
    }
}

void join_sides(struct join_side *old, struct join_side *new) {
    static const struct pass passes[] = {
        {.key = by_id_and_module, .pair = pair_as_they_come},
        {.key = by_id_or_module, .pair = pair_as_they_come},
        {.key = by_call_and_chain, .pair = pair_edited, .is_for_edited = true, .is_by_caller = true},
        {.key = by_call, .pair = pair_edited, .is_for_edited = true},
    };
    open_side(old);
    open_side(new);
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
        run_pass(&passes[i], old, new);
}

void join_free(struct join_side *side) {
    free(side->sites);
}

bool join_is_other_place(const struct place *a, const struct place *b) {
    return by_place(a, b) != 0 || compare_names(a->function, b->function) != 0 ||
           compare_names(path_base(a->file), path_base(b->file)) != 0;
}

bool join_is_moved(const struct report_site *old, const struct report_site *new) {
    const struct site_view *a = &old->view, *b = &new->view;
    if (join_is_other_place(&a->at, &b->at) || a->inlined_count != b->inlined_count)
        return true;
    for (size_t i = 0; i < a->inlined_count; i++)
        if (join_is_other_place(&a->inlined[i], &b->inlined[i]))
            return true;
    return false;
}

/* ---- Matching the calls of a function with those of an edited version: the heaviest pairing without
 * crossings, by dynamic programming as for the longest common subsequence. */

/* The weight of a pair. In this order, it prefers pairings that keep existing partners, have more pairs, move
 * more pairs by the same number of lines, and move calls less. The total for ALIGN_CELLS_MAX cells is below
 * 2^63. */
#define WEIGHT_PARTNERS  ((int64_t)1 << 50)
#define WEIGHT_PAIR      ((int64_t)1 << 40)
#define WEIGHT_COMPANION ((int64_t)1 << 18)
#define FARTHEST         ((int64_t)1 << 16)
#define COMPANIONS_MAX   1024

/* Offset that keeps moves non-negative. */
#define UNMOVED (UINT64_C(1) << 32)

struct aligning {
    struct join_site **old, **new;
    size_t old_count, new_count;
    uint64_t *moves; /* for each similar pair its move in lines plus UNMOVED, sorted */
    size_t move_count;
    int64_t *best; /* weight of the best pairing of the first i and first j calls */
};

static uint64_t move_of(const struct join_site *old, const struct join_site *new) {
    return UNMOVED + new->at->line - old->at->line;
}

static bool is_alike(const struct join_site *old, const struct join_site *new) {
    const char *was = old->site->view.type, *is = new->site->view.type;
    bool is_same_type = strcmp(was ? was : "", is ? is : "") == 0;
    return is_same_type && old->at->column == new->at->column;
}

static void collect_moves(struct aligning *all) {
    for (size_t i = 0; i < all->old_count; i++)
        for (size_t j = 0; j < all->new_count; j++)
            if (!all->old[i]->partner && !all->new[j]->partner && is_alike(all->old[i], all->new[j]))
                all->moves[all->move_count++] = move_of(all->old[i], all->new[j]);
    qsort(all->moves, all->move_count, sizeof *all->moves, compare_first_u64);
}

/* 0: not a possible pair. */
static int64_t weight_of_pair(const struct aligning *all, const struct join_site *old,
                              const struct join_site *new) {
    if (old->partner || new->partner)
        return old->partner == new ? WEIGHT_PARTNERS : 0;
    uint64_t move = move_of(old, new);
    int64_t distance = (int64_t)(move < UNMOVED ? UNMOVED - move : move - UNMOVED);
    const size_t size = sizeof *all->moves;
    size_t companions = sorted_up_to(all->moves, all->move_count, size, 0, move) -
                        sorted_below(all->moves, all->move_count, size, 0, move);
    if (companions > COMPANIONS_MAX)
        companions = COMPANIONS_MAX;
    return WEIGHT_PAIR + (int64_t)companions * WEIGHT_COMPANION +
           (distance < FARTHEST ? FARTHEST - distance : 0);
}

static int64_t *best_of(const struct aligning *all, size_t i, size_t j) {
    return &all->best[i * (all->new_count + 1) + j];
}

static void fill_best(struct aligning *all) {
    for (size_t i = 1; i <= all->old_count; i++)
        for (size_t j = 1; j <= all->new_count; j++) {
            int64_t pair = weight_of_pair(all, all->old[i - 1], all->new[j - 1]);
            int64_t most = *best_of(all, i - 1, j), other = *best_of(all, i, j - 1);
            if (other > most)
                most = other;
            if (pair && *best_of(all, i - 1, j - 1) + pair > most)
                most = *best_of(all, i - 1, j - 1) + pair;
            *best_of(all, i, j) = most;
        }
}

static void take_pairs(struct aligning *all) {
    for (size_t i = all->old_count, j = all->new_count; i && j;) {
        int64_t best = *best_of(all, i, j);
        if (best == *best_of(all, i - 1, j))
            i--;
        else if (best == *best_of(all, i, j - 1))
            j--;
        else {
            i--, j--;
            make_partners(all->old[i], all->new[j]);
        }
    }
}

static void pair_in_order(const struct aligning *all) {
    for (size_t i = 0, j = 0; i < all->old_count; i++) {
        if (all->old[i]->partner)
            continue;
        while (j < all->new_count && all->new[j]->partner)
            j++;
        if (j == all->new_count)
            return;
        make_partners(all->old[i], all->new[j]);
    }
}

void diff_align(struct join_site **old, size_t old_count, struct join_site **new, size_t new_count) {
    struct aligning all = {.old = old, .new = new, .old_count = old_count, .new_count = new_count};
    if (old_count + 1 > ALIGN_CELLS_MAX / (new_count + 1)) {
        pair_in_order(&all);
        return;
    }
    size_t cells = (old_count + 1) * (new_count + 1);
    all.moves = memory_zeros(cells, sizeof *all.moves);
    all.best = memory_zeros(cells, sizeof *all.best);
    collect_moves(&all);
    fill_best(&all);
    take_pairs(&all);
    free(all.moves);
    free(all.best);
}
