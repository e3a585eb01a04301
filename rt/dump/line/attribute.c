/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The line of an allocation. */
#include "dump/line/attribute.h"

#include "base/hash.h"
#include "dump/base/memory.h"
#include "dump/base/names.h"
#include "dump/line/call_path.h"
#include "dump/line/pass_through.h"

#include <stdlib.h>
#include <string.h>

/* What the rows and stacks of a report borrow. */
struct attributed {
    struct report_stack *stacks;
    size_t count;
    struct site_view *origins; /* of each stack */
    struct place *callers;     /* likewise */
    struct place **chains;     /* of their rows; NULL: as it was */
    struct report_caller *shares;
    struct string_pool strings;
};

struct attribution {
    const struct symbolizer *symbolizer;
    struct report *report;
    struct attributed *made;
    struct number_map known; /* flags, by the place's pointers */
    struct call_path path;
};

/* The texts of places stand in one place each, or nearly so. */
static uint64_t flags_of(struct attribution *attribution, const struct path_place *place) {
    const struct pass_through *passing = attribution->symbolizer->passing;
    uint64_t key = hash_number(hash_number(0, (uintptr_t)place->function), (uintptr_t)place->file);
    key = hash_number(hash_number(key, (uintptr_t)place->module), place->line);
    const uint64_t *known = number_map_find(&attribution->known, key);
    if (known)
        return *known;
    uint64_t flags = pass_through_flags(passing, &attribution->symbolizer->line, place);
    number_map_add(&attribution->known, key, flags);
    return flags;
}

/* Returns the number of places, count, if there is none. */
static size_t next_place(struct attribution *attribution, size_t from, size_t count, uint64_t flags) {
    const struct path_place *places = attribution->path.places;
    while (from < count && (!places[from].function || flags_of(attribution, &places[from]) & flags))
        from++;
    return from;
}

static size_t outermost_of_program(struct attribution *attribution, size_t count) {
    for (size_t i = count; i-- > 0;)
        if (next_place(attribution, i, count, PASS_LIBRARY) == i)
            return i;
    return count;
}

static size_t choose(struct attribution *attribution, size_t count) {
    if (attribution->symbolizer->line.choice == LINE_SITE)
        return 0;
    if (attribution->symbolizer->line.choice == LINE_LIBRARY) {
        size_t program = next_place(attribution, 0, count, PASS_LIBRARY);
        return program && program < count ? program - 1 : program;
    }
    size_t chosen = next_place(attribution, 0, count, PASS_THROUGH);
    return chosen < count ? chosen : outermost_of_program(attribution, count);
}

static struct place place_of(const struct path_place *from) {
    return (struct place){from->function, from->file, from->line, from->column};
}

static const char *callee_of(struct attribution *attribution, size_t chosen) {
    const struct path_place *places = attribution->path.places;
    if (chosen == 0)
        return places[0].callee;
    char *base = function_base_copy(places[chosen - 1].function);
    const char *callee = string_keep(&attribution->made->strings, base);
    free(base);
    return callee;
}

static uint64_t hash_text_of(uint64_t state, const char *text) {
    return stable_hash_text(state, text ? text : "", text ? strlen(text) : 0);
}

static uint64_t hash_place(uint64_t state, const struct place *place) {
    state = hash_text_of(hash_text_of(state, place->file), place->function);
    return stable_hash_number(state, (uint64_t)place->line << 32 | place->column);
}

/* The same in every run of one build. */
static uint64_t id_of(const struct site_view *view) {
    uint64_t state = hash_place(stable_hash_begin(), &view->at);
    state = hash_text_of(hash_text_of(state, view->callee), view->module);
    for (size_t i = 0; i < view->inlined_count; i++)
        state = hash_place(state, &view->inlined[i]);
    return stable_hash_end(stable_hash_number(state, view->backing));
}

/* Returns the number of the last call in the code of the function that has the chosen one inlined. */
static size_t end_of_chain(const struct call_path *path, size_t chosen) {
    while (chosen + 1 < path->count && path->places[chosen].is_inlined)
        chosen++;
    return chosen;
}

/* The functions that the one with the line was inlined into. */
static void set_chain(struct attribution *attribution, struct site_view *view, size_t number, size_t chosen) {
    const struct call_path *path = &attribution->path;
    size_t end = end_of_chain(path, chosen);
    struct place *chain = attribution->made->chains[number] = memory_zeros(end - chosen, sizeof *chain);
    for (size_t i = chosen; i < end; i++)
        chain[i - chosen] = place_of(&path->places[i + 1]);
    view->inlined = chain;
    view->inlined_count = end - chosen;
}

static void set_view(struct attribution *attribution, struct site_view *view, size_t number, size_t chosen) {
    const struct path_place *place = &attribution->path.places[chosen];
    view->at = place_of(place);
    view->callee = callee_of(attribution, chosen);
    if (place->module) {
        view->module = place->module;
        view->build_id = place->build_id;
    }
    view->sited |= pass_through_is_compiled(attribution->symbolizer->passing, place);
    view->address = view->sited ? 0 : place->returns;
    set_chain(attribution, view, number, chosen);
    view->id = id_of(view);
}

