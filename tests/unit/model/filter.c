/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Patterns that select sites, and suppressed leaks. */
#include "model/filter.h"
#include "model/suppress.h"

#include "report_rows.h"

static const struct place inlined[] = {{"caller(int)", "/src/b.c", 9, 1}};

static const struct site_view view = {.id = 0x0123456789abcdef,
                                      .module = "/usr/bin/app",
                                      .sited = true,
                                      .at = {"ns::grow(char const*)", "/src/lib/a.c", 7, 3},
                                      .callee = "operator new[]",
                                      .type = "ns::Foo<int>",
                                      .inlined = inlined,
                                      .inlined_count = 1};

static void a_site_with_all_fields(void **state) {
    (void)state;
    static const char *const matching[] = {"0123456789abcdef",
                                           "a.c",
                                           "lib/a.c",
                                           "a.c:7",
                                           "ns::grow",
                                           "ns::grow(char const*)",
                                           "caller",
                                           "b.c:9",
                                           "operator new[]",
                                           "ns::Foo<*>",
                                           "app",
                                           "/usr/bin/app",
                                           "*"};
    static const char *const others[] = {"", "a.c:8", "grow", "src", "Foo", "new", "x/a.c"};
    for (size_t i = 0; i < sizeof matching / sizeof *matching; i++)
        if (!filter_matches(matching[i], &view))
            fail_msg("not %s", matching[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (filter_matches(others[i], &view))
            fail_msg("%s", others[i]);
}

static void one_kind_of_it(void **state) {
    (void)state;
    assert_true(filter_matches("type=ns::*", &view) && !filter_matches("module=ns::*", &view));
    assert_true(filter_matches("function=ns::*", &view) && !filter_matches("function=a.c", &view));
    assert_true(filter_matches("file=a.c", &view) && !filter_matches("file=ns::grow", &view));
    assert_true(filter_matches("callee=operator*", &view) && !filter_matches("type=operator*", &view));
    assert_true(filter_matches("module=app", &view) && !filter_matches("site=app", &view));
    assert_true(filter_matches("site=01*", &view) && !filter_matches("callee=01*", &view));
}

static void patterns_never_match_unknown_values(void **state) {
    (void)state;
    static const struct site_view nothing = {.module = "[no module]"};
    assert_true(filter_matches("module=*", &nothing) && filter_matches("*module]", &nothing));
    assert_false(filter_matches("type=*", &nothing) || filter_matches("file=*", &nothing) ||
                 filter_matches("function=*", &nothing) || filter_matches("callee=*", &nothing));
}

/* ---- Suppressed leaks. */

static const struct place outer = {"A::outer(int)", "/src/outer.cpp", 3, 0};
static const struct report_site site = {.view = {.module = "/usr/lib/libfoo.so.1",
                                                 .at = {"f", "/src/a.c", 1, 0},
                                                 .inlined = &outer,
                                                 .inlined_count = 1}};

static void matching_patterns(void **state) {
    (void)state;
    static const char *const good[] = {"leak:f",
                                       "leak:outer",
                                       "leak:a.c",
                                       "leak:/src/*.cpp",
                                       "leak:libfoo",
                                       "leak:^A::",
                                       "leak:(int)$",
                                       "leak:^f$",
                                       "  leak:outer ",
                                       "leak:no\nleak:f",
                                       "# note\r\nleak:f\r\n",
                                       "leak:^/src/a.c$"};
    static const char *const bad[] = {
        "",       "f",       "leak:",      "# leak:f", "leak:^a.c",      "leak:libfoo$",
        "race:f", "leak:^$", "leak:other", "leak:^",   "leak:g\n#leak:f"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(suppress_matches(good[i], &site));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(suppress_matches(bad[i], &site));
    struct report_frame frames[] = {{.address = 1}, {.address = 2, .function = "getpwnam"}};
    struct report_stack stack = {.frames = frames, .frame_count = 2};
    struct report_site called = site;
    called.main_stack = &stack;
    assert_true(suppress_matches("leak:pwnam", &called));
}

/* The totals include suppressed leaks, and their amount is reported. */
static void suppressed_leaks_are_no_leaks(void **state) {
    (void)state;
    struct report report = unprepared();
    report_prepare(&report, &(struct report_limits){.leaks = true, .suppressed = "leak:libc"});
    assert_int_equal(report.shown, 1);
    assert_int_equal(report.suppressed_count, 1);
    assert_int_equal(report.totals.counters.live_bytes, 300);
    assert_non_null(strstr(text_of(&report, FORMAT_TEXT), "  2 more sites, 100 B of 1 suppressed\n"));
    assert_null(strstr(text_of(&report, FORMAT_JSON), "libc"));
    report = unprepared();
    report_prepare(&report, &(struct report_limits){.suppressed = "leak:libc"});
    assert_int_equal(report.shown, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_site_with_all_fields),
        cmocka_unit_test(one_kind_of_it),
        cmocka_unit_test(patterns_never_match_unknown_values),
        cmocka_unit_test(matching_patterns),
        cmocka_unit_test(suppressed_leaks_are_no_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
