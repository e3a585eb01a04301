/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pairs the calls of one function with those of an edited version of it: the heaviest pairing without
 * crossings, by dynamic programming as in the longest common subsequence. */
#include "diff_align.h"

#include <stdlib.h>
#include <string.h>

/* What a pair weighs: partners that are there stay, then the number of pairs counts, then how many move
 * alike, then how near they are. All of them of ALIGN_CELLS_MAX cells are less than 2^63. */
#define WEIGHT_PARTNERS  ((int64_t)1 << 50)
#define WEIGHT_PAIR      ((int64_t)1 << 40)
#define WEIGHT_COMPANION ((int64_t)1 << 18)
#define FARTHEST         ((int64_t)1 << 16)
#define COMPANIONS_MAX   1024

struct aligning {
    struct join_site **old, **new;
    size_t old_count, new_count;
    int64_t *moves; /* by how many lines each pair that looks alike would move, sorted */
    size_t move_count;
    int64_t *best; /* weight of the best pairing of the first i and the first j */
};

static int64_t move_of(const struct join_site *old, const struct join_site *new) {
    return (int64_t) new->at->line - (int64_t)old->at->line;
}

static bool is_alike(const struct join_site *old, const struct join_site *new) {
    const char *was = old->site->view.type, *is = new->site->view.type;
    bool is_same_type = strcmp(was ? was : "", is ? is : "") == 0;
    return is_same_type && old->at->column == new->at->column;
}

static int compare_moves(const void *a, const void *b) {
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static void collect_moves(struct aligning *all) {
    for (size_t i = 0; i < all->old_count; i++)
        for (size_t j = 0; j < all->new_count; j++)
            if (!all->old[i]->partner && !all->new[j]->partner && is_alike(all->old[i], all->new[j]))
                all->moves[all->move_count++] = move_of(all->old[i], all->new[j]);
    qsort(all->moves, all->move_count, sizeof *all->moves, compare_moves);
}

/* Moves that are below limit. */
static size_t moves_below(const struct aligning *all, int64_t limit) {
    size_t low = 0, high = all->move_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (all->moves[middle] < limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* 0: they cannot be a pair. */
static int64_t weight(const struct aligning *all, const struct join_site *old, const struct join_site *new) {
    if (old->partner || new->partner)
        return old->partner == new ? WEIGHT_PARTNERS : 0;
    int64_t move = move_of(old, new), distance = move < 0 ? -move : move;
    size_t companions = moves_below(all, move + 1) - moves_below(all, move);
    if (companions > COMPANIONS_MAX)
        companions = COMPANIONS_MAX;
    return WEIGHT_PAIR + (int64_t)companions * WEIGHT_COMPANION +
           (distance < FARTHEST ? FARTHEST - distance : 0);
}

static int64_t *best_of(const struct aligning *all, size_t i, size_t j) {
    return &all->best[i * (all->new_count + 1) + j];
}

static void fill(struct aligning *all) {
    for (size_t i = 1; i <= all->old_count; i++)
        for (size_t j = 1; j <= all->new_count; j++) {
            int64_t pair = weight(all, all->old[i - 1], all->new[j - 1]);
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
            all->old[i]->partner = all->new[j];
            all->new[j]->partner = all->old[i];
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
        all->old[i]->partner = all->new[j];
        all->new[j]->partner = all->old[i];
    }
}

static bool is_too_large(size_t old_count, size_t new_count) {
    return old_count + 1 > ALIGN_CELLS_MAX / (new_count + 1);
}

bool align(struct join_site **old, size_t old_count, struct join_site **new, size_t new_count) {
    struct aligning all = {.old = old, .new = new, .old_count = old_count, .new_count = new_count};
    if (is_too_large(old_count, new_count)) {
        pair_in_order(&all);
        return true;
    }
    size_t cells = (old_count + 1) * (new_count + 1);
    all.moves = calloc(cells, sizeof *all.moves);
    all.best = calloc(cells, sizeof *all.best);
    bool is_done = all.moves && all.best;
    if (is_done) {
        collect_moves(&all);
        fill(&all);
        take_pairs(&all);
    }
    free(all.moves);
    free(all.best);
    return is_done;
}