/* The call of the function that has the line's code, by code that is not a library's. */
static void set_caller(struct attribution *attribution, size_t number, size_t chosen, size_t count) {
    const struct path_place *places = attribution->path.places;
    struct report_stack *stack = &attribution->made->stacks[number];
    size_t end = end_of_chain(&attribution->path, chosen);
    size_t caller = next_place(attribution, end + 1, count, PASS_LIBRARY);
    if (caller >= count)
        return;
    attribution->made->callers[number] = place_of(&places[caller]);
    stack->caller = &attribution->made->callers[number];
}

static bool is_asked(const struct symbolizer *symbolizer) {
    const struct line_options *line = &symbolizer->line;
    return line->choice != LINE_AUTO || line->skip[0] || line->stop[0];
}

/* Where no stack was kept, the plugin has attributed the site. */
static void attribute_stack(struct attribution *attribution, size_t number) {
    struct report_stack *stack = &attribution->made->stacks[number];
    struct site_view *view = &stack->site->view;
    attribution->made->origins[number] = *view;
    stack->origin = &attribution->made->origins[number];
    if (!stack->frame_count && !is_asked(attribution->symbolizer))
        return;
    call_path_make(&attribution->path, view, stack, attribution->symbolizer);
    size_t count = call_path_to_main(&attribution->path), chosen = choose(attribution, count);
    if (chosen == count)
        return;
    if (chosen > 0)
        set_view(attribution, view, number, chosen);
    set_caller(attribution, number, chosen, count);
}

static void take_off(struct counters *rest, const struct counters *part) {
#define TAKE_OFF(name) rest->name -= part->name;
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

/* For what of a row is in no stack. Uses the positions of rows, which report_prepare sets anew. */
static void add_stacks(struct attribution *attribution) {
    struct report *report = attribution->report;
    struct counters *rests = memory_zeros(report->site_count, sizeof *rests);
    bool *has_stacks = memory_zeros(report->site_count, sizeof *has_stacks);
    for (size_t i = 0; i < report->site_count; i++) {
        report->sites[i]->position = i;
        rests[i] = report->sites[i]->counters;
    }
    for (size_t i = 0; i < report->stack_count; i++) {
        size_t row = report->stacks[i].site->position;
        take_off(&rests[row], &report->stacks[i].counters);
        has_stacks[row] = true;
    }
    for (size_t i = 0; i < report->site_count; i++)
        if (!has_stacks[i] || has_any(&rests[i]))
            attribution->made->stacks[attribution->made->count++] =
                (struct report_stack){.site = report->sites[i], .counters = rests[i]};
    free(rests);
    free(has_stacks);
}

static void take_stacks(struct attribution *attribution) {
    struct report *report = attribution->report;
    struct attributed *made = attribution->made;
    size_t most = report->stack_count + report->site_count;
    made->stacks = memory_zeros(most, sizeof *made->stacks);
    made->origins = memory_zeros(most, sizeof *made->origins);
    made->callers = memory_zeros(most, sizeof *made->callers);
    made->chains = memory_zeros(most, sizeof *made->chains);
    for (size_t i = 0; i < report->stack_count; i++)
        made->stacks[i] = report->stacks[i];
    for (size_t i = 0; i < report->phase_count; i++)
        if (report->phases[i].stack)
            report->phases[i].stack = made->stacks + (report->phases[i].stack - report->stacks);
    made->count = report->stack_count;
    add_stacks(attribution);
}

static void load_passing(struct symbolizer *symbolizer, const struct report *report) {
    if (!symbolizer->passing)
        symbolizer->passing = memory_zeros(1, sizeof *symbolizer->passing);
    pass_through_load(symbolizer->passing, report, &symbolizer->search);
}

/* Phases are of the part of a row that is in no stack, too. */
static void show_stacks(struct attribution *attribution) {
    struct report *report = attribution->report;
    struct attributed *made = attribution->made;
    size_t before = report->stack_count;
    report->stacks = made->stacks;
    report->stack_count = made->count;
    report->callers = made->shares = memory_zeros(made->count, sizeof *report->callers);
    for (size_t i = before; i < made->count; i++)
        report->stacks[i].site->position = i;
    for (size_t i = 0; i < report->phase_count; i++) {
        struct report_phase *phase = &report->phases[i];
        size_t stack = phase->site->position;
        if (!phase->stack && stack >= before && report->stacks[stack].site == phase->site)
            phase->stack = &report->stacks[stack];
    }
}

void attribute_report(struct symbolizer *symbolizer, struct report *report) {
    if (!report->stack_count && !is_asked(symbolizer))
        return;
    struct attribution *attribution = memory_zeros(1, sizeof *attribution);
    attribution->symbolizer = symbolizer;
    attribution->report = report;
    attribution->made = report->attributed = memory_zeros(1, sizeof *attribution->made);
    load_passing(symbolizer, report);
    take_stacks(attribution);
    for (size_t i = 0; i < attribution->made->count; i++)
        attribute_stack(attribution, i);
    if (report->stack_count)
        show_stacks(attribution);
    number_map_free(&attribution->known);
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
