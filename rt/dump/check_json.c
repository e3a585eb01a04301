/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a report is over its budget, for programs. */
#include "check.h"

/* Of the sites that make up a limit. */
enum { SITES_SHOWN = 10 };

static void put_number(struct out *out, const char *key, uint64_t value) {
    out_text(out, key);
    out_u64(out, value);
}

static void put_sites(struct out *out, const struct check *check, const struct verdict *verdict) {
    const struct report_site *sites[SITES_SHOWN];
    size_t count = check_largest(check, verdict, sites, SITES_SHOWN);
    out_text(out, ",\"largest\":[");
    for (size_t i = 0; i < count; i++) {
        out_text(out, i ? ",\n  {" : "\n  {");
        site_json_fields(out, &sites[i]->view);
        put_number(out, ",\"actual\":", measure_of(sites[i], verdict->limit->measure));
        out_char(out, '}');
    }
    out_char(out, ']');
}

static void put_verdict(struct out *out, const struct check *check, const struct verdict *verdict) {
    const struct limit *limit = verdict->limit;
    put_number(out, "{\"line\":", limit->line);
    out_text(out, ",\"kind\":\"");
    out_text(out, budget_kind_name(limit->kind));
    out_text(out, "\",\"pattern\":");
    out_json_string(out, limit->pattern);
    out_text(out, ",\"measure\":\"");
    out_text(out, measure_name(limit->measure));
    put_number(out, "\",\"limit\":", limit->most);
    put_number(out, ",\"actual\":", verdict->actual);
    out_text(out, verdict->is_kept ? ",\"kept\":true" : ",\"kept\":false");
    put_number(out, ",\"sites\":", verdict->sites);
    put_sites(out, check, verdict);
    out_char(out, '}');
}

void check_json(struct out *out, const struct check *check) {
    out_text(out, "{\"format\":\"allocsite-check\",\"version\":1,\"budget\":");
    out_json_string(out, check->budget_path);
    out_text(out, ",\n\"report\":");
    loaded_json(out, check->loaded);
    put_number(out, ",\n\"broken\":", check->broken);
    out_text(out, ",\"limits\":[");
    for (size_t i = 0; i < check->count; i++) {
        out_text(out, i ? ",\n" : "\n");
        put_verdict(out, check, &check->verdicts[i]);
    }
    out_text(out, "]}\n");
}
