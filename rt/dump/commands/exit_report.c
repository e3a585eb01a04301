/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump exit-report: writes a report to standard output. The runtime starts it with its counters as
 * standard input (lib/report/reader.c). The options are the text of ALLOCSITE_OPTIONS. */
#include "base/settings.h"
#include "dump/commands/report.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

struct exit_report {
    struct showing showing;
    bool is_end;
    bool is_strict; /* treats wrong values, and keys that no report has, as errors */
    const char *wrong, *only;
};

static const char help[] = "usage: allocsite-dump exit-report [--options=KEY=VALUE:...] < PROFILE\n"
                           "\n"
                           "Writes the report at the end of a program. The runtime calls it; to read\n"
                           "profiles, see allocsite-dump help report.\n"
                           "\n"
                           "  --end                    the process is about to end\n"
                           "  --options=KEY=VALUE:...  the options of a report in ALLOCSITE_OPTIONS; other\n"
                           "                           options are ignored, wrong ones are reported\n"
                           "  --only=KEY=VALUE:...     options of a report only; status 2 if one is wrong";

/* Reports a wrong key. The runtime has already reported keys that are unknown to all of allocsite. */
static void note_wrong(struct exit_report *report, const struct setting_pair *pair, const char *wrong) {
    if (report->is_strict)
        report->wrong = wrong;
    fprintf(stderr, "allocsite: %s: %.*s: %s\n", report->is_strict ? "no report" : "option ignored",
            (int)pair->length, pair->start, setting_explain(pair->value, wrong));
}

static void take_pair(struct exit_report *report, const struct setting_pair *pair) {
    const char *wrong = pair->wrong;
    bool is_known = !wrong && (report_key_is_known(pair->name) ||
                               (!report->is_strict && setting_is(pair->name, "report")));
    if (is_known)
        wrong = report_take_key(&report->showing, pair->name, pair->value);
    else if (!wrong)
        wrong = "not an option of one report";
    if (wrong && (is_known || report->is_strict))
        note_wrong(report, pair, wrong);
}

static void take_pairs(struct exit_report *report, const char *text) {
    struct setting_pair pair;
    while (settings_next(&text, &pair))
        take_pair(report, &pair);
}

static const char *take_options(void *to, const char *text) {
    take_pairs(to, text);
    return NULL;
}

static const char *take_only(void *to, const char *text) {
    struct exit_report *report = to;
    report->is_strict = true;
    report->only = text;
    take_pairs(report, text);
    report->is_strict = false;
    return NULL;
}

static const struct argument list[] = {
    {"end", false, take_flag, offsetof(struct exit_report, is_end)},
    {"options", true, take_options, 0},
    {"only", true, take_only, 0},
    {0},
};

int command_exit_report(int count, char **words) {
    struct exit_report report = {.wrong = NULL};
    sigset_t none;
    sigemptyset(&none);
    signal(SIGXFSZ, SIG_IGN);              /* a write error is reported instead */
    sigprocmask(SIG_SETMASK, &none, NULL); /* the runtime blocked all signals until here */
    report_default(&report.showing);
    int status = arguments_take(&(struct arguments){"exit-report", help, list}, &report, count, words);
    if (status != ARGUMENTS_TAKEN)
        return status;
    return report.wrong ? STATUS_USAGE : report_standard_input(&report.showing, report.is_end, report.only);
}
