/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The line of an allocation. */
#include "dump/line/attribute.h"

#include "base/hash.h"
#include "base/path.h"
#include "dump/base/memory.h"
#include "dump/base/names.h"
#include "dump/line/chooser.h"
#include "dump/line/pass_through.h"
#include "names/names.h"

#include <stdlib.h>
#include <string.h>

/* Memory that the rows and stacks of a report borrow. */
struct attributed {
    struct report_stack *stacks;
    size_t count;
    struct site_view *origins; /* one for each stack */
    struct place *callers;     /* STACK_CALLERS for each stack */
    struct place **chains;     /* inlined functions of each origin; NULL: unchanged */
    struct report_caller *shares;
    struct string_pool strings;
};

struct attribution {
    struct report *report;
    struct attributed *made;
    struct line_chooser chooser;
    struct number_map callees;   /* callees of functions, keys and values are addresses of strings */
    struct number_map addresses; /* of rows without a site, by id */
};

static struct place place_of(const struct path_place *from) {
    return (struct place){from->function, from->file, from->line, from->column};
}

char *attribute_callee(const char *function) {
    char *base = function_base_copy(function), name[NAME_SIZE];
    if (!base || !strstr(base, "operator"))
        return base;
    free(base);
    name_function(name, function, SIZE_MAX);
    return memory_text("%s", name);
}

static const char *callee_of(struct attribution *attribution, size_t chosen) {
    const struct path_place *places = attribution->chooser.path.places;
    if (chosen == 0)
        return places[0].callee;
    const char *function = places[chosen - 1].function;
    const uint64_t *known = number_map_find(&attribution->callees, (uintptr_t)function);
    if (known)
        return (const char *)(uintptr_t)*known;
    char *name = attribute_callee(function);
    const char *callee = string_keep(&attribution->made->strings, name);
    number_map_add(&attribution->callees, (uintptr_t)function, (uintptr_t)callee);
    free(name);
    return callee;
}

static uint64_t hash_text_of(uint64_t state, const char *text) {
    return stable_hash_text(state, text ? text : "", text ? strlen(text) : 0);
}

/* Hashes the line relative to the function's first line, so that edits above the function do not change the
 * id. If the first line is unknown, hashes the line in the file: an offset from another row's line would
 * differ between runs. */
static uint64_t hash_place(const struct symbolizer *symbolizer, const struct site_view *view, uint64_t state,
                           const struct place *place) {
    uint64_t line = place->line - symbolizer_start(symbolizer, view, place);
    state = hash_text_of(hash_text_of(state, place->file ? path_base(place->file) : NULL), place->function);
    return stable_hash_number(state, line << 32 | place->column);
}

/* Returns an id that is the same in every run of a build, and in other builds while the functions are
 * unchanged. Folders are not hashed, because builds can differ in them. */
static uint64_t id_of(const struct symbolizer *symbolizer, const struct site_view *view) {
    uint64_t state = hash_place(symbolizer, view, stable_hash_begin(), &view->at);
    state = hash_text_of(hash_text_of(state, view->callee), view->type);
    if (!view->sited)
        state = hash_text_of(state, view->module ? path_base(view->module) : NULL);
    for (size_t i = 0; i < view->inlined_count; i++)
        state = hash_place(symbolizer, view, state, &view->inlined[i]);
    return stable_hash_end(stable_hash_number(state, view->outside_totals + view->mapping));
}

/* Returns the last place of the function that the chosen place is inlined into; the chosen place if it is not
 * inlined. */
static size_t end_of_chain(const struct call_path *path, size_t chosen) {
    while (chosen + 1 < path->count && path->places[chosen].is_inlined)
        chosen++;
    return chosen;
}

