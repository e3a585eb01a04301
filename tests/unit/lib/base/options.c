/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Options that the runtime itself reads.
#include "lib/base/options.h"

#include <string.h>

#include <cmocka.h>

static int complaints;
static char last_what[256];
static size_t last_length;

static void complain(const char *what, const char *pair, size_t length) {
    (void)pair;
    strcpy(last_what, what);
    last_length = length;
    complaints++;
}

static struct run_options parsed(const char *text, int expected_complaints) {
    struct run_options options;
    options_default(&options);
    complaints = 0;
    options_parse(&options, text, complain);
    assert_int_equal(complaints, expected_complaints);
    return options;
}

static void defaults(void **state) {
    (void)state;
    struct run_options options = parsed("", 0);
    assert_true(options.enabled && options.owners);
    assert_string_equal(options.report, "stderr");
    assert_string_equal(options.profile, "none");
    assert_string_equal(options.reader, "found");
    assert_false(options.pairs || options.sizes || options.reach || options.stack ||
                 options_need_owners(&options));
    assert_true(options_show_faults(&options));
}

static void every_key(void **state) {
    (void)state;
    struct run_options options = parsed("enabled=0:owners=0:report=/tmp/%p:pairs=1:sizes=1:reach=1:"
                                        "profile=/tmp/%e.%p:stack=64:hook=*/a.c,xmalloc:signal=SIGUSR2",
                                        0);
    assert_false(options.enabled || options.owners);
    assert_string_equal(options.report, "/tmp/%p");
    assert_string_equal(options.profile, "/tmp/%e.%p");
    assert_true(options.pairs && options.sizes && options.reach);
    assert_int_equal(options.stack, 64);
    assert_string_equal(options.hook, "*/a.c,xmalloc");
    assert_int_not_equal(options.signal, 0);
}

/* The reader checks their values. */
static void options_of_reports_imply_what_is_counted(void **state) {
    (void)state;
    assert_int_equal(parsed("by=stack", 0).stack, 16);
    assert_int_equal(parsed("stack=4:by=stack", 0).stack, 4);
    assert_true(parsed("by=freed", 0).pairs);
    static const char *const which[] = {"leaks=1",   "pairs=1",   "sizes=1", "reach=1",
                                        "sort=live", "sort=peak", "stack=1", "by=freed"};
    for (size_t i = 0; i < sizeof which / sizeof *which; i++) {
        struct run_options options = parsed(which[i], 0);
        assert_true(options_need_owners(&options));
    }
    struct run_options none =
        parsed("sort=allocs:format=nonsense:profile=x:signal=USR2:min_bytes=x:top=1", 0);
    assert_false(options_need_owners(&none) || options_show_faults(&none));
}

static void quotes_allow_separators(void **state) {
    (void)state;
    struct run_options options = parsed("fail='a.c:12,b::f':top=3:report=\"x:'y\":stack=2", 0);
    assert_string_equal(options.fail, "a.c:12,b::f");
    assert_string_equal(options.report, "x:'y");
    assert_int_equal(options.stack, 2);
    assert_string_equal(parsed("report=it's:top=3", 0).report, "it's");
    assert_string_equal(parsed("report='open:stack=3", 1).report, "stderr");
    assert_string_equal(last_what, "a quote is not closed");
}

static void errors_name_the_valid_values(void **state) {
    (void)state;
    static const struct {
        const char *pair, *what;
    } cases[] = {
        {"tpo=5", "unknown key, did you mean top?"},
        {"signalstart=a", "unknown key, did you mean signal_start?"},
        {"bananas=1", "unknown key, help=1 lists all"},
        {"enabled", "not of the form key=value"},
        {"enabled=yes", "neither 0 nor 1"},
        {"reach=1,pairs=1", "options are separated by ':'"},
        {"profile=", "no path"},
        {"stack=65", "not a number up to 64"},
        {"signal=9", "not the number of a signal that can be handled"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        parsed(cases[i].pair, 1);
        assert_string_equal(last_what, cases[i].what);
    }
}

static void a_path_that_is_too_long(void **state) {
    (void)state;
    char text[SETTING_PATH_SIZE + 20] = "report=";
    memset(text + 7, 'x', SETTING_PATH_SIZE - 1);
    assert_int_equal(strlen(parsed(text, 0).report), SETTING_PATH_SIZE - 1);
    memset(text + 7, 'x', SETTING_PATH_SIZE);
    assert_string_equal(parsed(text, 1).report, "stderr");
    assert_int_equal(last_length, SETTING_PATH_SIZE + 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(every_key),
        cmocka_unit_test(options_of_reports_imply_what_is_counted),
        cmocka_unit_test(quotes_allow_separators),
        cmocka_unit_test(errors_name_the_valid_values),
        cmocka_unit_test(a_path_that_is_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
