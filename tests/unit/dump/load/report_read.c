/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Reports as JSON: what is read, and what is said of JSON that is no report.
#include "dump/load/source.h"

#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Tests replace parts of it. */
#define COUNTERS(n)                                                                                          \
    "\"allocs\":" n ",\"alloc_bytes\":2,\"reallocs\":3,\"realloc_bytes\":4,\"realloc_old_bytes\":5,"         \
    "\"frees\":6,\"freed_bytes\":7,\"moved\":8,\"moved_bytes\":9,\"live_blocks\":10,\"live_bytes\":11,"      \
    "\"failed\":12,\"peak_bytes\":13,\"peak_blocks\":14,\"inherited_blocks\":15,\"inherited_bytes\":16"
#define MAXIMA ",\"max_live_blocks\":17,\"max_live_blocks_within\":18"

static const char document[] =
    "{\"format\":\"allocsite-report\",\"version\":1,\"program\":\"/bin/p\",\"pid\":42,\"exact\":false,"
    "\"inexact_reasons\":[\"why\"],\"finished\":true,"
    "\"totals\":{" COUNTERS(
        "100") ",\"lost_blocks\":1,\"lost_bytes\":2},"
               "\"peak_within\":99,\"sites_left_out\":0,\"sites\":["
               "{\"id\":\"00000000000000a1\",\"module\":\"/bin/"
               "p\",\"sited\":true,\"function\":\"f\",\"file\":\"a.c\","
               "\"line\":4294967295,\"column\":2,\"callee\":\"malloc\",\"type\":\"T\",\"inlined\":["
               "{\"function\":\"g\",\"file\":null,\"line\":3,\"column\":4},"
               "{\"function\":null,\"file\":\"b.c\",\"line\":5,\"column\":6}]," COUNTERS("1") MAXIMA
    ",\"sizes\":[[0,1],[16,2],[70368744177664,3]],\"lifetimes\":{\"allocations\":9,\"nanoseconds\":70,"
    "\"by_allocations\":[[0,2],[8,1]],\"by_time\":[[32,3]]},\"lost_blocks\":1,\"lost_bytes\":2},"
    "{\"id\":\"ffffffffffffffff\",\"module\":null,\"sited\":false,\"function\":null,\"file\":null,\"line\":0,"
    "\"column\":0,\"callee\":null,\"type\":null,\"inlined\":[]," COUNTERS("9") MAXIMA
    ",\"lost_blocks\":0,\"lost_bytes\":0}],"
    "\"pairs\":[{\"owner\":\"00000000000000a1\",\"by\":null,\"kind\":\"realloc\",\"count\":5,\"bytes\":6}],"
    "\"faults\":[{\"owner\":null,\"by\":\"ffffffffffffffff\",\"kind\":\"foreign\",\"count\":7,\"bytes\":8}],"
    "\"of a later version\":{}}";

static struct report_file file;
static struct reason why;

static bool reads(const char *text) {
    return report_read(&file, text, strlen(text), &why);
}

static void every_member(void **state) {
    (void)state;
    assert_true(reads(document));
    const struct report *report = &file.report;
    assert_string_equal(report->program, "/bin/p");
    assert_int_equal(report->pid, 42);
    assert_true(report->finished && report->reach && report->has_pairs);
    assert_int_equal(report->reason_count, 1);
    assert_string_equal(report->reasons[0], "why");
    assert_int_equal(report->stated->counters.allocs, 100);
    assert_int_equal(report->stated->counters.inherited_bytes, 16);
    assert_int_equal(report->stated->lost_bytes, 2);
    assert_int_equal(report->peak_within, 99);
    assert_int_equal(report->site_count, 2);
    report_read_free(&file);
}

