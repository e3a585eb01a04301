/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report as JSON. */
#include "report_rows.h"

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
    assert_non_null(strstr(
        json, "\"max_live_blocks\":5,\"max_live_blocks_within\":2}],\n\"faults\":[],\n\"stacks\":[]}\n"));
    assert_null(strstr(json, "sizes"));
    assert_null(strstr(json, "pairs"));
    assert_null(strstr(json, "leaked"));
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
    assert_non_null(strstr(json, "\"sizes\":[[8,1],[512,4]],\"leaked_blocks\":0,\"leaked_bytes\":0,"
                                 "\"possibly_leaked_blocks\":0,\"possibly_leaked_bytes\":0}"));
    assert_non_null(strstr(json, "\"sizes\":[],\"leaked_blocks\":0"));
    assert_non_null(strstr(json, "\"function\":\"h\""));
    assert_non_null(strstr(json,
                           "\n\"pairs\":[\n{\"owner\":\"0000000000000002\",\"by\":\"0000000000000002\","
                           "\"kind\":\"realloc\",\"count\":4,\"bytes\":3010}],\n"
                           "\"faults\":[\n{\"owner\":null,\"by\":\"0000000000000005\",\"kind\":\"foreign\","
                           "\"count\":1,\"bytes\":0}],\n\"stacks\":[]}\n"));
    assert_null(strstr(text_of(&report, FORMAT_TEXT), "3 sites"));
}

/* A limited report includes the sites that its pairs refer to, and no others. */
static void a_limited_report_has_the_sites_of_its_pairs(void **state) {
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json),
        cmocka_unit_test(json_of_all_options),
        cmocka_unit_test(a_limited_report_has_the_sites_of_its_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
