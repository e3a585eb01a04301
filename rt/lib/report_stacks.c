/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The calling frames of a report. */
#include "report_stacks.h"

static void number(struct out *out, const char *name, uint64_t value) {
    out_text(out, ",\"");
    out_text(out, name);
    out_text(out, "\":");
    out_u64(out, value);
}

static void text(struct out *out, const char *key, const char *value) {
    out_text(out, key);
    out_json_string(out, value);
}

static void modules(struct out *out, const struct report *report) {
    const char *separator = ",\n\"modules\":[\n";
    for (size_t i = 0; i < report->modules_size; i++) {
        out_text(out, separator);
        text(out, "{\"path\":", report->modules[i].path);
        text(out, ",\"build_id\":", report->modules[i].build_id);
        out_char(out, '}');
        separator = ",\n";
    }
    if (report->modules_size)
        out_char(out, ']');
}

static void walks(struct out *out, const struct profile_walks *walks) {
    if (!walks->depth && !walks->without_caller)
        return;
    out_text(out, ",\n\"walks\":{\"depth\":");
    out_u64(out, walks->depth);
    number(out, "by_frame_pointer", walks->by_frame_pointer);
    number(out, "by_table", walks->by_table);
    number(out, "ended_early", walks->ended_early);
    number(out, "without_stack", walks->without_stack);
    number(out, "without_caller", walks->without_caller);
    out_char(out, '}');
}

static void frame(struct out *out, const struct report_frame *frame) {
    text(out, "{\"module\":", frame->module ? frame->module->path : NULL);
    out_text(out, ",\"address\":\"0x");
    out_hex(out, frame->address);
    text(out, "\",\"function\":", frame->function);
    out_char(out, '}');
}

static void stack(struct out *out, const struct report_stack *stack) {
    const struct counters *counters = &stack->counters;
    out_text(out, "{\"site\":\"");
    out_hex16(out, stack->site->view.id);
    out_text(out, stack->site->view.backing ? "\",\"backing\":true" : "\"");
    for (size_t i = 0; i < stack->frame_count; i++) {
        out_text(out, i ? "," : ",\"frames\":[");
        frame(out, &stack->frames[i]);
    }
    out_text(out, stack->frame_count ? "]" : ",\"frames\":[]");
#define MEMBER(name) number(out, #name, counters->name);
    ALLOCSITE_SITE_TOTALS(MEMBER)
#undef MEMBER
    out_char(out, '}');
}

static void stacks(struct out *out, const struct report *report) {
    const char *separator = "\n";
    out_text(out, ",\n\"stacks\":[");
    for (size_t i = 0; i < report->stack_count; i++) {
        if (!report_has_row(report, report->stacks[i].site))
            continue;
        out_text(out, separator);
        stack(out, &report->stacks[i]);
        separator = ",\n";
    }
    out_char(out, ']');
}

void report_stacks_json(struct out *out, const struct report *report) {
    modules(out, report);
    walks(out, &report->walks);
    if (report->walks.depth)
        stacks(out, report);
}
