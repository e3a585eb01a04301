/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Allocations as a tree of calls. */
#include "dump/view/tree.h"

#include "base/arrays.h"
#include "base/path.h"
#include "dump/base/memory.h"
#include "dump/base/names.h"
#include "model/filter.h"

#include <stdlib.h>
#include <string.h>

struct child {
    size_t parent;
    const struct path_place *at;
};

/* Nodes share one string pool, so strings are compared by address. */
static bool is_child(const void *key, const void *context, size_t element) {
    const struct child *child = key;
    const struct tree_node *node = &((const struct tree *)context)->nodes[element];
    const struct path_place *a = child->at, *b = &node->at;
    return node->parent == child->parent && a->function == b->function && a->file == b->file &&
           a->callee == b->callee && a->module == b->module && a->address == b->address && a->line == b->line;
}

static uint64_t hash_child(const struct child *child) {
    const struct path_place *at = child->at;
    uint64_t hash = hash_number(child->parent, (uintptr_t)at->function);
    hash = hash_number(hash_number(hash, (uintptr_t)at->file), (uintptr_t)at->module);
    return hash_number(hash_number(hash, at->address), (uintptr_t)at->callee ^ at->line);
}

/* Returns the number of the child node, which is added if it is missing. */
static size_t child_of(struct tree *tree, size_t parent, struct path_place at) {
    struct child key = {parent, &at};
    at.function = string_keep(&tree->strings, at.function);
    at.file = string_keep(&tree->strings, at.file);
    at.callee = string_keep(&tree->strings, at.callee);
    at.module = at.file ? NULL : string_keep(&tree->strings, at.module);
    at.column = at.is_inlined = 0;
    uint64_t hash = hash_child(&key);
    size_t found = hash_find(&tree->index, hash, is_child, &key, tree);
    if (found != HASH_NONE)
        return found;
    memory_grow(&tree->nodes, tree->count, &tree->capacity, sizeof *tree->nodes);
    hash_put(&tree->index, hash, tree->count);
    tree->nodes[tree->count] = (struct tree_node){.at = at, .parent = parent};
    return tree->count++;
}

static void add_amounts(uint64_t amounts[MEASURE_SORTS], const struct counters *counters) {
    const struct report_site sum = {.counters = *counters};
    for (int i = 0; i < MEASURE_SORTS; i++)
        amounts[i] += measure_of(&sum, (enum measure)i);
}

/* Returns whether no part of the row has a stack, in a tree that leaves such rows out. */
static bool is_bare(const struct tree *tree, const struct tree_part *part) {
    return tree->has_stacks_alone && (!part->stack || !part->stack->frame_count) &&
           memcmp(&part->site->counters, part->counters, sizeof *part->counters) == 0;
}

static bool is_asked(const struct tree *tree, const struct site_view *view) {
    return !tree->filter || !tree->filter[0] || filter_matches(tree->filter, view);
}

static void add_part(void *context, const struct tree_part *part) {
    struct tree *tree = context;
    if (!is_asked(tree, &part->site->view))
        return;
    const struct call_path *path = part->path;
    size_t node = 0, count = is_bare(tree, part) ? 0 : path->count;
    add_amounts(tree->nodes[0].amounts, part->counters);
    for (size_t i = 0; i < count; i++) {
        size_t at = tree->is_root_first ? count - 1 - i : i;
        node = child_of(tree, node, path->places[at]);
        add_amounts(tree->nodes[node].amounts, part->counters);
    }
    if (!count) {
        add_amounts(tree->bare_amounts, part->counters);
        tree->bare++;
    }
}

static uint64_t amount_of(const struct tree *tree, size_t node) {
    return tree->nodes[node].amounts[tree->by];
}

/* Orders by parent, then by decreasing amount, then by name. */
static int tree_compare(const void *a, const void *b, void *context) {
    const struct tree *tree = context;
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    const struct tree_node *one = &tree->nodes[left], *other = &tree->nodes[right];
    return compare_u64(one->parent, other->parent)
               ?: compare_u64(amount_of(tree, right), amount_of(tree, left))
               ?: compare_names(one->at.function, other->at.function)
               ?: compare_names(one->at.file, other->at.file) ?: compare_u64(left, right);
}