/* Sets the functions that the chosen place was inlined into. */
static void set_chain(struct attribution *attribution, struct site_view *view, size_t number, size_t chosen) {
    const struct call_path *path = &attribution->chooser.path;
    size_t end = end_of_chain(path, chosen);
    struct place *chain = attribution->made->chains[number] = memory_zeros(end - chosen, sizeof *chain);
    for (size_t i = chosen; i < end; i++)
        chain[i - chosen] = place_of(&path->places[i + 1]);
    view->inlined = chain;
    view->inlined_count = end - chosen;
}

static void set_view(struct attribution *attribution, struct site_view *view, size_t number, size_t chosen) {
    const struct path_place *place = &attribution->chooser.path.places[chosen];
    view->at = place_of(place);
    view->callee = callee_of(attribution, chosen);
    if (place->module) {
        view->module = place->module;
        view->build_id = place->build_id;
    }
    view->sited |= pass_through_is_compiled(attribution->chooser.symbolizer->passing, place);
    view->address = view->sited ? 0 : place->returns;
    set_chain(attribution, view, number, chosen);
}

static bool has_place(const struct place *places, size_t count, const struct place *place) {
    for (size_t i = 0; i < count; i++)
        if (places[i].line == place->line && places[i].function == place->function &&
            places[i].file == place->file)
            return true;
    return false;
}

/* Sets the callers of the function with the chosen place, without library code. */
static void set_callers(struct attribution *attribution, size_t number, size_t chosen, size_t count) {
    struct line_chooser *chooser = &attribution->chooser;
    struct report_stack *stack = &attribution->made->stacks[number];
    struct place *callers = &attribution->made->callers[number * STACK_CALLERS];
    size_t known = 0, at = end_of_chain(&chooser->path, chosen);
    while (known < STACK_CALLERS && (at = line_chooser_next(chooser, at + 1, count, PASS_LIBRARY)) < count) {
        callers[known] = place_of(&chooser->path.places[at]);
        known += !has_place(callers, known, &callers[known]);
    }
    stack->callers = callers;
    stack->caller_count = known;
}

/* Copies of one call, which loops and inlined functions have, are one row if their line is known. The row has
 * the address of the first copy. */
static void set_id(struct attribution *attribution, struct site_view *view) {
    view->id = id_of(attribution->chooser.symbolizer, view);
    if (view->address && view->at.line && !number_map_add(&attribution->addresses, view->id, view->address))
        view->address = *number_map_find(&attribution->addresses, view->id);
}

static void attribute_stack(struct attribution *attribution, size_t number) {
    struct report_stack *stack = &attribution->made->stacks[number];
    struct site_view *view = &stack->site->view;
    attribution->made->origins[number] = *view;
    stack->origin = &attribution->made->origins[number];
    size_t count, chosen = line_chooser_take(&attribution->chooser, view, stack, &count);
    const char *type = line_chooser_type(&attribution->chooser, view);
    bool is_other = !is_same_text(type, view->type), is_caller = chosen > 0 && chosen < count;
    view->type = type;
    if (is_caller)
        set_view(attribution, view, number, chosen);
    if (is_caller || is_other || (!view->sited && view->at.line))
        set_id(attribution, view);
    if (chosen == count)
        return;
    set_callers(attribution, number, chosen, count);
}

static void take_off(struct counters *remaining, const struct counters *part) {
#define TAKE_OFF(name) remaining->name -= part->name;
    ALLOCSITE_COUNTED(TAKE_OFF)
#undef TAKE_OFF
}

static bool has_any(const struct counters *counters) {
    uint64_t any = 0;
#define ADD(name) any |= counters->name;
    ALLOCSITE_COUNTED(ADD)
#undef ADD
    return any;
}

/* Adds a stack without frames for each row's part without a stack. Uses the positions of rows, which
 * report_prepare overwrites. */
