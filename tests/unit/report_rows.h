/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A small report, and its text in a given format. */
#ifndef ALLOCSITE_TESTS_REPORT_ROWS_H
#define ALLOCSITE_TESTS_REPORT_ROWS_H

#include "model/report.h"
#include "write/formats.h"

#include <cmocka.h>
#include <string.h>

static const struct place chain[] = {{"outer(int)", "/src/a.c", 30, 2}};

/* Rows 1 and 4 are one site; the last row only frees. */
enum { ROWS = 5 };
static const struct report_site rows[ROWS] = {
    {.view = {.id = 1, .module = "/bin/p", .sited = true, .at = {"f", "/src/a.c", 10, 5}, .callee = "malloc"},
     .counters = {.allocs = 3,
                  .alloc_bytes = 300,
                  .frees = 2,
                  .freed_bytes = 200,
                  .live_blocks = 1,
                  .live_bytes = 100,
                  .peak_bytes = 200,
                  .peak_blocks = 2,
                  .max_live_blocks = 2}},
    {.view = {.id = 2,
              .module = "/bin/p",
              .sited = true,
              .at = {"g", "/src/a.c", 20, 0},
              .callee = "realloc",
              .inlined = chain,
              .inlined_count = 1},
     .counters = {.allocs = 1,
                  .alloc_bytes = 10,
                  .reallocs = 4,
                  .realloc_bytes = 4000,
                  .frees = 1,
                  .freed_bytes = 1000,
                  .moved = 4,
                  .moved_bytes = 3010,
                  .failed = 1,
                  .peak_bytes = 1000,
                  .peak_blocks = 1,
                  .max_live_blocks = 1}},
    {.view = {.id = 3, .module = "/lib/libc.so"},
     .counters = {.allocs = 5,
                  .alloc_bytes = 100,
                  .live_blocks = 5,
                  .live_bytes = 100,
                  .peak_bytes = 100,
                  .peak_blocks = 5,
                  .max_live_blocks = 5,
                  .max_live_blocks_within = 2}},
    {.view = {.id = 1, .module = "/bin/p", .sited = true, .at = {"f", "/src/a.c", 10, 5}, .callee = "malloc"},
     .counters = {.allocs = 1,
                  .alloc_bytes = 100,
                  .live_blocks = 1,
                  .live_bytes = 100,
                  .peak_bytes = 100,
                  .peak_blocks = 1,
                  .max_live_blocks = 1}},
    {.view = {.id = 5, .module = "/bin/p", .sited = true, .at = {"h", "/src/a.c", 40, 1}, .callee = "free"},
     .counters = {.max_live_blocks_within = 2}},
};

static struct report_site copies[ROWS], *order[ROWS];
static struct report_pair pairs[16];
static uint64_t sizes[2][SIZE_CLASSES];

static inline struct report unprepared(void) {
    memcpy(copies, rows, sizeof rows);
    memset(sizes, 0, sizeof sizes);
    for (int i = 0; i < ROWS; i++)
        order[i] = &copies[i];
    return (struct report){.program = "/bin/p",
                           .directory = "/src",
                           .pid = 7,
                           .finished = true,
                           .sites = order,
                           .site_count = ROWS,
                           .pairs = pairs};
}

static inline struct report prepared(struct report_limits limits) {
    struct report report = unprepared();
    report_prepare(&report, &limits);
    return report;
}

static inline void add_pair(struct report *report, enum pair_kind kind, int owner, int by, uint64_t count,
                            uint64_t bytes) {
    pairs[report->pair_count++] = (struct report_pair){.kind = kind,
                                                       .owner = owner < 0 ? NULL : &copies[owner],
                                                       .by = by < 0 ? NULL : &copies[by],
                                                       .count = count,
                                                       .bytes = bytes};
}

static inline const char *text_of(const struct report *report, enum report_format format) {
    static char text[32768];
    struct out out;
    out_open_memory(&out, text, sizeof text);
    report_write(&out, report, format);
    out_flush(&out);
    assert_true(strlen(text) < sizeof text - 1);
    return text;
}

static const struct report_site hostile = {.view = {.id = 1,
                                                    .module = "/bin/p",
                                                    .sited = true,
                                                    .at = {"f\x1b[2J\xC2\x9B"
                                                           "1m",
                                                           "/src/a|<b>`.c", 10, 5},
                                                    .callee = "malloc"},
                                           .counters = {.allocs = 1, .alloc_bytes = 1}};

/* A report with names that attack its reader. */
static inline struct report hostile_report(void) {
    static struct report_site site;
    static struct report_site *sites[] = {&site};
    site = hostile;
    struct report report = {.program = "p", .directory = "/src", .sites = sites, .site_count = 1};
    report_prepare(&report, &(struct report_limits){0});
    return report;
}

#endif