static void every_member_of_a_site(void **state) {
    (void)state;
    assert_true(reads(document));
    const struct report_site *site = file.report.sites[0], *unsited = file.report.sites[1];
    assert_int_equal(site->view.id, 0xa1);
    assert_string_equal(site->view.type, "T");
    assert_true(site->view.at.line == UINT32_MAX);
    assert_int_equal(site->view.inlined_count, 2);
    assert_null(site->view.inlined[0].file);
    assert_string_equal(site->view.inlined[1].file, "b.c");
    assert_int_equal(site->counters.max_live_blocks_within, 18);
    assert_int_equal(site->lost_blocks, 1);
    assert_int_equal(site->sizes[0], 1);
    assert_int_equal(site->sizes[size_class(16)], 2);
    assert_int_equal(site->sizes[SIZE_CLASSES - 1], 3);
    assert_null(unsited->sizes);
    const struct profile_lifetimes *lifetimes = &site->lifetimes->of;
    assert_true(lifetimes->allocations == 9 && lifetimes->nanoseconds == 70);
    assert_true(lifetimes->by_allocations[0] == 2 && lifetimes->by_allocations[4] == 1);
    assert_true(lifetimes->by_time[6] == 3 && lifetimes_blocks(site->lifetimes) == 3);
    assert_null(unsited->lifetimes);
    assert_false(unsited->view.sited);
    assert_null(unsited->view.module);
    report_read_free(&file);
}

static void pairs_and_faults(void **state) {
    (void)state;
    assert_true(reads(document));
    const struct report_pair *pairs = file.report.pairs;
    assert_int_equal(file.report.pair_count, 2);
    assert_int_equal(pairs[0].kind, PAIR_REALLOC);
    assert_ptr_equal(pairs[0].owner, file.report.sites[0]);
    assert_null(pairs[0].by);
    assert_int_equal(pairs[0].count, 5);
    assert_int_equal(pairs[1].kind, FAULT_FOREIGN);
    assert_ptr_equal(pairs[1].by, file.report.sites[1]);
    assert_int_equal(pairs[1].bytes, 8);
    report_read_free(&file);
}

/* The document with one part replaced; freed by the caller. */
static char *replaced(const char *part, const char *by) {
    const char *at = strstr(document, part);
    assert_non_null(at);
    char *text = malloc(sizeof document + strlen(by));
    assert_non_null(text);
    memcpy(text, document, (size_t)(at - document));
    strcpy(stpcpy(text + (at - document), by), at + strlen(part));
    return text;
}

static void members_that_need_not_be_there(void **state) {
    (void)state;
    static const char *const absent[][2] = {
        {"\"pairs\":", "\"x\":"},
        {"\"sizes\":", "\"x\":"},
        {"\"peak_within\":99", "\"lost_unknown\":\"y\",\"peak_within\":0"}};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        char *text = replaced(absent[i][0], absent[i][1]);
        assert_true(reads(text));
        assert_int_equal(file.report.has_pairs, i != 0);
        assert_int_equal(!file.report.sites[0]->sizes, i == 1);
        assert_int_equal(!!file.report.lost_unknown, i == 2);
        report_read_free(&file);
        free(text);
    }
}

/* A newer counter is 0 in a report that does not tell it; one that the totals tell, no site may lack. */
static void a_counter_that_is_not_told(void **state) {
    (void)state;
    char *text = replaced("\"failed\":12", "\"x\":12");
    for (char *at = text; (at = strstr(at, "\"failed\":12"));)
        memcpy(at, "\"later\" :12", 11);
    assert_true(reads(text));
    assert_int_equal(file.report.stated->counters.failed, 0);
    assert_int_equal(file.report.sites[0]->counters.failed, 0);
    assert_int_equal(file.report.sites[1]->counters.peak_bytes, 13);
    report_read_free(&file);
    free(text);
    text = replaced("\"allocs\":9", "\"x\":9");
    assert_false(reads(text));
    assert_string_equal(why.text, "sites[1].allocs is missing");
    free(text);
    text = replaced("\"allocs\":100", "\"x\":100");
    assert_true(reads(text));
    assert_int_equal(file.report.stated->counters.allocs, 0);
    assert_int_equal(file.report.sites[0]->counters.allocs, 1);
    report_read_free(&file);
    free(text);
}

