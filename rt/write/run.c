/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When and how long the process of a report ran, and how it ended. */
#include "write/summary.h"

#include "base/arrays.h"

#include <string.h>
#include <time.h>

#define MILLION UINT64_C(1000000)

static const char *const endings[] = {
    [PROFILE_NO_ENDING] = NULL,          [PROFILE_EXIT] = "exit", [PROFILE_EXIT_AT_ONCE] = "_exit",
    [PROFILE_QUICK_EXIT] = "quick_exit", [PROFILE_EXEC] = "exec", [PROFILE_SIGNAL] = "signal",
    [PROFILE_EXIT_GROUP] = "exit_group"};

COVERS(endings, PROFILE_ENDINGS);

/* Returns "exit", "signal" and so on, or NULL if the ending is not known. */
static const char *ending_name(uint32_t ending) {
    return ending < PROFILE_ENDINGS ? endings[ending] : NULL;
}

/* Writes "2026-11-22 20:24:58 UTC". */
static void put_time(struct out *out, uint64_t nanoseconds) {
    char text[64];
    struct tm calendar;
    const time_t seconds = (time_t)(nanoseconds / (1000 * MILLION));
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&seconds, &calendar));
    out_text(out, text);
}

/* Writes "1.234 s". */
static void put_duration(struct out *out, uint64_t nanoseconds) {
    uint64_t milliseconds = nanoseconds / MILLION;
    out_print(out, "%lu.%03lu s", milliseconds / 1000, milliseconds % 1000);
}

static void put_ending(struct out *out, const struct report_run *run) {
    const char *signal = run->ending == PROFILE_SIGNAL ? sigabbrev_np((int)run->status) : NULL;
    bool has_status = run->ending == PROFILE_EXIT || run->ending == PROFILE_EXIT_AT_ONCE;
    if (run->ending == PROFILE_EXIT_GROUP) {
        out_print(out, ", ended with status %u", run->status);
        return;
    }
    out_print(out, "%s%s%s", run->ending == PROFILE_SIGNAL ? ", killed by " : ", ended by ",
              signal ? "SIG" : endings[run->ending],
              signal       ? signal
              : has_status ? " with status"
                           : "");
    if (signal || (!has_status && run->ending != PROFILE_SIGNAL))
        return;
    out_print(out, " %u", run->status);
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
    if (ending_name(run->ending))
        put_ending(page->out, run);
    else if (!page->report->finished && !page->report->running)
        out_text(page->out, ", killed by a signal (allocsite-run or fatal=1 would tell which) or ended by a "
                            "system call of its own");
}

void summary_sampled(const struct page *page) {
    const struct report_sampled *sampled = &page->report->sampled;
    put_duration(page->out, sampled->since);
    out_print(page->out, " after the first of %s%s, at ", COUNT_TEXT(sampled->count),
              sampled->count == 1 ? " sample" : " samples");
    put_time(page->out, sampled->time);
    if (sampled->thinned) {
        out_text(page->out, ", ");
        page_count(page, sampled->thinned, " older one thinned out", " older ones thinned out");
    }
}

#define PART_NAME(part, name, words)  name,
#define PART_WORDS(part, name, words) words,
static const char *const part_names[] = {RESIDENT_PARTS(PART_NAME)};
const char *const resident_words[] = {RESIDENT_PARTS(PART_WORDS)};

void json_resident(struct json *json, const char *name, const uint64_t *parts) {
    json_open(json, name, '{');
    for (int i = 0; i < RESIDENT_PART_COUNT; i++)
        json_number(json, part_names[i], parts[i]);
    json_close(json, '}');
}

void json_run(struct json *json, const struct report_run *run) {
    if (!run->begun)
        return;
    json_open(json, "run", '{');
    json_text(json, "command", run->command);
    json_number(json, "begun_ms", run->begun / MILLION);
    json_number(json, "ended_ms", run->ended / MILLION);
    json_text(json, "ending", ending_name(run->ending));
    json_number(json, "status", run->status);
    json_number(json, "max_resident_bytes", run->resident);
    if (run_resident(run))
        json_resident(json, "resident_parts", run->resident_parts);
    json_close(json, '}');
}
