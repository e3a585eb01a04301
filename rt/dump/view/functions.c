/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions on the call paths of a report, with the allocations made during their calls, and the callers
 * and callees of one function. A path counts once for each function, even if the function recurses. */
#include "dump/view/views.h"

#include "dump/base/memory.h"
#include "dump/line/pass_through.h"
#include "model/filter.h"
#include "write/shown_names.h"

#include <stdlib.h>

struct function {
    struct group_key key;
    struct counters of[ROLES];
    size_t last;     /* number of the last path that includes it */
    bool is_focused; /* the pattern of the focus matches it */
};

struct functions {
    const struct groups *groups;
    const struct symbolizer *symbolizer;
    struct function *list;
    size_t count, capacity;
    struct hash_index by_name;
    struct number_map known; /* number of the function of a place, by the addresses of the place's strings */
    size_t path;             /* number of the current path, starting at 1 */
    struct report_site inclusive, self; /* of the focus */
    bool is_found;
};

static bool is_function(const void *key, const void *context, size_t element) {
    const struct group_key *a = key, *b = &((const struct functions *)context)->list[element].key;
    return a->is_module == b->is_module && is_same_text(a->name, b->name);
}

/* Returns the key of a function; without a name, the key of its module. */
static struct group_key key_of(const struct functions *functions, const struct path_place *place,
                               const struct site_view *site) {
    const struct pass_through *passing = functions->symbolizer->passing;
    bool is_compiled = passing ? pass_through_is_compiled(passing, place) : site->sited;
    return (struct group_key){.name = place->function ? place->function : place->module,
                              .is_unsited = !is_compiled,
                              .is_module = !place->function && place->module};
}

static size_t number_of_key(struct functions *functions, struct group_key key) {
    struct function function = {.key = key};
    struct elements list = {&functions->list, &functions->count, &functions->capacity, sizeof function};
    const char *focus = functions->groups->focus;
    function.is_focused = focus && !key.is_module && filter_is_shown_function(focus, key.name);
    return hash_keep(&functions->by_name, hash_text(key.is_module, key.name), is_function, &function,
                     functions, list);
}

static size_t number_of(struct functions *functions, const struct path_place *place,
                        const struct site_view *site) {
    uintptr_t name = (uintptr_t)(place->function ? place->function : place->module);
    uint64_t key = hash_number(place->function != NULL, name);
    const uint64_t *known = number_map_find(&functions->known, key);
    if (known)
        return *known;
    size_t number = number_of_key(functions, key_of(functions, place, site));
    number_map_add(&functions->known, key, number);
    return number;
}

static void add_to(struct functions *functions, size_t number, enum group_role role,
                   const struct tree_part *part) {
    counters_add(&functions->list[number].of[role], part->counters);
}

/* Adds a path to the caller of the focus: the call after the focus's outermost call. */
static void add_caller(struct functions *functions, const struct tree_part *part, size_t outermost) {
    size_t number = outermost + 1 < part->path->count
                        ? number_of(functions, &part->path->places[outermost + 1], &part->site->view)
                        : number_of_key(functions, (struct group_key){.name = NULL});
    add_to(functions, number, ROLE_CALLER, part);
}

/* Adds a path to the callee of the focus's innermost call, or to self if the line of the allocation is in the
 * focus. */
static void add_callee(struct functions *functions, const struct tree_part *part, size_t innermost) {
    const struct path_place *places = part->path->places;
    const struct path_place line = {.function = part->site->view.at.function,
                                    .module = part->site->view.module};
    const struct path_place allocator = {.function = places[0].callee};
    if (functions->list[number_of(functions, &line, &part->site->view)].is_focused) {
        counters_add(&functions->self.counters, part->counters);
        return;
    }
    const struct path_place *called = innermost ? &places[innermost - 1] : &allocator;
    add_to(functions, number_of(functions, called, &part->site->view), ROLE_CALLEE, part);
}