static void an_id_twice(void **state) {
    (void)state;
    char *text = replaced("\"id\":\"ffffffffffffffff\"", "\"id\":\"00000000000000a1\"");
    char *party = strstr(text, "\"by\":\"ffffffffffffffff\"");
    memcpy(party, "\"by\":\"00000000000000a1\"", 23);
    assert_true(reads(text));
    assert_true(file.report.sites[0]->shares_id && file.report.sites[1]->shares_id);
    report_read_free(&file);
    free(text);
    assert_true(reads(document));
    assert_false(file.report.sites[0]->shares_id);
    report_read_free(&file);
}

/* What a report of several processes has besides. */
#define SEVERAL                                                                                              \
    "\"pid\":0,\"processes\":7,\"unfinished\":0,\"programs\":[\"/p\",\"/q\"],\"inexact_processes\":[3]"

static void several_processes(void **state) {
    (void)state;
    char *text = replaced("\"pid\":42", SEVERAL);
    assert_true(reads(text));
    assert_true(file.report.several.count == 7 && file.report.several.unfinished == 0);
    assert_int_equal(report_reason_part(&file.report, 0), 3);
    assert_int_equal(file.report.several.program_count, 2);
    assert_string_equal(file.report.several.programs[1], "/q");
    report_read_free(&file);
    free(text);
    text = replaced("\"pid\":42", "\"pid\":42,\"processes\":1");
    assert_true(reads(text));
    assert_true(file.report.several.count == 0 && file.report.pid == 42);
    report_read_free(&file);
    free(text);
}

