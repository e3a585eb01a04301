// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports: merging, sorting, cutting, and what the formats say.
#include "base/path.h"
#include "model/report.h"
#include "write/formats.h"
#include "write/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct place chain[] = {{"outer(int)", "/src/a.c", 30, 2}};

/* The first and the fourth are one site; the last one only frees. */
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

static struct report unprepared(void) {
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

static struct report prepared(struct report_limits limits) {
    struct report report = unprepared();
    report_prepare(&report, &limits);
    return report;
}

static void add_pair(struct report *report, enum pair_kind kind, int owner, int by, uint64_t count,
                     uint64_t bytes) {
    pairs[report->pair_count++] = (struct report_pair){kind, owner < 0 ? NULL : &copies[owner],
                                                       by < 0 ? NULL : &copies[by], count, bytes};
}

static const char *text_of(const struct report *report, enum report_format format) {
    static char text[32768];
    char buffer[512];
    struct out out;
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    out_open(&out, pipes[1], buffer, sizeof buffer);
    report_write(&out, report, format);
    assert_int_equal(out_flush(&out), 0);
    close(pipes[1]);
    ssize_t used = 0, n;
    while ((n = read(pipes[0], text + used, sizeof text - 1 - (size_t)used)) > 0)
        used += n;
    close(pipes[0]);
    text[used] = '\0';
    return text;
}

static void merges_and_sorts(void **state) {
    (void)state;
    struct report report = prepared((struct report_limits){.sort = SORT_BYTES});
    assert_int_equal(report.site_count, 4);
    assert_int_equal(report.counted, 3);
    assert_int_equal(report.shown, 3);
    assert_int_equal(report.sites[0]->view.id, 2);
    assert_int_equal(report.sites[1]->view.id, 1);
    assert_int_equal(report.sites[1]->counters.alloc_bytes, 400);
    assert_int_equal(report.totals.counters.allocs, 10);
    assert_int_equal(report.sited.allocs, 5);
    assert_int_equal(report.sited_count, 2);
    assert_int_equal(report.module_count, 1);
}

/* The first site's id in each order; what has no live blocks comes last among those. */
static void sorts_by_what_is_asked_for(void **state) {
    (void)state;
    static const struct {
        struct report_limits limits;
        uint64_t first, last;
    } orders[] = {
        {{.sort = SORT_BYTES}, 2, 3}, {{.sort = SORT_ALLOCS}, 2, 1}, {{.sort = SORT_LIVE}, 1, 2},
        {{.sort = SORT_PEAK}, 2, 3},  {{.leaks = true}, 1, 3},
    };
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        struct report report = prepared(orders[i].limits);
        assert_int_equal(report.sites[0]->view.id, orders[i].first);
        assert_int_equal(report.sites[report.shown - 1]->view.id, orders[i].last);
    }
}

static void a_merged_site_has_at_least_the_larger_maximum(void **state) {
    (void)state;
    struct report report = prepared((struct report_limits){0});
    assert_int_equal(report.sites[1]->counters.max_live_blocks, 2);
    assert_int_equal(report.sites[1]->counters.max_live_blocks_within, 1);
}

static void merges_sizes_and_lost_blocks(void **state) {
    (void)state;
    struct report report = unprepared();
    copies[0].sizes = sizes[0];
    copies[3].sizes = sizes[1];
    sizes[0][size_class(100)] = 3;
    sizes[1][size_class(100)] = 1;
    sizes[1][size_class(0)] = 2;
    copies[0].lost_blocks = copies[3].lost_blocks = 1;
    copies[0].lost_bytes = copies[3].lost_bytes = 100;
    report_prepare(&report, &(struct report_limits){0});
    assert_int_equal(report.sites[1]->sizes[size_class(100)], 4);
    assert_int_equal(report.sites[1]->sizes[0], 2);
    assert_int_equal(report.sites[1]->lost_bytes, 200);
    assert_int_equal(report.totals.lost_blocks, 2);
}