static bool is_pruned(const struct tree *tree, size_t node) {
    double amount = (double)amount_of(tree, node), whole = (double)amount_of(tree, 0);
    for (int i = 0; i < MEASURE_SORTS; i++)
        if (tree->nodes[node].amounts[i] < tree->least[i])
            return true;
    return amount == 0 || amount * 100 < whole * tree->prune;
}

/* Adds the next child in sort order. Pruned children can come before kept ones, because pruning uses other
 * measures as well, so kept children are moved together. */
static void set_child(struct tree *tree, size_t at) {
    size_t node = tree->children[at];
    struct tree_node *parent = &tree->nodes[tree->nodes[node].parent];
    if (!parent->count && !parent->pruned)
        parent->first = at;
    bool fits = parent != tree->nodes || !tree->top || parent->count < tree->top;
    if (fits && !is_pruned(tree, node)) {
        tree->children[parent->first + parent->count++] = node;
        return;
    }
    parent->pruned++;
    for (int i = 0; i < MEASURE_SORTS; i++)
        parent->pruned_amounts[i] += tree->nodes[node].amounts[i];
}

static void tree_settle(struct tree *tree) {
    size_t count = tree->count - 1;
    tree->children = memory_zeros(count, sizeof *tree->children);
    for (size_t i = 0; i < count; i++)
        tree->children[i] = i + 1;
    qsort_r(tree->children, count, sizeof *tree->children, tree_compare, tree);
    for (size_t i = 0; i < count; i++)
        set_child(tree, i);
}

void tree_make(struct tree *tree, const struct report *report) {
    memory_grow(&tree->nodes, 0, &tree->capacity, sizeof *tree->nodes);
    tree->nodes[tree->count++] = (struct tree_node){.parent = SIZE_MAX};
    tree->has_stacks_alone &= report->walks.depth != 0;
    tree_parts(report, (struct tree_extent){.frames = tree->depth}, add_part, tree);
    tree_settle(tree);
}

void tree_free(struct tree *tree) {
    free(tree->nodes);
    free(tree->children);
    hash_free(&tree->index);
    string_pool_free(&tree->strings);
}

/* ---- The parts of a report, by call path. */

static const struct site_view *origin_of(const struct report_stack *stack) {
    return stack->origin ? stack->origin : &stack->site->view;
}

/* Orders stacks without frames by their rows: their order in a profile can change between runs. */
static int by_row(const void *a, const void *b) {
    const struct report_stack *left = *(struct report_stack *const *)a,
                              *right = *(struct report_stack *const *)b;
    return compare_u64(left->site->position, right->site->position)
               ?: compare_u64(origin_of(left)->id, origin_of(right)->id);
}

static void visit_frameless(const struct report *report, struct call_path *path, tree_visitor *visit,
                            void *context) {
    const struct report_stack **list = memory_zeros(report->stack_count, sizeof *list);
    size_t count = 0;
    for (size_t i = 0; i < report->stack_count; i++)
        if (!report->stacks[i].frame_count && !report->stacks[i].site->view.outside_totals)
            list[count++] = &report->stacks[i];
    sort_list(list, count, sizeof *list, by_row);
    for (size_t i = 0; i < count; i++) {
        call_path_make(path, origin_of(list[i]), list[i]);
        visit(context, &(struct tree_part){path, list[i]->site, list[i], &list[i]->counters});
    }
    free(list);
}

static void visit_stacks(const struct report *report, uint64_t depth, struct call_path *path,
                         tree_visitor *visit, void *context) {
    for (size_t i = 0; i < report->stack_count; i++) {
        struct report_stack stack = report->stacks[i];
        if (!stack.frame_count || stack.site->view.outside_totals)
            continue;
        if (depth && depth < stack.frame_count)
            stack.frame_count = depth;
        call_path_make(path, origin_of(&stack), &stack);
        visit(context,
              &(struct tree_part){path, stack.site, &report->stacks[i], &report->stacks[i].counters});
    }
}

static uint64_t take_off(uint64_t whole, uint64_t part) {
    return whole > part ? whole - part : 0;
}

/* Returns for each row the counters of its part without a stack; NULL: there are no stacks, so this part is
 * the whole row. */
