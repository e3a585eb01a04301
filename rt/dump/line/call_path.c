/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Call paths: the calls from an allocation out to the start of the program. */
#include "dump/line/call_path.h"

#include "base/path.h"
#include "dump/base/memory.h"
#include "names/names.h"

#include <stdlib.h>
#include <string.h>

static void path_add(struct call_path *path, const struct path_place *place) {
    if (path->count == (path->most ? path->most : CALL_PATH_MAX))
        return;
    if (path->count == path->capacity)
        memory_grow(&path->places, path->count, &path->capacity, sizeof *path->places);
    path->places[path->count++] = *place;
}

static void add_place(struct call_path *path, const struct place *place, struct report_module module,
                      uint64_t address, bool is_inlined) {
    path_add(path, &(struct path_place){.function = place->function,
                                        .file = place->file,
                                        .module = module.path,
                                        .build_id = module.build_id,
                                        .address = place->function ? 0 : address,
                                        .returns = address,
                                        .line = place->line,
                                        .column = place->column,
                                        .is_inlined = is_inlined});
}

/* returns: the return address in the frame of this code; 0: unknown. */
static void add_row(struct call_path *path, const struct site_view *view, uint64_t returns) {
    const struct report_module module = {view->module, view->build_id};
    size_t count = view->inlined_count;
    add_place(path, &view->at, module, view->address, count != 0);
    path->places[0].callee = view->callee;
    for (size_t i = 0; i < count; i++)
        add_place(path, &view->inlined[i], module, 0, i + 1 < count);
    for (size_t i = 0; i < path->count && returns; i++)
        path->places[i].returns = returns;
}

static void add_frame(struct call_path *path, const struct report_frame *frame) {
    const struct report_module module = frame->module ? *frame->module : (struct report_module){NULL, NULL};
    const struct place location = {.function = frame->function, .file = frame->file, .line = frame->line};
    for (size_t i = 0; i < frame->place_count; i++)
        add_place(path, &frame->places[i], module, frame->address, i + 1 < frame->place_count);
    if (!frame->place_count)
        add_place(path, &location, module, frame->address, false);
}

/* Compares file names only, because compilers write different parts of the path. */
static bool is_file(const char *a, const char *b) {
    return a && b && strcmp(path_base(a), path_base(b)) == 0;
}

/* Returns the index of the site's place among the places of a frame; count if it is missing. */
static size_t find_site(const struct place *places, size_t count, const struct site_view *view) {
    size_t i = 0;
    while (i < count && !(places[i].line == view->at.line && is_file(places[i].file, view->at.file)))
        i++;
    return i;
}

static bool has_site(const struct report_frame *frame, const struct site_view *view) {
    return find_site(frame->places, frame->place_count, view) < frame->place_count;
}

static const char *function_at(const struct report_frame *frame) {
    return frame->place_count ? frame->places[frame->place_count - 1].function : frame->function;
}

/* Returns the number of frames that the row's own places cover: 1 for the function with the site, or 0 if
 * that function has left by a tail call. */
static size_t frames_of_site(const struct site_view *view, const struct report_stack *stack) {
    if (!view->sited || !stack->frame_count)
        return 0;
    if (has_site(&stack->frames[0], view))
        return 1;
    return name_is_caller(function_at(stack->frames), site_code(view), view->callee) ? 0 : 1;
}

/* Link-time optimisation can inline the function of a site after the site table was written: adds the outer
 * places of the site's frame, which the row lacks. */
static void add_inlined_at_link(struct call_path *path, const struct report_frame *frame,
                                const struct site_view *view) {
    const struct place *places = frame->places;
    size_t count = frame->place_count;
    for (size_t i = find_site(places, count, view) + 1 + view->inlined_count; i < count; i++) {
        path->places[path->count - 1].is_inlined = true;
        add_place(path, &places[i], *frame->module, frame->address, false);
    }
}

static bool is_named(const struct path_place *place, const char *name) {
    return place->function && strcmp(place->function, name) == 0;
}

/* Returns whether the kernel or the C library starts a process or thread here. */
static bool is_entry(const struct path_place *place) {
    return is_named(place, "_start") || is_named(place, "start_thread") || is_named(place, "clone") ||
           is_named(place, "clone3");
}

/* Returns the number of places up to main. On a path without main, leaves out the outermost places in the C
 * library, which is a module or, in a static program, code without lines. A path that is entirely in the C
 * library stays whole. */
static size_t without_start_up(const struct call_path *path) {
    size_t count = path->count;
    bool is_static = false;
    for (size_t i = count; i-- > 0;)
        if (is_named(&path->places[i], "main"))
            return i + 1;
    for (; count; count--) {
        const struct path_place *place = &path->places[count - 1];
        if (place->module && path_is_c_library(place->module))
            is_static = false;
        else if (is_entry(place))
            is_static = true;
        else if (!is_static || place->file)
            break;
    }
    return count ? count : path->count;
}

/* A cut path keeps its last place, which represents the missing callers. */
static void leave_out_start_up(struct call_path *path) {
    struct path_place *last = path->count ? &path->places[path->count - 1] : NULL;
    bool is_cut = last && path_place_is_cut(last);
    path->count -= is_cut;
    path->count = without_start_up(path);
    if (is_cut)
        path->places[path->count++] = *last;
}

/* The first frame of an unsited row is the row itself. */
void call_path_make(struct call_path *path, const struct site_view *view, const struct report_stack *stack) {
    size_t first_caller = stack ? frames_of_site(view, stack) : 0;
    path->count = 0;
    if (view->sited || !stack || !stack->frame_count)
        add_row(path, view, first_caller ? stack->frames[0].address : 0);
    if (first_caller)
        add_inlined_at_link(path, &stack->frames[0], view);
    for (size_t i = first_caller; stack && i < stack->frame_count; i++)
        add_frame(path, &stack->frames[i]);
    leave_out_start_up(path);
}

void call_path_free(struct call_path *path) {
    free(path->places);
}
