/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Groups as comma-separated values (RFC 4180). */
#include "groups_counters.h"
#include "groups_write.h"

#include "../lib/out.h"

/* Nothing for NULL, so that outside of all phases is not a phase without a name. */
static void quoted(struct out *out, const char *text) {
    if (!text)
        return;
    out_char(out, '"');
    for (; *text; text++) {
        if (*text == '"')
            out_char(out, '"');
        out_char(out, *text);
    }
    out_char(out, '"');
}

static void key_names(struct out *out, enum group_by by) {
    if (by == BY_LINE)
        out_text(out, "file,");
    out_text(out, group_by_name(by));
    if (by == BY_THREAD)
        out_text(out, ",pid");
    if (group_by_has_unsited(by))
        out_text(out, ",sited");
}

static void thread(struct out *out, const struct group_key *key) {
    if (!key->name)
        out_u64(out, key->number);
    out_char(out, ',');
    out_u64(out, key->pid);
}

static void key_values(struct out *out, enum group_by by, const struct group_key *key) {
    if (by == BY_THREAD) {
        thread(out, key);
        return;
    }
    quoted(out, key->name);
    if (by == BY_LINE) {
        out_char(out, ',');
        out_u64(out, key->number);
    }
    if (group_by_has_unsited(by))
        out_text(out, key->is_module ? ",0" : ",1");
}

void groups_csv(struct out *out, const struct groups *groups, const struct report *report) {
    struct group_counter list[GROUP_COUNTERS];
    size_t count = groups_counters(list, groups->by, report->reach);
    key_names(out, groups->by);
    for (size_t i = 0; i < count; i++) {
        out_char(out, ',');
        out_text(out, list[i].name);
    }
    out_text(out, "\r\n");
    for (size_t row = 0; row < groups->shown; row++) {
        key_values(out, groups->by, &groups->rows[row].key);
        for (size_t i = 0; i < count; i++) {
            out_char(out, ',');
            group_counter_write(out, &groups->rows[row].sum, &list[i]);
        }
        out_text(out, "\r\n");
    }
}
