/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Chooses the line of one call path. */
#include "dump/line/chooser.h"

#include "dump/base/memory.h"
#include "dump/line/pass_through.h"
#include "format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Caches flags by the addresses of strings. Equal strings mostly share one address, so few places are
 * computed twice. */
/* Returns the flags of a place of the path (pass_through.h). */
static unsigned flags_of(struct line_chooser *chooser, const struct path_place *place) {
    uint64_t key = hash_number(hash_number(0, (uintptr_t)place->function), (uintptr_t)place->file);
    key = hash_number(hash_number(key, (uintptr_t)place->module), place->line);
    const uint64_t *known = number_map_find(&chooser->known, key);
    if (known)
        return (unsigned)*known;
    const struct symbolizer *symbolizer = chooser->symbolizer;
    unsigned flags = pass_through_flags(symbolizer->passing, &symbolizer->line, place);
    number_map_add(&chooser->known, key, flags);
    return flags;
}

size_t line_chooser_next(struct line_chooser *chooser, size_t from, size_t count, unsigned flags) {
    const struct path_place *places = chooser->path.places;
    while (from < count && (!places[from].function || flags_of(chooser, &places[from]) & flags))
        from++;
    return from;
}

static size_t outermost_of_program(struct line_chooser *chooser, size_t count) {
    for (size_t i = count; i-- > 0;)
        if (line_chooser_next(chooser, i, count, PASS_LIBRARY) == i)
            return i;
    return count;
}

/* Returns the first place with a line that does not pass through; count if there is none. Calls without lines
 * are in initialisers written by a compiler, and in archives without debug information, such as the C library
 * of a static program. */
static size_t first_with_line(struct line_chooser *chooser, size_t count) {
    size_t chosen = line_chooser_next(chooser, 0, count, PASS_THROUGH);
    while (chosen < count && !chooser->path.places[chosen].line)
        chosen = line_chooser_next(chooser, chosen + 1, count, PASS_THROUGH);
    return chosen;
}

/* Returns the place of the row itself. An unsited row is an address that may have called a library: then the
 * library's places come first. */
static size_t place_of_row(const struct call_path *path, const struct site_view *view) {
    size_t index = 0;
    while (index < path->count && view->address && path->places[index].returns != view->address)
        index++;
    return index < path->count ? index : 0;
}

static size_t line_chooser_choose(struct line_chooser *chooser, const struct site_view *view, size_t count) {
    if (chooser->symbolizer->line.choice == LINE_SITE)
        return place_of_row(&chooser->path, view);
    if (chooser->symbolizer->line.choice == LINE_LIBRARY) {
        size_t program = line_chooser_next(chooser, 0, count, PASS_LIBRARY);
        return program && program < count ? program - 1 : program;
    }
    size_t chosen = first_with_line(chooser, count);
    if (chosen == count)
        chosen = line_chooser_next(chooser, 0, count, PASS_THROUGH);
    return chosen < count ? chosen : outermost_of_program(chooser, count);
}

void line_chooser_begin(struct line_chooser *chooser, struct symbolizer *symbolizer,
                        const struct report *report) {
    *chooser = (struct line_chooser){.symbolizer = symbolizer};
    if (!symbolizer->passing)
        symbolizer->passing = memory_zeros(1, sizeof *symbolizer->passing);
    pass_through_load(symbolizer->passing, report, &symbolizer->search);
}

void line_chooser_end(struct line_chooser *chooser) {
    number_map_free(&chooser->known);
    number_map_free(&chooser->types);
    call_path_free(&chooser->path);
}

size_t line_chooser_take(struct line_chooser *chooser, const struct site_view *view,
                         const struct report_stack *stack, size_t *count) {
    call_path_make(&chooser->path, view, stack);
    *count = chooser->path.count;
    return line_chooser_choose(chooser, view, *count);
}

/* ---- The type of the allocated elements. */

static const struct call_type *call_type_at(struct line_chooser *chooser, const struct path_place *place) {
    uint64_t key = hash_number(hash_number(0, (uintptr_t)place->function), (uintptr_t)place->file);
    key = hash_number(key, (uint64_t)place->line << 32 | place->column);
    const uint64_t *known = number_map_find(&chooser->types, key);
    if (known)
        return (const struct call_type *)(uintptr_t)*known;
    const struct place at = {place->function, place->file, place->line, place->column};
    const struct call_type *found = call_types_find(&chooser->symbolizer->passing->types, &at);
    number_map_add(&chooser->types, key, (uintptr_t)found);
    return found;
}

/* Returns the character type that a compiled function of the C++ library's strings allocates; NULL for other
 * functions. */
static const char *type_of_string(struct string_pool *strings, const char *function) {
    static const char *const names[] = {"std::string::", "std::__cxx11::basic_string<", "std::basic_string<"};
    char type[64];
    for (size_t i = 0; function && i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(function, names[i], length) != 0)
            continue;
        function += length;
        snprintf(type, sizeof type, "%.*s", (int)(i ? strcspn(function, ",>") : 4), i ? function : "char");
        return string_keep(strings, type);
    }
    return NULL;
}

/* A call through a pointer to an allocator has only the type of the call itself. */
const char *line_chooser_type(struct line_chooser *chooser, const struct site_view *view) {
    const char *type = view->type;
    if (!type && !view->sited)
        type = type_of_string(&chooser->symbolizer->strings, view->at.function);
    for (size_t i = 0; i < chooser->path.count && allocsite_type_is_raw(type); i++) {
        const struct call_type *call = call_type_at(chooser, &chooser->path.places[i]);
        if (!call || (chooser->symbolizer->line.choice == LINE_SITE && view->type))
            break;
        if (call->type && (i || !view->type) &&
            (!type_is_specific(type) || !allocsite_type_is_raw(call->type)))
            type = call->type;
        if (!call->hands_on)
            break;
    }
    return type;
}

/* ---- The paths of a report's stacks for formats that programs read. */

static const struct report_call *line_paths_take(struct report_paths *paths, const struct report_stack *stack,
                                                 size_t *count, size_t *line) {
    struct line_paths *self = (struct line_paths *)paths; /* its first member */
    const struct site_view *site = stack->origin ? stack->origin : &stack->site->view;
    size_t chosen = line_chooser_take(&self->chooser, site, stack, count);
    *line = chosen < *count ? chosen : 0;
    paths->type = line_chooser_type(&self->chooser, site);
    for (size_t i = 0; i < *count; i++) {
        const struct path_place *place = &self->chooser.path.places[i];
        self->calls[i] = (struct report_call){
            .at = {place->function, place->file, place->line, place->column},
            .module = place->module,
            .address = place->returns,
            .is_inlined = place->is_inlined,
            .passes_through = place->function && flags_of(&self->chooser, place) & PASS_THROUGH,
        };
    }
    return self->calls;
}

struct line_paths *line_paths_make(struct symbolizer *symbolizer, const struct report *report) {
    struct line_paths *self = memory_zeros(1, sizeof *self);
    self->paths.take = line_paths_take;
    line_chooser_begin(&self->chooser, symbolizer, report);
    return self;
}

void line_paths_free(struct line_paths *self) {
    if (!self)
        return;
    line_chooser_end(&self->chooser);
    free(self);
}
