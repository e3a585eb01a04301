/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The call paths of stacks in all formats. */
#include "base/path.h"
#include "write/formats.h"
#include "write/summary.h"

#include <string.h>

struct path path_of(const struct report *report, const struct report_stack *stack, uint64_t depth) {
    struct path path = {.type = stack ? stack->site->view.type : NULL};
    if (!report->paths || !stack)
        return path;
    struct report_stack cut = *stack;
    cut.frame_count = depth && depth < stack->frame_count ? depth : stack->frame_count;
    path.calls = report->paths->take(report->paths, &cut, &path.count, &path.line);
    path.type = report->paths->type;
    for (path.callers = path.line; path.callers < path.count && path.calls[path.callers].is_inlined;)
        path.callers++;
    path.callers += path.callers < path.count;
    return path;
}

/* ---- For people. */

/* Returns whether only the function's start address is known. The address distinguishes stacks but means
 * nothing to a reader. */
static bool is_nameless(const struct report_call *call) {
    static const char place[] = "[function at ";
    return call->at.function && call->module && strncmp(call->at.function, place, sizeof place - 1) == 0;
}

static void put_module(const struct page *page, const struct report_call *call) {
    page_code(page, call->module ? path_base(call->module) : NULL);
}

static void put_call(const struct page *page, const struct report_call *call) {
    if (call->at.function) {
        page_function(page, call->at.function);
        return;
    }
    put_module(page, call);
    out_print(page->out, "+0x%lx", call->address);
}

void path_callers(const struct page *page, const struct path *path, bool has_lines) {
    for (size_t i = path->callers; i < path->count; i++) {
        const struct report_call *call = &path->calls[i];
        bool is_module = is_nameless(call), is_first = i == path->callers;
        if (is_module && !is_first && is_nameless(call - 1) && is_same_text(call[-1].module, call->module))
            continue;
        out_text(page->out, is_first ? "" : " <- ");
        (is_module ? put_module : put_call)(page, call);
        if (has_lines && call->at.line)
            out_print(page->out, ":%u", call->at.line);
    }
}

/* ---- For programs. */

static const char *name_of(const struct report_call *call) {
    return call->at.function ? call->at.function : call->module ? call->module : "?";
}

void value_stack(struct values *values, const struct path *path) {
    struct out *out = values->out;
    value_begin(values);
    out_char(out, '"');
    for (size_t i = 0; i < path->count; i++) {
        out_text(out, i ? " <- " : "");
        (i ? out_quoted_part : out_quoted)(out, name_of(&path->calls[i]));
    }
    out_char(out, '"');
}

void value_callers(struct values *values, const struct path *path) {
    for (size_t i = path->callers; i < path->count; i++) {
        value_text(values, name_of(&path->calls[i]));
        if (!path->calls[i].at.function)
            out_print(values->out, "+0x%lx", path->calls[i].address);
    }
}

static void json_call(struct json *json, const struct report_call *call) {
    json_open(json, NULL, '{');
    json_place(json, &call->at);
    json_text(json, "module", call->module);
    if (call->address)
        json_address(json, "address", call->address);
    else
        json_text(json, "address", NULL);
    json_flag(json, "inlined", call->is_inlined);
    json_flag(json, "pass_through", call->passes_through);
    json_close(json, '}');
}

struct path json_frames(struct json *json, const struct report *report, const struct report_stack *stack,
                        uint64_t depth) {
    struct path path = path_of(report, stack, depth);
    json_open(json, "frames", '[');
    for (size_t i = 0; i < path.count; i++)
        json_call(json, &path.calls[i]);
    json_close(json, ']');
    return path;
}

void json_way(struct json *json, const struct report *report, const struct report_site *row) {
    if (row->way)
        json_frames(json, report, row->main_stack, 0);
}
