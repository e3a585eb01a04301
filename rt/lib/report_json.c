/* The report as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "report.h"

#define JSON_VALUE(name)                                                                                     \
    out_text(out, separator);                                                                                \
    out_text(out, "\"" #name "\":");                                                                         \
    out_u64(out, counters->name);                                                                            \
    separator = ",";

static void totals_object(struct out *out, const struct counters *counters) {
    const char *separator = "{";
    ALLOCSITE_TOTALS(JSON_VALUE)
    out_char(out, '}');
}

static void site_object(struct out *out, const struct report_site *site) {
    const struct counters *counters = &site->counters;
    const char *separator = ",";
    out_char(out, '{');
    site_json_fields(out, &site->view);
    ALLOCSITE_SITE_TOTALS(JSON_VALUE)
    out_char(out, '}');
}

static void reasons_array(struct out *out, const struct report *report) {
    out_char(out, '[');
    for (size_t i = 0; i < report->reason_count; i++) {
        out_text(out, i ? "," : "");
        out_json_string(out, report->reasons[i]);
    }
    out_char(out, ']');
}

void report_json(struct out *out, const struct report *report) {
    out_text(out, "{\"format\":\"allocsite-report\",\"version\":1,\"program\":");
    out_json_string(out, report->program);
    out_text(out, ",\"pid\":");
    out_u64(out, report->pid);
    out_text(out, report->reason_count ? ",\"exact\":false" : ",\"exact\":true");
    out_text(out, ",\"inexact_reasons\":");
    reasons_array(out, report);
    out_text(out, report->finished ? ",\"finished\":true,\"totals\":" : ",\"finished\":false,\"totals\":");
    totals_object(out, &report->totals);
    out_text(out, ",\n\"sites\":[");
    for (size_t i = 0; i < report->shown; i++) {
        out_text(out, i ? ",\n" : "\n");
        site_object(out, report->sites[i]);
    }
    out_text(out, "]}\n");
}