/* Pairs go to the row that stands for both copies, and equal ones become one. */
static void merges_pairs(void **state) {
    (void)state;
    struct report report = unprepared();
    add_pair(&report, FAULT_FOREIGN, -1, 4, 1, 0);
    add_pair(&report, PAIR_FREE, 3, 4, 1, 10);
    add_pair(&report, PAIR_FREE, 0, 2, 1, 500);
    add_pair(&report, PAIR_FREE, 0, 4, 2, 20);
    add_pair(&report, PAIR_REALLOC, 1, 1, 4, 3010);
    add_pair(&report, FAULT_DOUBLE_FREE, 1, 3, 1, 10);
    add_pair(&report, FAULT_DOUBLE_FREE, 1, 0, 1, 10);
    report_prepare(&report, &(struct report_limits){0});
    assert_int_equal(report.pair_count, 5);
    assert_int_equal(report.fault_count, 2);
    const struct report_site *f = report.sites[1];
    assert_int_equal(f->pair_count, 2);
    const struct report_pair *first = &report.pairs[f->first_pair];
    assert_int_equal(first[0].bytes, 500);
    assert_int_equal(first[1].count, 3);
    assert_int_equal(first[1].bytes, 30);
    assert_ptr_equal(first[1].owner, f);
    assert_int_equal(report.pairs[3].kind, FAULT_DOUBLE_FREE);
    assert_int_equal(report.pairs[3].count, 2);
    assert_ptr_equal(report.pairs[3].by, f);
}

static void cuts_and_adds_up(void **state) {
    (void)state;
    struct report report = prepared((struct report_limits){.top = 1});
    assert_int_equal(report.shown, 1);
    assert_int_equal(report.hidden.counters.allocs + report.sites[0]->counters.allocs,
                     report.totals.counters.allocs);
    assert_non_null(strstr(text_of(&report, FORMAT_TEXT), "2 more sites"));
    assert_non_null(strstr(text_of(&report, FORMAT_JSON), "\"sites_left_out\":2"));
    report = prepared((struct report_limits){.min_bytes = 401});
    assert_int_equal(report.shown, 1);
    report = prepared((struct report_limits){.min_allocs = 5});
    assert_int_equal(report.shown, 2);
    assert_int_equal(report.totals.counters.alloc_bytes, 510);
}

static void leaks_are_sites_with_live_blocks_lost_ones_first(void **state) {
    (void)state;
    struct report report = unprepared();
    report.reach = true;
    copies[2].lost_blocks = 1;
    copies[2].lost_bytes = 20;
    report_prepare(&report, &(struct report_limits){.leaks = true});
    assert_int_equal(report.shown, 2);
    assert_int_equal(report.sites[0]->view.id, 3);
    assert_string_equal(strchr(strstr(text_of(&report, FORMAT_TEXT), "sited: "), '\n') + 1,
                        "lost   live  share  blocks  allocs  most live  average  site\n"
                        "20 B  100 B  33.3%       5       5         5+     20 B  unsited in /lib/libc.so\n"
                        " 0 B  200 B  66.7%       2       4         2+    100 B  f a.c:10:5 malloc\n"
                        " 0 B    0 B   0.0%       0       1          -    802 B  1 more site\n");
}

static void text(void **state) {
    (void)state;
    struct report report = prepared((struct report_limits){0});
    assert_string_equal(
        text_of(&report, FORMAT_TEXT),
        "allocsite: /bin/p, pid 7\n"
        "total: 10 allocations of 510 B, 4 reallocations of 3.9 KiB, 1 failed\n"
        "live at exit: 7 blocks of 300 B; peak: 1.4 KiB in 9 blocks\n"
        "sited: 64.3% of 14 calls (97.8% of 4.4 KiB) at 2 sites; unsited: 1 module\n"
        "  bytes  share  allocs  share  reallocs  moved  failed   live    peak  most live  average  site\n"
        "3.9 KiB  88.9%       1  10.0%         4      4       1    0 B  1000 B          1    802 B  g "
        "a.c:20 "
        "realloc\n"
        "                                                                                           "
        "  in outer(int) a.c:30:2\n"
        "  400 B   8.9%       4  40.0%         0      0       0  200 B   300 B         2+    100 B  f "
        "a.c:10:5 malloc\n"
        "  100 B   2.2%       5  50.0%         0      0       0  100 B   100 B         5+     20 B  "
        "unsited "
        "in /lib/libc.so\n");
}

