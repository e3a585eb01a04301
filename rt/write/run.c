/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When and how long the process of a report ran, and how it ended. */
#include "write/summary.h"

#include "base/arrays.h"

#include <string.h>

#define MILLION UINT64_C(1000000)

static const char *const endings[] = {
    [PROFILE_NO_ENDING] = NULL,          [PROFILE_EXIT] = "exit", [PROFILE_EXIT_AT_ONCE] = "_exit",
    [PROFILE_QUICK_EXIT] = "quick_exit", [PROFILE_EXEC] = "exec", [PROFILE_SIGNAL] = "signal",
    [PROFILE_EXIT_GROUP] = "exit_group"};

COVERS(endings, PROFILE_ENDINGS);

const char *run_ending_name(uint32_t ending) {
    return ending < PROFILE_ENDINGS ? endings[ending] : NULL;
}

static void put_digits(struct out *out, uint64_t number, int width) {
    for (uint64_t unit = 10; --width > 0; unit *= 10)
        if (number < unit)
            out_char(out, '0');
    out_u64(out, number);
}

/* Converts days since 1970-01-01 to a date. Years start in March here, so that the leap day is the last day
 * of a year. */
static void put_date(struct out *out, uint64_t days) {
    uint64_t since = days + 719468, era = since / 146097, of_era = since % 146097;
    uint64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    uint64_t of_year = of_era - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
    uint64_t january = month >= 10;
    put_digits(out, era * 400 + year + january, 4);
    out_char(out, '-');
    put_digits(out, january ? month - 9 : month + 3, 2);
    out_char(out, '-');
    put_digits(out, of_year - (153 * month + 2) / 5 + 1, 2);
}

/* Writes "2026-11-22 20:24:58 UTC". */
static void put_time(struct out *out, uint64_t nanoseconds) {
    uint64_t seconds = nanoseconds / (1000 * MILLION), of_day = seconds % 86400;
    put_date(out, seconds / 86400);
    for (uint64_t unit = 3600; unit; unit /= 60) {
        out_char(out, unit == 3600 ? ' ' : ':');
        put_digits(out, of_day / unit % 60, 2);
    }
    out_text(out, " UTC");
}

/* Writes "1.234 s". */
static void put_duration(struct out *out, uint64_t nanoseconds) {
    uint64_t milliseconds = nanoseconds / MILLION;
    out_u64(out, milliseconds / 1000);
    out_char(out, '.');
    put_digits(out, milliseconds % 1000, 3);
    out_text(out, " s");
}

static void put_ending(struct out *out, const struct report_run *run) {
    const char *signal = run->ending == PROFILE_SIGNAL ? sigabbrev_np((int)run->status) : NULL;
    bool has_status = run->ending == PROFILE_EXIT || run->ending == PROFILE_EXIT_AT_ONCE;
    if (run->ending == PROFILE_EXIT_GROUP) {
        out_text(out, ", ended with status ");
        out_u64(out, run->status);
        return;
    }
    out_text(out, run->ending == PROFILE_SIGNAL ? ", killed by " : ", ended by ");
    out_text(out, signal ? "SIG" : run_ending_name(run->ending));
    out_text(out, signal ?: has_status ? " with status" : "");
    if (signal || (!has_status && run->ending != PROFILE_SIGNAL))
        return;
    out_char(out, ' ');
    out_u64(out, run->status);
}

void summary_run(const struct page *page) {
    const struct report_run *run = &page->report->run;
    bool has_ended = run->ended >= run->begun;
    out_text(page->out, has_ended ? "" : "from ");
    put_time(page->out, run->begun);
    if (has_ended) {
        out_text(page->out, " for ");
        put_duration(page->out, run->ended - run->begun);
    }
    if (run_ending_name(run->ending))
        put_ending(page->out, run);
    else if (!page->report->finished && !page->report->running)
        out_text(page->out, ", killed by a signal (allocsite-run or fatal=1 would tell which) or ended by a "
                            "system call of its own");
}

void summary_sampled(const struct page *page) {
    const struct report_sampled *sampled = &page->report->sampled;
    put_duration(page->out, sampled->since);
    out_text(page->out, " after the first of ");
    page_count(page, sampled->count, " sample", " samples");
    out_text(page->out, ", at ");
    put_time(page->out, sampled->time);
    if (sampled->thinned) {
        out_text(page->out, ", ");
        page_count(page, sampled->thinned, " older one thinned out", " older ones thinned out");
    }
}

void json_run(struct json *json, const struct report_run *run) {
    if (!run->begun)
        return;
    json_open(json, "run", '{');
    json_text(json, "command", run->command);
    json_number(json, "begun_ms", run->begun / MILLION);
    json_number(json, "ended_ms", run->ended / MILLION);
    json_text(json, "ending", run_ending_name(run->ending));
    json_number(json, "status", run->status);
    json_number(json, "max_resident_bytes", run->resident);
    json_close(json, '}');
}
