/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The way from an allocation out to where the program began. */
#include "tree_path.h"

#include <string.h>

static void add(struct tree_path *path, const struct tree_place *place) {
    if (path->count < TREE_PATH_MAX)
        path->places[path->count++] = *place;
}

/* A place without a line is in a module. */
static void add_place(struct tree_path *path, const struct place *place, const char *module,
                      uint64_t address) {
    struct tree_place at = {.function = place->function, .file = place->file, .line = place->line};
    if (!at.file)
        at.module = module;
    if (!at.function)
        at.address = address;
    add(path, &at);
}

static void add_row(struct tree_path *path, const struct site_view *view) {
    add_place(path, &view->at, view->module, view->address);
    if (path->count)
        path->places[0].callee = view->callee;
    for (size_t i = 0; i < view->inlined_count; i++)
        add_place(path, &view->inlined[i], view->module, 0);
}

static const struct place *find(const struct symbolizer *symbolizer, const struct report_frame *frame,
                                size_t *count) {
    *count = 0;
    return frame->module ? symbolizer_find(symbolizer, frame->module->path, frame->module->build_id,
                                           frame->address, count)
                         : NULL;
}

static void add_frame(struct tree_path *path, const struct report_frame *frame,
                      const struct symbolizer *symbolizer) {
    const char *module = frame->module ? frame->module->path : NULL;
    const struct place unknown = {.function = frame->function};
    size_t count;
    const struct place *places = find(symbolizer, frame, &count);
    for (size_t i = 0; i < count; i++)
        add_place(path, &places[i], module, frame->address);
    if (!count)
        add_place(path, &unknown, module, frame->address);
}

/* Compilers write the same file with more or less of its path. */
static bool is_file(const char *a, const char *b) {
    const char *left = a ? strrchr(a, '/') : NULL, *right = b ? strrchr(b, '/') : NULL;
    return a && b && strcmp(left ? left + 1 : a, right ? right + 1 : b) == 0;
}

static bool has_site(const struct report_frame *frame, const struct site_view *view,
                     const struct symbolizer *symbolizer) {
    size_t count;
    const struct place *places = find(symbolizer, frame, &count);
    for (size_t i = 0; i < count; i++)
        if (places[i].line == view->at.line && is_file(places[i].file, view->at.file))
            return true;
    return false;
}

/* Frames that the row's own places stand for: that of the function with the site, and of the wrappers that it
 * calls. What is not known has one, its own. */
static size_t own_frames(const struct site_view *view, const struct report_stack *stack,
                         const struct symbolizer *symbolizer) {
    if (!view->sited)
        return 0;
    for (size_t i = 0; i < stack->frame_count; i++)
        if (has_site(&stack->frames[i], view, symbolizer))
            return i + 1;
    return stack->frame_count ? 1 : 0;
}

/* The first frame of an unsited row is the row itself. */
void tree_path_make(struct tree_path *path, const struct site_view *view, const struct report_stack *stack,
                    const struct symbolizer *symbolizer) {
    path->count = 0;
    if (view->sited || !stack || !stack->frame_count)
        add_row(path, view);
    for (size_t i = stack ? own_frames(view, stack, symbolizer) : 0; stack && i < stack->frame_count; i++)
        add_frame(path, &stack->frames[i], symbolizer);
}
