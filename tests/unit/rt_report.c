// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports: merging, sorting, cutting, and what the formats say.
#include "path.h"
#include "report.h"
#include "report_names.h"
#include "report_units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct place chain[] = {{"outer(int)", "/src/a.c", 30, 2}};

static struct report_site rows[] = {
    {{.id = 1, .module = "/bin/p", .sited = true, .at = {"f", "/src/a.c", 10, 5}, .callee = "malloc"},
     {.allocs = 3, .alloc_bytes = 300}},
    {{.id = 2,
      .module = "/bin/p",
      .sited = true,
      .at = {"g", "/src/a.c", 20, 0},
      .callee = "realloc",
      .inlined = chain,
      .inlined_count = 1},
     {.allocs = 1, .alloc_bytes = 10, .reallocs = 4, .realloc_bytes = 4000, .failed = 1}},
    {{.id = 3, .module = "/lib/libc.so"}, {.allocs = 5, .alloc_bytes = 100}},
    {{.id = 1, .module = "/bin/p", .sited = true, .at = {"f", "/src/a.c", 10, 5}, .callee = "malloc"},
     {.allocs = 1, .alloc_bytes = 100}},
};

static struct report_site copies[4], *order[4];

static struct report prepared(struct report_limits limits) {
    memcpy(copies, rows, sizeof rows);
    for (int i = 0; i < 4; i++)
        order[i] = &copies[i];
    struct report report = {.program = "/bin/p",
                            .directory = "/src",
                            .pid = 7,
                            .finished = true,
                            .sites = order,
                            .site_count = 4};
    report_prepare(&report, &limits);
    return report;
}

static const char *text_of(const struct report *report, enum report_format format) {
    static char text[16384];
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
    assert_int_equal(report.site_count, 3);
    assert_int_equal(report.shown, 3);
    assert_int_equal(report.sites[0]->view.id, 2);
    assert_int_equal(report.sites[1]->view.id, 1);
    assert_int_equal(report.sites[1]->counters.alloc_bytes, 400);
    assert_int_equal(report.totals.allocs, 10);
    assert_int_equal(report.sited.allocs, 5);
    assert_int_equal(report.sited_count, 2);
    assert_int_equal(report.module_count, 1);
    report = prepared((struct report_limits){.sort = SORT_ALLOCS});
    assert_int_equal(report.sites[2]->view.id, 1);
}

static void cuts_and_adds_up(void **state) {
    (void)state;
    struct report report = prepared((struct report_limits){.top = 1});
    assert_int_equal(report.shown, 1);
    assert_int_equal(report.hidden.allocs + report.sites[0]->counters.allocs, report.totals.allocs);
    assert_non_null(strstr(text_of(&report, FORMAT_TEXT), "2 more sites"));
    report = prepared((struct report_limits){.min_bytes = 401});
    assert_int_equal(report.shown, 1);
    report = prepared((struct report_limits){.min_allocs = 5});
    assert_int_equal(report.shown, 2);
    assert_int_equal(report.totals.alloc_bytes, 510);
}

static void text(void **state) {
    (void)state;
    struct report report = prepared((struct report_limits){0});
    assert_string_equal(
        text_of(&report, FORMAT_TEXT),
        "allocsite: /bin/p, pid 7\n"
        "total: 10 allocations of 510 B, 4 reallocations of 3.9 KiB, 1 failed\n"
        "sited: 64.3% of 14 calls (97.8% of 4.4 KiB) at 2 sites; unsited: 1 module\n"
        "  bytes  share  allocs  share  reallocs  failed  average  site\n"
        "3.9 KiB  88.9%       1  10.0%         4       1    802 B  g a.c:20 realloc\n"
        "                                                            in outer(int) a.c:30:2\n"
        "  400 B   8.9%       4  40.0%         0       0    100 B  f a.c:10:5 malloc\n"
        "  100 B   2.2%       5  50.0%         0       0     20 B  unsited in /lib/libc.so\n");
}

static void markdown(void **state) {
    (void)state;
    struct report report = prepared((struct report_limits){.top = 2});
    const char *markdown = text_of(&report, FORMAT_MARKDOWN);
    assert_non_null(
        strstr(markdown, "| 400 B | 8.9% | 4 | 40.0% | 0 | 0 | 100 B | `f` a.c:10:5 `malloc` |\n"));
    assert_non_null(strstr(markdown, "<br>in `outer(int)` a.c:30:2 |\n"));
    assert_non_null(strstr(markdown, "1 more site |\n"));
}

static void csv(void **state) {
    (void)state;
    struct report report = prepared((struct report_limits){0});
    assert_string_equal(
        text_of(&report, FORMAT_CSV),
        "id,module,sited,function,file,line,column,callee,type,inlined,allocs,alloc_bytes,reallocs,"
        "realloc_bytes,failed\r\n"
        "0000000000000002,\"/bin/p\",1,\"g\",\"/src/a.c\",20,0,\"realloc\",\"\","
        "\"outer(int) at /src/a.c:30:2\",1,10,4,4000,1\r\n"
        "0000000000000001,\"/bin/p\",1,\"f\",\"/src/a.c\",10,5,\"malloc\",\"\",\"\",4,400,0,0,0\r\n"
        "0000000000000003,\"/lib/libc.so\",0,\"\",\"\",0,0,\"\",\"\",\"\",5,100,0,0,0\r\n");
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
    assert_non_null(
        strstr(json, "\"totals\":{\"allocs\":10,\"alloc_bytes\":510,\"reallocs\":4,\"realloc_bytes\":4000,"
                     "\"realloc_old_bytes\":null"));
    assert_non_null(strstr(
        json, "\"inlined\":[{\"function\":\"outer(int)\",\"file\":\"/src/a.c\",\"line\":30,\"column\":2}]"));
    assert_non_null(strstr(json, "\"sited\":false,\"function\":null,\"file\":null,\"line\":0"));
}

static void an_empty_report(void **state) {
    (void)state;
    struct report report = {.program = "p"};
    report_prepare(&report, &(struct report_limits){0});
    assert_string_equal(text_of(&report, FORMAT_TEXT),
                        "allocsite: p, pid 0\ntotal: 0 allocations of 0 B, 0 reallocations of 0 B, 0 failed\n"
                        "sited: - of 0 calls (- of 0 B) at 0 sites; unsited: 0 modules\n");
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
        cmocka_unit_test(cuts_and_adds_up),
        cmocka_unit_test(text),
        cmocka_unit_test(markdown),
        cmocka_unit_test(csv),
        cmocka_unit_test(json),
        cmocka_unit_test(an_empty_report),
        cmocka_unit_test(units),
        cmocka_unit_test(names),
        cmocka_unit_test(shows_paths_clean_and_relative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