static void add_stacks(struct attribution *attribution) {
    struct report *report = attribution->report;
    struct counters *remaining = memory_zeros(report->site_count, sizeof *remaining);
    bool *has_stacks = memory_zeros(report->site_count, sizeof *has_stacks);
    for (size_t i = 0; i < report->site_count; i++) {
        report->sites[i]->position = i;
        remaining[i] = report->sites[i]->counters;
    }
    for (size_t i = 0; i < report->stack_count; i++) {
        size_t row = report->stacks[i].site->position;
        take_off(&remaining[row], &report->stacks[i].counters);
        has_stacks[row] = true;
    }
    for (size_t i = 0; i < report->site_count; i++)
        if (!has_stacks[i] || has_any(&remaining[i]))
            attribution->made->stacks[attribution->made->count++] =
                (struct report_stack){.site = report->sites[i], .counters = remaining[i]};
    free(remaining);
    free(has_stacks);
}

static void follow_stack(const struct report_stack **stack, const struct attribution *attribution) {
    if (*stack)
        *stack = attribution->made->stacks + (*stack - attribution->report->stacks);
}

static void take_stacks(struct attribution *attribution) {
    struct report *report = attribution->report;
    struct attributed *made = attribution->made;
    size_t most = report->stack_count + report->site_count;
    made->stacks = memory_zeros(most, sizeof *made->stacks);
    made->origins = memory_zeros(most, sizeof *made->origins);
    made->callers = memory_zeros(most * STACK_CALLERS, sizeof *made->callers);
    made->chains = memory_zeros(most, sizeof *made->chains);
    for (size_t i = 0; i < report->stack_count; i++)
        made->stacks[i] = report->stacks[i];
    for (size_t i = 0; i < report->phase_count; i++)
        follow_stack(&report->phases[i].stack, attribution);
    for (size_t i = 0; i < report->pair_count; i++) {
        follow_stack(&report->pairs[i].owner_stack, attribution);
        follow_stack(&report->pairs[i].by_stack, attribution);
    }
    made->count = report->stack_count;
    add_stacks(attribution);
}

/* Gives the report the new list of stacks. Phases without a stack belong to their row's stack without
 * frames. */
static void show_stacks(struct attribution *attribution) {
    struct report *report = attribution->report;
    struct attributed *made = attribution->made;
    size_t before = report->stack_count;
    report->stacks = made->stacks;
    report->stack_count = made->count;
    for (size_t i = before; i < made->count; i++)
        report->stacks[i].site->position = i;
    for (size_t i = 0; i < report->phase_count; i++) {
        struct report_phase *phase = &report->phases[i];
        size_t stack = phase->site->position;
        if (!phase->stack && stack >= before && report->stacks[stack].site == phase->site)
            phase->stack = &report->stacks[stack];
    }
}

void attribute_remaining(struct report *report) {
    struct attribution attribution = {.report = report};
    attribution.made = report->attributed = memory_zeros(1, sizeof *attribution.made);
    take_stacks(&attribution);
    show_stacks(&attribution);
}

void attribute_report(struct symbolizer *symbolizer, struct report *report) {
    struct attribution *attribution = memory_zeros(1, sizeof *attribution);
    attribution->report = report;
    attribution->made = report->attributed = memory_zeros(1, sizeof *attribution->made);
    line_chooser_begin(&attribution->chooser, symbolizer, report);
    bool has_stacks = report->stack_count != 0;
    take_stacks(attribution);
    for (size_t i = 0; i < attribution->made->count; i++)
        attribute_stack(attribution, i);
    show_stacks(attribution);
    if (has_stacks)
        report->callers = attribution->made->shares =
            memory_zeros(report->stack_count, sizeof *report->callers);
    line_chooser_end(&attribution->chooser);
    number_map_free(&attribution->callees);
    number_map_free(&attribution->addresses);
    free(attribution);
}

void attribute_free(struct report *report) {
    struct attributed *made = report->attributed;
    if (!made)
        return;
    for (size_t i = 0; i < made->count; i++)
        free(made->chains[i]);
    free(made->chains);
    free(made->stacks);
    free(made->origins);
    free(made->callers);
    free(made->shares);
    string_pool_free(&made->strings);
    free(made);
    report->attributed = NULL;
}
