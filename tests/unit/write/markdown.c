/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report as markdown. */
#include "report_rows.h"

static void markdown(void **state) {
    (void)state;
    struct report report = prepared((struct report_limits){.top = 2});
    const char *markdown = text_of(&report, FORMAT_MARKDOWN);
    assert_non_null(
        strstr(markdown, "| 400 B | 8.9% | 4 | 0 | 0 | 0 | 200 B | 300 B | `a.c:10:5`: `f` -> `malloc` |\n"));
    assert_non_null(strstr(markdown, "<br>called by `outer` (`a.c:30`) |\n"));
    assert_non_null(strstr(markdown, "1 more site |\n"));
}

static void hostile_names(void **state) {
    (void)state;
    struct report report = hostile_report();
    assert_non_null(
        strstr(text_of(&report, FORMAT_MARKDOWN), "`a\\|<b>'.c:10:5`: `f?[2J?1m` -> `malloc` |\n"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markdown),
        cmocka_unit_test(hostile_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