static struct counters *remainders_of(const struct report *report) {
    if (!report->stack_count)
        return NULL;
    struct counters *remainders = memory_zeros(report->counted, sizeof *remainders);
    for (size_t i = 0; i < report->counted; i++)
        remainders[i] = report->sites[i]->counters;
    for (size_t i = 0; i < report->stack_count; i++) {
        const struct report_stack *stack = &report->stacks[i];
        struct counters *of =
            stack->site->position < report->counted ? &remainders[stack->site->position] : NULL;
#define TAKE_OFF(name) of->name = take_off(of->name, stack->counters.name);
        if (of) {
            ALLOCSITE_COUNTED(TAKE_OFF)
        }
#undef TAKE_OFF
    }
    return remainders;
}

static void visit_remainders(const struct report *report, struct call_path *path, tree_visitor *visit,
                             void *context) {
    struct counters *remainders = remainders_of(report);
    for (size_t i = 0; i < report->counted; i++) {
        const struct report_site *site = report->sites[i];
        const struct counters *remainder = remainders ? &remainders[i] : &site->counters;
        bool is_empty = !counters_calls(remainder) && !remainder->live_blocks && !remainder->peak_bytes;
        if (site->view.outside_totals || is_empty)
            continue;
        call_path_make(path, &site->view, NULL);
        visit(context, &(struct tree_part){path, site, NULL, remainder});
    }
    free(remainders);
}

void tree_parts(const struct report *report, struct tree_extent extent, tree_visitor *visit, void *context) {
    struct call_path path = {.most = extent.places};
    visit_stacks(report, extent.frames, &path, visit, context);
    visit_frameless(report, &path, visit, context);
    visit_remainders(report, &path, visit, context);
    call_path_free(&path);
}

/* Returns the name of a function or, if it is unknown, of its module, in the form that budgets use. The
 * caller frees it. */
static char *name_of(const struct path_place *place) {
    if (!place->function)
        return memory_text("%s", place->module ? path_base(place->module) : "?");
    return function_base_copy(place->function);
}

static const char *way_of(struct by_stack *by, const struct call_path *path) {
    char *text = NULL;
    size_t length = 0, capacity = 0;
    for (size_t i = path->count; i-- > 0;) {
        char *name = name_of(&path->places[i]);
        for (const char *at = name; *at; at++) {
            memory_grow(&text, length, &capacity, 1);
            text[length++] = *at;
        }
        free(name);
        memory_grow(&text, length, &capacity, 1);
        text[length++] = i ? ';' : '\0';
    }
    const char *way = string_keep(&by->ways, text);
    free(text);
    return way;
}

static void add_stack_row(void *context, const struct tree_part *part) {
    struct by_stack *by = context;
    memory_grow(&by->rows, by->count, &by->capacity, sizeof *by->rows);
    struct report_site *row = &by->rows[by->count];
    *row = *part->site;
    row->counters = *part->counters;
    row->pair_count = 0;
    row->sizes = NULL;
    row->lifetimes = NULL;
    row->single_stacks = 0;
    row->main_stack = part->stack;
    row->way = way_of(by, part->path);
    row->position = by->count++;
}

static void find_shared(struct by_stack *by) {
    struct number_map first = {0};
    for (size_t i = 0; i < by->count; i++) {
        struct report_site *row = &by->rows[i];
        uint64_t key =
            row->main_stack ? hash_number((uintptr_t)row->main_stack->site, (uintptr_t)row->way) : i;
        row->shares_way = row->main_stack && !number_map_add(&first, key, i);
        if (row->shares_way)
            by->rows[*number_map_find(&first, key)].shares_way = true;
    }
    number_map_free(&first);
}

void by_stack_make(struct by_stack *by, const struct report *report, struct symbolizer *symbolizer) {
    *by = (struct by_stack){.report = *report};
    tree_parts(report, (struct tree_extent){0}, add_stack_row, by);
    find_shared(by);
    by->paths = line_paths_make(symbolizer, report);
    by->report.paths = &by->paths->paths;
    by->sites = memory_zeros(by->count, sizeof *by->sites);
    for (size_t i = 0; i < by->count; i++)
        by->sites[i] = &by->rows[i];
    by->report.sites = by->sites;
    by->report.site_count = by->report.counted = by->report.shown = by->count;
    by->report.reach = false;
    by->report.stack_count = by->report.pair_count = 0;
}

void by_stack_free(struct by_stack *by) {
    free(by->rows);
    free(by->sites);
    line_paths_free(by->paths);
    string_pool_free(&by->ways);
}