/* What follows the line of the site of function f, up to the next row. */
static const char *below_f(const struct report *report) {
    static char lines[2048];
    size_t used = 0;
    const char *line = strchr(strstr(text_of(report, FORMAT_TEXT), "  f a.c"), '\n') + 1;
    while (strncmp(line, "          ", 10) == 0) {
        const char *start = line + strspn(line, " "), *end = strchr(line, '\n') + 1;
        memcpy(lines + used, start, (size_t)(end - start));
        used += (size_t)(end - start);
        line = end;
    }
    lines[used] = '\0';
    return lines;
}

static void shows_sizes(void **state) {
    (void)state;
    struct report report = unprepared();
    copies[0].sizes = sizes[0];
    sizes[0][0] = 1;
    sizes[0][size_class(8)] = 30;
    sizes[0][size_class(16)] = 60;
    sizes[0][size_class(100)] = 9;
    report_prepare(&report, &(struct report_limits){.sizes = true});
    assert_string_equal(below_f(&report), "sizes: 0 B ▁···▄█·▂ 127 B, 60.0% of 16 B to 31 B\n");
    report.limits.sizes = false;
    assert_string_equal(below_f(&report), "");
}

static void shows_the_ends_of_the_sizes(void **state) {
    (void)state;
    struct report report = unprepared();
    copies[0].sizes = sizes[0];
    sizes[0][SIZE_CLASSES - 1] = UINT64_MAX;
    report_prepare(&report, &(struct report_limits){.sizes = true});
    assert_string_equal(below_f(&report), "sizes: 64.0 TiB █ more\n");
    sizes[0][SIZE_CLASSES - 1] = 0;
    sizes[0][0] = 7;
    assert_string_equal(below_f(&report), "sizes: 0 B █ 0 B\n");
    sizes[0][0] = 0;
    assert_string_equal(below_f(&report), "");
}

static void shows_the_largest_pairs_and_sums_up_the_rest(void **state) {
    (void)state;
    struct report report = unprepared();
    add_pair(&report, PAIR_FREE, 0, 4, 1, 100);
    add_pair(&report, PAIR_FREE, 0, 2, 1, 60);
    add_pair(&report, PAIR_FREE, 0, 1, 1, 50);
    add_pair(&report, PAIR_REALLOC, 0, 0, 3, 40);
    add_pair(&report, PAIR_REALLOC, 0, -1, 3, 30);
    add_pair(&report, PAIR_REALLOC, 0, 4, 1, 20);
    add_pair(&report, PAIR_REALLOC, 0, 2, 1, 10);
    report.has_pairs = true;
    report_prepare(&report, &(struct report_limits){.pairs = true});
    assert_string_equal(below_f(&report), "1 block of 100 B freed by h a.c:40:1 free\n"
                                          "1 block of 60 B freed by unsited in /lib/libc.so\n"
                                          "1 block of 50 B freed by g a.c:20 realloc in outer(int) a.c:30:2\n"
                                          "3 blocks of 40 B reallocated by itself\n"
                                          "3 blocks of 30 B reallocated by an unknown place\n"
                                          "2 blocks of 30 B by 2 more\n");
    assert_null(strstr(text_of(&report, FORMAT_TEXT), "FAULT"));
}

