/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What documents in JSON that are made from a report begin with. */
#include "report_head_json.h"

static void member(struct out *out, const char *name) {
    out_text(out, ",\"");
    out_text(out, name);
    out_text(out, "\":");
}

void json_number(struct out *out, const char *name, uint64_t value) {
    member(out, name);
    out_u64(out, value);
}

void json_text(struct out *out, const char *name, const char *value) {
    member(out, name);
    out_json_string(out, value);
}

static void reasons(struct out *out, const struct report *report) {
    out_text(out, report->reason_count ? ",\"exact\":false" : ",\"exact\":true");
    out_text(out, ",\"inexact_reasons\":[");
    for (size_t i = 0; i < report->reason_count; i++) {
        out_text(out, i ? "," : "");
        out_json_string(out, report->reasons[i]);
    }
    out_char(out, ']');
}

void report_head_json(struct out *out, const struct report *report) {
    json_text(out, "program", report->program);
    json_number(out, "pid", report->pid);
    json_number(out, "processes", report->several.count ? report->several.count : 1);
    reasons(out, report);
    out_text(out, report->finished ? ",\"finished\":true" : ",\"finished\":false");
}
