/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Findings as workflow commands of GitHub Actions, which shows them at the lines. */
#include "base/path.h"
#include "dump/findings/findings.h"
#include "write/summary.h"

#include <limits.h>
#include <string.h>

/* A colon or a comma ends a property, a line the command. */
static void put_escaped(struct out *out, const char *text, const char *special) {
    for (; *text; text++)
        if (strchr(special, *text)) {
            out_char(out, '%');
            out_char(out, "0123456789ABCDEF"[(unsigned char)*text >> 4]);
            out_char(out, "0123456789ABCDEF"[*text & 15]);
        } else
            out_char(out, *text);
}

static void put_data(struct out *out, const char *text) {
    put_escaped(out, text, "%\r\n");
}

static void put_property(struct out *out, const char *text) {
    put_escaped(out, text, "%\r\n:,");
}

static void put_place(struct out *out, const struct findings *findings, const struct place *place) {
    char shown[PATH_MAX];
    path_show(shown, sizeof shown, place->file, findings->report->directory);
    out_text(out, "file=");
    put_property(out, shown);
    out_text(out, ",line=");
    out_u64(out, place->line);
    if (place->column) {
        out_text(out, ",col=");
        out_u64(out, place->column);
    }
    out_char(out, ',');
}

/* Of nobody's site, the line of the budget that is broken. */
static void put_finding(struct out *out, const struct findings *findings, const struct finding *finding) {
    static const char *const commands[] = {"::error ", "::warning ", "::notice "};
    const struct rule_text *rule = rule_text(finding->rule);
    const struct place *place = finding_place(finding->site),
                       budget = {.file = findings->budget_path,
                                 .line = finding->limit ? finding->limit->line : 0};
    out_text(out, commands[rule->level]);
    if (place || (finding->limit && strcmp(findings->budget_path, "-") != 0))
        put_place(out, findings, place ? place : &budget);
    out_text(out, "title=allocsite ");
    put_property(out, rule->name);
    out_text(out, "::");
    put_data(out, finding->what);
    out_char(out, '\n');
}

void findings_github(struct out *out, const struct findings *findings) {
    char text[1024];
    struct out reason;
    struct page page = {.out = &reason, .report = findings->report};
    for (size_t i = 0; i < findings->count; i++)
        put_finding(out, findings, &findings->list[i]);
    for (size_t i = 0; i < findings->report->reason_count; i++) {
        out_open_memory(&reason, text, sizeof text);
        summary_reason(&page, i);
        out_text(out, "::warning title=allocsite::exact: no, ");
        put_data(out, text);
        out_char(out, '\n');
    }
}

findings_function *findings_writer(const char *format) {
    return strcmp(format, "sarif") == 0    ? findings_sarif
           : strcmp(format, "github") == 0 ? findings_github
                                           : NULL;
}