static void faults_stand_above_the_table(void **state) {
    (void)state;
    struct report report = unprepared();
    add_pair(&report, FAULT_DOUBLE_FREE, 1, 4, 2, 80);
    report_prepare(&report, &(struct report_limits){0});
    const char *text = text_of(&report, FORMAT_TEXT);
    const char *fault = strstr(text, "\nFAULT: freed twice, 2 times (80 B)\n"
                                     "  allocated by g a.c:20 realloc\n"
                                     "  in outer(int) a.c:30:2\n"
                                     "  freed by h a.c:40:1 free\n");
    assert_non_null(fault);
    assert_true(fault < strstr(text, "  site\n"));
    assert_non_null(
        strstr(text_of(&report, FORMAT_MARKDOWN),
               "\n**Fault:** freed twice, 2 times (80 B)<br>allocated by `g` a.c:20 `realloc`<br>in "
               "`outer(int)` a.c:30:2<br>freed by `h` a.c:40:1 `free`\n"));
}

static void advises_to_reuse_a_buffer(void **state) {
    (void)state;
    static const struct {
        struct counters counters;
        const char *advice;
    } cases[] = {
        {{.allocs = 1000, .max_live_blocks = 1}, "never two blocks at once: a buffer to reuse\n"},
        {{.allocs = 999, .max_live_blocks = 1}, ""},
        {{.allocs = 1000, .max_live_blocks = 2}, ""},
        {{.allocs = 1000, .max_live_blocks = 1, .max_live_blocks_within = 1}, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct report report = unprepared();
        copies[0].counters = cases[i].counters;
        copies[3].counters = (struct counters){0};
        report_prepare(&report, &(struct report_limits){0});
        assert_string_equal(below_f(&report), cases[i].advice);
    }
}

static void says_what_is_known_of_live_blocks(void **state) {
    (void)state;
    struct report report = unprepared();
    report.peak_within = 65536;
    report.reach = true;
    report.finished = false;
    copies[2].lost_blocks = 1;
    copies[2].lost_bytes = 20;
    copies[2].counters.inherited_blocks = 3;
    copies[2].counters.inherited_bytes = 33;
    report_prepare(&report, &(struct report_limits){0});
    const char *text = text_of(&report, FORMAT_TEXT);
    assert_non_null(strstr(text,
                           "\nlive so far: 7 blocks of 300 B; peak: 1.4 KiB in 9 blocks (the true peak is "
                           "within +64.0 KiB)\n"
                           "lost: 1 block of 20 B; still reachable: 6 blocks of 280 B\n"
                           "inherited: 3 blocks of 33 B that were there when counting began\n"));
    report.reach = false;
    report.lost_unknown = "nobody looks";
    assert_non_null(strstr(text_of(&report, FORMAT_TEXT), "\nlost: not known, nobody looks\n"));
    assert_non_null(strstr(text_of(&report, FORMAT_JSON), ",\"lost_unknown\":\"nobody looks\","));
}

static void what_was_left_out_is_in_the_totals(void **state) {
    (void)state;
    struct report report = unprepared();
    struct report_site stated = {.counters = {.allocs = 17, .alloc_bytes = 610}};
    report.left_out = 3;
    report.stated = &stated;
    report_prepare(&report, &(struct report_limits){.top = 2});
    const char *text = text_of(&report, FORMAT_TEXT);
    assert_non_null(strstr(text, "total: 17 allocations of 610 B"));
    assert_non_null(strstr(text, "sited: 2 sites; unsited: 1 module; 3 more left out\n"));
    assert_int_equal(report.hidden.counters.allocs, 5 + 7);
    assert_non_null(strstr(text, "  4 more sites\n"));
    assert_non_null(strstr(text_of(&report, FORMAT_JSON), "\"sites_left_out\":4"));
}

/* No byte of a program's may reach the terminal as a command to it. */
static void names_are_harmless(void **state) {
    (void)state;
    struct report report = unprepared();
    static const char *const reasons[] = {"\x1b[1m"};
    report.program = "/bin/\x1b[2J";
    report.reasons = reasons;
    report.reason_count = 1;
    copies[1].view.callee = "a\x1b`|\xFF";
    report_prepare(&report, &(struct report_limits){0});
    assert_null(strchr(text_of(&report, FORMAT_TEXT), '\x1b'));
    assert_null(strchr(text_of(&report, FORMAT_MARKDOWN), '\x1b'));
    assert_non_null(strstr(text_of(&report, FORMAT_MARKDOWN), " `a?'\\|?`<br>"));
}

static void markdown(void **state) {
    (void)state;
    struct report report = prepared((struct report_limits){.top = 2});
    const char *markdown = text_of(&report, FORMAT_MARKDOWN);
    assert_non_null(strstr(markdown,
                           "| 400 B | 8.9% | 4 | 40.0% | 0 | 0 | 0 | 200 B | 300 B | 2+ | 100 B | `f` "
                           "a.c:10:5 `malloc` |\n"));
    assert_non_null(strstr(markdown, "<br>in `outer(int)` a.c:30:2 |\n"));
    assert_non_null(strstr(markdown, "1 more site |\n"));
}

static void csv(void **state) {
    (void)state;
    struct report report = unprepared();
    report.reach = true;
    report_prepare(&report, &(struct report_limits){0});
    assert_string_equal(
        text_of(&report, FORMAT_CSV),
        "id,module,sited,function,file,line,column,callee,type,inlined,address,backing,allocs,alloc_bytes,"
        "reallocs,"
        "realloc_bytes,realloc_old_bytes,frees,freed_bytes,moved,moved_bytes,live_blocks,live_bytes,failed,"
        "peak_bytes,peak_blocks,inherited_blocks,inherited_bytes,max_live_blocks,max_live_blocks_within,"
        "lost_blocks,lost_bytes\r\n"
        "0000000000000002,\"/bin/p\",1,\"g\",\"/src/a.c\",20,0,\"realloc\",\"\","
        "\"outer(int) at /src/a.c:30:2\",,0,1,10,4,4000,0,1,1000,4,3010,0,0,1,1000,1,0,0,1,0,0,0\r\n"
        "0000000000000001,\"/bin/p\",1,\"f\",\"/src/a.c\",10,5,\"malloc\",\"\",\"\","
        ",0,4,400,0,0,0,2,200,0,0,2,200,0,300,3,0,0,2,1,0,0\r\n"
        "0000000000000003,\"/lib/libc.so\",0,\"\",\"\",0,0,\"\",\"\",\"\","
        ",0,5,100,0,0,0,0,0,0,0,5,100,0,100,5,0,0,5,2,0,0\r\n");
}

static void json(void **state) {
    (void)state;
    struct report report = prepared((struct report_limits){0});
    static const char *const reasons[] = {"a \"reason\""};
    report.reasons = reasons;
    report.reason_count = 1;
    const char *json = text_of(&report, FORMAT_JSON);
    assert_non_null(
        strstr(json, "\"exact\":false,\"inexact_reasons\":[\"a \\\"reason\\\"\"],\"finished\":true"));
    assert_non_null(strstr(
        json, "\"totals\":{\"allocs\":10,\"alloc_bytes\":510,\"reallocs\":4,\"realloc_bytes\":4000,"
              "\"realloc_old_bytes\":0,\"frees\":3,\"freed_bytes\":1200,\"moved\":4,\"moved_bytes\":3010,"
              "\"live_blocks\":7,\"live_bytes\":300,\"failed\":1,\"peak_bytes\":1400,\"peak_blocks\":9,"
              "\"inherited_blocks\":0,\"inherited_bytes\":0},\"peak_within\":0,\"sites_left_out\":0"));
    assert_non_null(strstr(
        json, "\"inlined\":[{\"function\":\"outer(int)\",\"file\":\"/src/a.c\",\"line\":30,\"column\":2}]"));
    assert_non_null(strstr(json, "\"sited\":false,\"function\":null,\"file\":null,\"line\":0"));
    assert_non_null(strstr(json, "\"max_live_blocks\":5,\"max_live_blocks_within\":2}],\n\"faults\":[]}\n"));
    assert_null(strstr(json, "sizes"));
    assert_null(strstr(json, "pairs"));
    assert_null(strstr(json, "lost"));
    assert_null(strstr(json, "\"h\""));
}

static void json_of_all_options(void **state) {
    (void)state;
    struct report report = unprepared();
    report.reach = report.has_pairs = true;
    copies[1].sizes = sizes[0];
    copies[2].sizes = sizes[1];
    sizes[0][size_class(10)] = 1;
    sizes[0][size_class(1000)] = 4;
    add_pair(&report, PAIR_REALLOC, 1, 1, 4, 3010);
    add_pair(&report, FAULT_FOREIGN, -1, 4, 1, 0);
    report_prepare(&report, &(struct report_limits){0});
    const char *json = text_of(&report, FORMAT_JSON);
    assert_non_null(strstr(json, "\"sizes\":[[8,1],[512,4]],\"lost_blocks\":0,\"lost_bytes\":0}"));
    assert_non_null(strstr(json, "\"sizes\":[],\"lost_blocks\":0"));
    assert_non_null(strstr(json, "\"function\":\"h\""));
    assert_non_null(strstr(json,
                           "\n\"pairs\":[\n{\"owner\":\"0000000000000002\",\"by\":\"0000000000000002\","
                           "\"kind\":\"realloc\",\"count\":4,\"bytes\":3010}],\n"
                           "\"faults\":[\n{\"owner\":null,\"by\":\"0000000000000005\",\"kind\":\"foreign\","
                           "\"count\":1,\"bytes\":0}]}\n"));
    assert_null(strstr(text_of(&report, FORMAT_TEXT), "3 sites"));
}

/* What is shown brings along the sites that its pairs name, and no others. */
static void a_cut_report_has_the_sites_that_its_pairs_name(void **state) {
    (void)state;
    struct report report = unprepared();
    report.has_pairs = true;
    add_pair(&report, PAIR_FREE, 1, 4, 1, 1000);
    add_pair(&report, PAIR_FREE, 0, 2, 1, 100);
    report_prepare(&report, &(struct report_limits){.top = 1});
    const char *json = text_of(&report, FORMAT_JSON);
    assert_non_null(strstr(json, "\"function\":\"h\""));
    assert_null(strstr(json, "libc"));
    assert_null(strstr(json, "\"bytes\":100}"));
    assert_non_null(strstr(json, "\"sites_left_out\":2"));
}

static void limits_follow_the_options(void **state) {
    (void)state;
    struct options options;
    options_default(&options);
    assert_int_equal(report_limits_of(&options).top, 20);
    options.format = FORMAT_CSV;
    assert_int_equal(report_limits_of(&options).top, 0);
    options.top_given = options.leaks = options.sizes = true;
    struct report_limits limits = report_limits_of(&options);
    assert_int_equal(limits.top, 20);
    assert_true(limits.leaks && limits.sizes && !limits.pairs);
}

static void size_classes(void **state) {
    (void)state;
    assert_int_equal(size_class(0), 0);
    assert_int_equal(size_class(1), 1);
    assert_int_equal(size_class(UINT64_MAX), SIZE_CLASSES - 1);
    for (unsigned i = 1; i < SIZE_CLASSES; i++) {
        assert_int_equal(size_class(size_class_start(i)), i);
        assert_int_equal(size_class(size_class_start(i) - 1), i - 1);
    }
}

static void an_empty_report(void **state) {
    (void)state;
    struct report report = {.program = "p"};
    report_prepare(&report, &(struct report_limits){0});
    assert_string_equal(text_of(&report, FORMAT_TEXT),
                        "allocsite: p, pid 0\ntotal: 0 allocations of 0 B, 0 reallocations of 0 B, 0 failed\n"
                        "live so far: 0 blocks of 0 B; peak: 0 B in 0 blocks\n"
                        "sited: - of 0 calls (- of 0 B) at 0 sites; unsited: 0 modules\n");
    assert_non_null(strstr(text_of(&report, FORMAT_JSON), "\n\"sites\":[],\n\"faults\":[]}\n"));
}

static void units(void **state) {
    (void)state;
    static const struct {
        uint64_t bytes;
        const char *text;
    } sizes[] = {{0, "0 B"},        {1023, "1023 B"},       {1024, "1.0 KiB"},
                 {1536, "1.5 KiB"}, {34707867, "33.1 MiB"}, {UINT64_MAX, "16.0 EiB"}};
    char text[UNITS_SIZE];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        units_size(text, sizes[i].bytes);
        assert_string_equal(text, sizes[i].text);
    }
    units_count(text, UINT64_MAX);
    assert_string_equal(text, "18,446,744,073,709,551,615");
    units_count(text, 0);
    assert_string_equal(text, "0");
    units_share(text, 99999, 100000);
    assert_string_equal(text, "99.9%");
    units_share(text, UINT64_MAX, UINT64_MAX);
    assert_string_equal(text, "100.0%");
}

