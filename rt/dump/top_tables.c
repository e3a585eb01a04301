/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A running program as table after table, for pipes and files. */
#include "command.h"
#include "standard_out.h"
#include "top_show.h"
#include "top_table.h"

#include <errno.h>

static void put_table(struct out *out, const struct top *top, const struct top_options *options) {
    for (int line = 0; line < TOP_HEAD_LINES; line++) {
        top_head_line(out, top, line);
        out_char(out, '\n');
    }
    top_columns_line(out);
    out_char(out, '\n');
    for (size_t i = 0; i < top->count && (!options->rows || i < options->rows); i++) {
        top_row_line(out, top, &top->rows[i]);
        out_char(out, '\n');
    }
}

static int show_table(struct top *top, const struct top_options *options, bool is_first) {
    struct out *out = standard_out();
    if (!is_first)
        out_char(out, '\n');
    if (!top_select(top, &options->view)) {
        complain(top->path, "out of memory");
        return STATUS_FAILED;
    }
    put_table(out, top, options);
    return standard_out_end();
}

/* By the clock, so that tables do not drift by the time that they take. */
static void sleep_until(struct timespec *time, unsigned interval) {
    time->tv_sec += interval / 1000;
    time->tv_nsec += (long)(interval % 1000) * 1000000;
    if (time->tv_nsec >= 1000000000) {
        time->tv_nsec -= 1000000000;
        time->tv_sec++;
    }
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, time, NULL) == EINTR)
        ;
}

int top_tables(struct top *top, const struct top_options *options) {
    struct timespec time = top->now->time;
    struct reason why;
    int status = show_table(top, options, true);
    for (uint64_t shown = 1; status == STATUS_DONE && shown != options->count && !top_is_over(top); shown++) {
        sleep_until(&time, options->interval);
        if (!top_refresh(top, &why)) {
            complain(top->path, "%s", why.text);
            return STATUS_FAILED;
        }
        status = show_table(top, options, false);
    }
    return status;
}
