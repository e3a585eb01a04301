/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Progress on a terminal. */
#include "dump/base/progress.h"

#include "base/out.h"
#include "names/units.h"

#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

/* One line for the process, as it has one terminal. */
static struct {
    int64_t next; /* when the line is written next; 0: nothing is being done */
    bool is_off, is_shown;
} state;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * SECOND + time.tv_nsec;
}

static void put_count(struct out *out, uint64_t count, const char *behind) {
    char text[UNITS_SIZE];
    units_count(text, count);
    out_text(out, text);
    out_text(out, behind);
}

static void show(const char *what, uint64_t done, uint64_t count) {
    char buffer[256];
    struct out out;
    out_open(&out, STDERR_FILENO, buffer, sizeof buffer);
    out_char(&out, '\r');
    put_count(&out, done, count ? " of " : " ");
    if (count)
        put_count(&out, count, " ");
    out_text(&out, what);
    out_text(&out, "\033[K");
    out_flush(&out);
    state.is_shown = true;
}

void progress(const char *what, uint64_t done, uint64_t count) {
    int64_t time = now();
    if (!state.next)
        state.next = time + SECOND;
    if (time < state.next || state.is_off || !isatty(STDERR_FILENO))
        return;
    state.next = time + SECOND / 5;
    show(what, done, count);
}

void progress_end(void) {
    static const char clear[] = "\r\033[K";
    if (state.is_shown && write(STDERR_FILENO, clear, sizeof clear - 1) < 0)
        state.is_off = true;
    state.is_shown = false;
    state.next = 0;
}

void progress_off(void) {
    progress_end();
    state.is_off = true;
}