static void names(void **state) {
    (void)state;
    char text[NAME_SIZE];
    name_function(text, "short<int>()");
    assert_string_equal(text, "short<int>()");
    name_function(
        text,
        "std::vector<std::pair<std::string, std::map<int, long> >, std::allocator<char> >::push_back(int)");
    assert_string_equal(text, "std::vector<...>::push_back(int)");
    name_function(
        text,
        "std::ostream& operator<< <std::char_traits<char> >(std::ostream&, some_very_long_parameter_name)");
    assert_string_equal(text, "std::ostream& operator<< <...>(std::ostream&, some_very_long_paramete...");
    name_function(text, NULL);
    assert_string_equal(text, "?");
    name_function(text, "a\nb\xFF");
    assert_string_equal(text, "a?b?");
}

static const char *shown_path(const char *path, const char *directory) {
    static char text[64];
    path_show(text, sizeof text, path, directory);
    return text;
}

static void shows_paths_clean_and_relative(void **state) {
    (void)state;
    assert_string_equal(shown_path("/src/a/b.c", "/src"), "a/b.c");
    assert_string_equal(shown_path("/src/../src/./a/../b.c", "/src"), "b.c");
    assert_string_equal(shown_path("/srcs/b.c", "/src"), "/srcs/b.c");
    assert_string_equal(shown_path("/b.c", "/"), "/b.c");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merges_and_sorts),
        cmocka_unit_test(sorts_by_what_is_asked_for),
        cmocka_unit_test(a_merged_site_has_at_least_the_larger_maximum),
        cmocka_unit_test(merges_sizes_and_lost_blocks),
        cmocka_unit_test(merges_pairs),
        cmocka_unit_test(cuts_and_adds_up),
        cmocka_unit_test(leaks_are_sites_with_live_blocks_lost_ones_first),
        cmocka_unit_test(text),
        cmocka_unit_test(shows_sizes),
        cmocka_unit_test(shows_the_ends_of_the_sizes),
        cmocka_unit_test(shows_the_largest_pairs_and_sums_up_the_rest),
        cmocka_unit_test(faults_stand_above_the_table),
        cmocka_unit_test(advises_to_reuse_a_buffer),
        cmocka_unit_test(says_what_is_known_of_live_blocks),
        cmocka_unit_test(what_was_left_out_is_in_the_totals),
        cmocka_unit_test(names_are_harmless),
        cmocka_unit_test(markdown),
        cmocka_unit_test(csv),
        cmocka_unit_test(json),
        cmocka_unit_test(json_of_all_options),
        cmocka_unit_test(a_cut_report_has_the_sites_that_its_pairs_name),
        cmocka_unit_test(limits_follow_the_options),
        cmocka_unit_test(size_classes),
        cmocka_unit_test(an_empty_report),
        cmocka_unit_test(units),
        cmocka_unit_test(names),
        cmocka_unit_test(shows_paths_clean_and_relative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