static void add_focus(struct functions *functions, const struct tree_part *part, size_t innermost,
                      size_t outermost) {
    functions->is_found = true;
    counters_add(&functions->inclusive.counters, part->counters);
    add_caller(functions, part, outermost);
    add_callee(functions, part, innermost);
}

static void add_part(void *context, const struct tree_part *part) {
    struct functions *functions = context;
    const char *filter = functions->groups->filter;
    size_t innermost = SIZE_MAX, outermost = 0;
    if (filter && filter[0] && !filter_matches(filter, &part->site->view))
        return;
    functions->path++;
    for (size_t i = 0; i < part->path->count; i++) {
        size_t number = number_of(functions, &part->path->places[i], &part->site->view);
        struct function *function = &functions->list[number];
        if (function->last != functions->path)
            counters_add(&function->of[ROLE_INCLUSIVE], part->counters);
        function->last = functions->path;
        if (!function->is_focused)
            continue;
        innermost = innermost == SIZE_MAX ? i : innermost;
        outermost = i;
    }
    if (innermost != SIZE_MAX)
        add_focus(functions, part, innermost, outermost);
}

/* ---- Rows of groups. */

/* Enters a row for each function. groups_enter then adds the allocations of the function itself. */
static void enter_functions(struct groups *groups, const struct functions *functions) {
    groups->inclusive = memory_zeros(functions->count + 1, sizeof *groups->inclusive);
    for (size_t i = 0; i < functions->count; i++) {
        groups->inclusive[i] = functions->list[i].of[ROLE_INCLUSIVE];
        groups->rows[groups->count++] =
            (struct group){.key = functions->list[i].key, .inclusive = &groups->inclusive[i]};
    }
}

static void enter_role(struct groups *groups, struct group_key key, enum group_role role,
                       const struct counters *counters) {
    key.role = role;
    if (counters_calls(counters) || counters->live_blocks || counters->peak_blocks)
        groups->rows[groups->count++] = (struct group){.key = key, .sum = {.counters = *counters}};
}

/* Returns the name of the focus, or its pattern if several functions match. */
static struct group_key focus_key(const struct functions *functions) {
    struct group_key key = {.name = NULL};
    for (size_t i = 0; i < functions->count; i++)
        if (functions->list[i].is_focused)
            key = key.name ? (struct group_key){.name = functions->groups->focus} : functions->list[i].key;
    return key;
}

static void enter_focus(struct groups *groups, const struct functions *functions) {
    struct group_key key = focus_key(functions);
    enter_role(groups, key, ROLE_INCLUSIVE, &functions->inclusive.counters);
    enter_role(groups, key, ROLE_SELF, &functions->self.counters);
    for (size_t i = 0; i < functions->count; i++) {
        const struct function *function = &functions->list[i];
        enter_role(groups, function->key, ROLE_CALLER, &function->of[ROLE_CALLER]);
        enter_role(groups, function->key, ROLE_CALLEE, &function->of[ROLE_CALLEE]);
    }
}

/* Adds the names of functions that only call others, because no row of the report has them. */
static void add_names(struct shown_names *names, const struct functions *functions) {
    for (size_t i = 0; names && i < functions->count; i++)
        if (!functions->list[i].key.is_module)
            shown_names_add(names, NAME_FUNCTION, functions->list[i].key.name);
}

bool groups_add_functions(struct groups *groups, const struct report *report,
                          const struct symbolizer *symbolizer) {
    struct functions functions = {.groups = groups, .symbolizer = symbolizer};
    tree_parts(report, (struct tree_extent){.places = SIZE_MAX}, add_part, &functions);
    groups_make_room(groups, ROLES * (functions.count + 1));
    add_names(report->names, &functions);
    if (groups->focus)
        enter_focus(groups, &functions);
    else
        enter_functions(groups, &functions);
    free(functions.list);
    hash_free(&functions.by_name);
    number_map_free(&functions.known);
    return !groups->focus || functions.is_found;
}