static void what_is_wrong_is_named(void **state) {
    (void)state;
    static const struct {
        const char *part, *by, *reason;
    } cases[] = {
        {"allocsite-report", "allocsite-sites", "format is not \"allocsite-report\""},
        {"\"version\":1", "\"version\":99", "version is of a newer allocsite"},
        {"\"version\":1", "\"version\":\"1\"", "version is not a count"},
        {"\"program\":\"/bin/p\"", "\"program\":null", "program is not a string"},
        {"\"pid\":42", "\"pid\":-1", "pid is not a count"},
        {"\"pid\":42", "\"pid\":4.0", "pid is not a count"},
        {"\"pid\":42", "\"pid\":9223372036854775808", "pid is not a count"},
        {"\"pid\":42", "\"pid\":18446744073709551617", "pid is not a count"},
        {"\"pid\":42,", "", "pid is missing"},
        {"\"pid\":42,", "\"pid\":42,\"run\":1,", "run is not an object"},
        {"\"pid\":42,",
         "\"pid\":42,\"run\":{\"command\":null,\"begun_ms\":1,\"ended_ms\":2,\"ending\":\"x\",\"status\":0,"
         "\"max_resident_bytes\":3},",
         "run.ending is not known"},
        {"\"pid\":42", "\"pid\":0,\"processes\":7", "unfinished is missing"},
        {"\"pid\":42", "\"pid\":0,\"processes\":7,\"unfinished\":1",
         "unfinished contradicts processes or finished"},
        {"\"pid\":42", "\"pid\":0,\"processes\":7,\"unfinished\":0,\"programs\":[1]",
         "programs has something that is not a string"},
        {"\"pid\":42", "\"pid\":0,\"processes\":7,\"unfinished\":0,\"inexact_processes\":[0]",
         "inexact_processes has something that is not a count"},
        {"\"pid\":42", "\"pid\":0,\"processes\":7,\"unfinished\":0,\"inexact_processes\":[]",
         "inexact_processes does not fit inexact_reasons"},
        {"\"exact\":false", "\"exact\":true", "exact contradicts inexact_reasons"},
        {"\"exact\":false", "\"exact\":0", "exact is neither true nor false"},
        {"[\"why\"]", "[1]", "inexact_reasons has something that is not a string"},
        {"[\"why\"]", "{}", "inexact_reasons is not an array"},
        {"\"totals\":{", "\"totals\":1,\"x\":{", "totals is not an object"},
        {"\"allocs\":100", "\"allocs\":null", "totals.allocs is not a count"},
        {"\"sites\":[", "\"sites\":[1,", "sites[0] is not an object"},
        {"\"sites\":[", "\"sites\":{},\"x\":[", "sites is not an array"},
        {"00000000000000a1", "00000000000000A1", "sites[0].id is not 16 hexadecimal digits"},
        {"00000000000000a1", "0000000000000a1", "sites[0].id is not 16 hexadecimal digits"},
        {"00000000000000a1", "000000000000000a1", "sites[0].id is not 16 hexadecimal digits"},
        {"\"00000000000000a1\"", "null", "sites[0].id is null"},
        {"\"line\":4294967295", "\"line\":4294967296", "sites[0].line is too large"},
        {"\"line\":3", "\"line\":[]", "sites[0].inlined[0].line is not a count"},
        {"{\"function\":null,\"file\":\"b.c\",\"line\":5,\"column\":6}", "[]",
         "sites[0].inlined[1] is not an object"},
        {"\"allocs\":9", "\"allocs\":-9", "sites[1].allocs is not a count"},
        {",\"lost_blocks\":0,\"lost_bytes\":0", "", "sites[1].lost_blocks is missing"},
        {"[16,2]", "[17,2]", "sites[0].sizes has something that is not the start of a class and a count"},
        {"[16,2]", "[16,2,3]", "sites[0].sizes has something that is not the start of a class and a count"},
        {"[16,2]", "[16,-2]", "sites[0].sizes has something that is not the start of a class and a count"},
        {"[32,3]", "[33,3]",
         "sites[0].lifetimes.by_time has something that is not the start of a class and a count"},
        {"\"nanoseconds\":70,", "", "sites[0].lifetimes.nanoseconds is missing"},
        {"[16,2]", "16", "sites[0].sizes has something that is not the start of a class and a count"},
        {"\"pairs\":[", "\"pairs\":[0,", "pairs[0] is not an object"},
        {"\"kind\":\"realloc\"", "\"kind\":\"foreign\"", "pairs[0].kind is not known"},
        {"\"kind\":\"foreign\"", "\"kind\":\"free\"", "faults[0].kind is not known"},
        {"\"owner\":\"00000000000000a1\"", "\"owner\":\"00000000000000a2\"",
         "pairs[0].owner is no id of a site"},
        {"\"by\":null", "\"by\":1", "pairs[0].by is not a string"},
        {"\"count\":7", "\"count\":true", "faults[0].count is not a count"},
        {"\"faults\":", "\"x\":", "faults is missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = replaced(cases[i].part, cases[i].by);
        assert_false(reads(text));
        assert_string_equal(why.text, cases[i].reason);
        free(text);
    }
}

static void json_that_is_none(void **state) {
    (void)state;
    static const char *const texts[] = {
        "{", "{}x", " [x", "{\"a\":1,\"a\":2}", "[\"\xFF\"]", "[\"\\u0000\"]",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_false(reads(texts[i]));
        assert_ptr_equal(strstr(why.text, "is not JSON: line 1, column "), why.text);
    }
    assert_false(reads("[]"));
    assert_string_equal(why.text, "is not a report of allocsite");
    assert_false(reads("\n x{}"));
    assert_string_equal(why.text, "is neither a profile nor a report in JSON");
    assert_false(reads("\177ELF\2\1"));
    assert_non_null(strstr(why.text, "shown by sites"));
}

/* The reason goes to a terminal. */
static void json_that_sends_commands(void **state) {
    (void)state;
    assert_false(reads("{\"a\": \x1b[2J\n}"));
    assert_null(strpbrk(why.text, "\x1b\n"));
}

static void json_that_is_deep(void **state) {
    (void)state;
    enum { DEPTH = 1000000 };
    char *text = malloc(DEPTH);
    assert_non_null(text);
    memset(text, '[', DEPTH);
    assert_false(report_read(&file, text, DEPTH, &why));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member),
        cmocka_unit_test(every_member_of_a_site),
        cmocka_unit_test(pairs_and_faults),
        cmocka_unit_test(members_that_need_not_be_there),
        cmocka_unit_test(a_counter_that_is_not_told),
        cmocka_unit_test(several_processes),
        cmocka_unit_test(an_id_twice),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(json_that_is_none),
        cmocka_unit_test(json_that_sends_commands),
        cmocka_unit_test(json_that_is_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
