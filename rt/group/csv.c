/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Groups as comma-separated values (RFC 4180). */
#include "base/out.h"
#include "group/write.h"
#include "write/formats.h"

static void key_names(struct out *out, enum group_by by) {
    if (by == BY_STACK) {
        out_text(out, "site,function,file,line,type,stack");
        return;
    }
    out_text(out, by == BY_LINE || by == BY_FREED ? "file,line" : group_by_name(by));
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

static void stack(struct out *out, const struct groups *groups, const struct group_key *key) {
    const struct site_view *view = &key->site->view;
    out_hex16(out, view->id);
    out_char(out, ',');
    csv_text(out, view->at.function);
    out_char(out, ',');
    csv_text(out, view->at.file);
    out_char(out, ',');
    out_u64(out, view->at.line);
    out_char(out, ',');
    csv_text(out, view->type);
    out_char(out, ',');
    csv_stack(out, key->stack, group_frames(groups, key));
}

static void key_values(struct out *out, const struct groups *groups, const struct group_key *key) {
    enum group_by by = groups->by;
    if (by == BY_STACK) {
        stack(out, groups, key);
        return;
    }
    if (by == BY_THREAD) {
        thread(out, key);
        return;
    }
    csv_text(out, key->name);
    if (by == BY_LINE || by == BY_FREED) {
        out_char(out, ',');
        out_u64(out, key->number);
    }
    if (group_by_has_unsited(by))
        out_text(out, key->is_unsited ? ",0" : ",1");
}

void groups_csv(struct out *out, const struct groups *groups, const struct report *report) {
    struct group_counter list[GROUP_COUNTERS];
    size_t count = groups_counters(list, groups->by, report->reach);
    key_names(out, groups->by);
    for (size_t i = 0; i < count; i++) {
        out_char(out, ',');
        out_text(out, list[i].name);
    }
    out_text(out, groups->by == BY_TYPE ? ",size,padding,padding_bytes,live_padding_bytes\r\n" : "\r\n");
    for (size_t row = 0; row < groups->shown; row++) {
        key_values(out, groups, &groups->rows[row].key);
        for (size_t i = 0; i < count; i++) {
            out_char(out, ',');
            group_counter_write(out, &groups->rows[row].sum, &list[i]);
        }
        if (groups->by == BY_TYPE)
            type_use_csv(out, &groups->rows[row].use);
        out_text(out, "\r\n");
    }
}
