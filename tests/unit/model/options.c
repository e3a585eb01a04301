/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The options of a run and the patterns of a report's path.
#include "model/options.h"

#include <string.h>

#include <cmocka.h>

static int complaints;
static char last_complaint[256], last_what[256];

static void complain(const char *what, const char *pair, size_t length) {
    assert_true(length < sizeof last_complaint);
    strcpy(last_what, what);
    memcpy(last_complaint, pair, length);
    last_complaint[length] = '\0';
    complaints++;
}

static struct options parsed(const char *text, int expected_complaints) {
    struct options options;
    options_default(&options);
    complaints = 0;
    options_parse(&options, text, complain);
    assert_int_equal(complaints, expected_complaints);
    return options;
}

static void defaults(void **state) {
    (void)state;
    struct options options = parsed("", 0);
    assert_true(options.enabled && options.owners);
    assert_string_equal(options.report, "stderr");
    assert_string_equal(options.profile, "none");
    assert_int_equal(options.format, FORMAT_TEXT);
    assert_int_equal(options.sort, SORT_BYTES);
    assert_int_equal(options.top, 20);
    assert_false(options.top_given);
    assert_false(options.leaks || options.pairs || options.sizes || options.reach);
}

static void needs_owners(void **state) {
    (void)state;
    static const char *const which[] = {"leaks=1",   "pairs=1",   "sizes=1", "reach=1",
                                        "sort=live", "sort=peak", "stack=1"};
    for (size_t i = 0; i < sizeof which / sizeof *which; i++) {
        struct options options = parsed(which[i], 0);
        assert_true(options_need_owners(&options));
    }
    struct options options = parsed("sort=allocs:format=json:profile=x:signal=USR2:min_bytes=1:top=1", 0);
    assert_false(options_need_owners(&options));
}

static void every_key(void **state) {
    (void)state;
    struct options options = parsed(
        "enabled=0:owners=0:report=/tmp/%p:format=csv:top=0:sort=allocs:min_bytes=18446744073709551615:"
        "min_allocs=7:leaks=1:pairs=1:sizes=1:reach=1:profile=/tmp/%e.%p:stack=64:"
        "stack_sites=*/a.c,xmalloc",
        0);
    assert_false(options.enabled || options.owners);
    assert_string_equal(options.report, "/tmp/%p");
    assert_string_equal(options.profile, "/tmp/%e.%p");
    assert_int_equal(options.format, FORMAT_CSV);
    assert_int_equal(options.sort, SORT_ALLOCS);
    assert_int_equal(options.top, 0);
    assert_true(options.top_given);
    assert_true(options.min_bytes == UINT64_MAX);
    assert_int_equal(options.min_allocs, 7);
    assert_true(options.leaks && options.pairs && options.sizes && options.reach);
    assert_int_equal(options.stack, 64);
    assert_string_equal(options.stack_sites, "*/a.c,xmalloc");
}

static void quotes_keep_what_ends_a_value(void **state) {
    (void)state;
    struct options options = parsed("stack_sites='a.c:12,b::f':top=3:report=\"x:'y\":stack=2", 0);
    assert_string_equal(options.stack_sites, "a.c:12,b::f");
    assert_string_equal(parsed("stack_sites=a:stack_sites=all", 0).stack_sites, "");
    assert_string_equal(options.report, "x:'y");
    assert_int_equal(options.top, 3);
    assert_int_equal(options.stack, 2);
    assert_string_equal(parsed("report=it's:top=3", 0).report, "it's");
    assert_int_equal(parsed("report='open:top=3", 1).top, 20);
    assert_string_equal(last_what, "a quote is not closed");
}

static void every_sort(void **state) {
    (void)state;
    assert_int_equal(parsed("sort=live", 0).sort, SORT_LIVE);
    assert_int_equal(parsed("sort=peak", 0).sort, SORT_PEAK);
    assert_int_equal(parsed("sort=live:sort=bytes", 0).sort, SORT_BYTES);
}

static void booleans_are_their_own_keys(void **state) {
    (void)state;
    assert_true(parsed("leaks=1", 0).leaks && !parsed("leaks=1", 0).pairs);
    assert_true(parsed("pairs=1", 0).pairs && !parsed("pairs=1", 0).sizes);
    assert_true(parsed("sizes=1", 0).sizes && !parsed("sizes=1", 0).reach);
    assert_true(parsed("reach=1", 0).reach && !parsed("reach=1", 0).leaks);
    assert_false(parsed("reach=1:reach=0", 0).reach);
}

static void what_is_wrong_is_left_out(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "bananas=1",   "top",       "=",        "top=",     "top=-1",  "top=18446744073709551616",
        "enabled=yes", "enabled=2", "format=x", "sort=l",   "report=", "Top=1",
        "min_bytes=k", "stack=65",  "leaks=2",  "profile=", "pairs=",  "sizes=no",
        "reach=01"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[128] = "top=3:";
        strcat(strcat(text, wrong[i]), ":min_allocs=4");
        struct options options = parsed(text, 1);
        assert_string_equal(last_complaint, wrong[i]);
        assert_int_equal(options.top, 3);
        assert_int_equal(options.min_allocs, 4);
    }
}

static void complaints_name_what_would_be_right(void **state) {
    (void)state;
    static const struct {
        const char *pair, *what;
    } cases[] = {
        {"tpo=5", "unknown key, did you mean top?"},
        {"min-bytes=5", "unknown key, did you mean min_bytes?"},
        {"stacksites=a", "unknown key, did you mean stack_sites?"},
        {"bananas=1", "unknown key, help=1 tells all"},
        {"x=1", "unknown key, help=1 tells all"},
        {"top", "not of the form key=value"},
        {"sort=nothing", "not one of bytes, allocs, live, peak"},
        {"format=html", "not one of text json csv tsv markdown"},
        {"names=long", "not one of short, full"},
        {"leaks=yes", "neither 0 nor 1"},
        {"top=5KiB", "not a number"},
        {"min_bytes=5K", "not a size, as 4096 or 64KiB"},
        {"stack=65", "not a number up to 64"},
        {"signal=9", "not the number of a signal that can be handled"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        parsed(cases[i].pair, 1);
        assert_string_equal(last_what, cases[i].what);
    }
    assert_true(parsed("min_bytes=1.5MiB", 0).min_bytes == 3 << 19);
    assert_true(parsed("names=full", 0).full_names && !parsed("names=full:names=short", 0).full_names);
}

/* A key that has no line could not be found. */
static void help_tells_every_key(void **state) {
    (void)state;
    char text[4096];
    struct out out;
    out_open_memory(&out, text, sizeof text);
    options_help(&out);
    static const char *const keys[] = {"enabled=1", "report=stderr", "names=short", "stack_sites=all",
                                       "help=0"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_non_null(strstr(text, keys[i]));
    assert_true(strlen(text) < sizeof text - 1);
}

static void the_last_one_holds_and_empty_ones_are_nothing(void **state) {
    (void)state;
    assert_int_equal(parsed("::top=1:top=2::", 0).top, 2);
}

static size_t complained_length;

static void note_length(const char *what, const char *pair, size_t length) {
    (void)what;
    (void)pair;
    complained_length = length;
}

static void a_path_that_is_too_long(void **state) {
    (void)state;
    char text[OPTIONS_PATH_SIZE + 20] = "report=";
    struct options options;
    options_default(&options);
    memset(text + 7, 'x', OPTIONS_PATH_SIZE - 1);
    options_parse(&options, text, note_length);
    assert_int_equal(strlen(options.report), OPTIONS_PATH_SIZE - 1);
    options_default(&options);
    memset(text + 7, 'x', OPTIONS_PATH_SIZE);
    options_parse(&options, text, note_length);
    assert_int_equal(complained_length, OPTIONS_PATH_SIZE + 7);
    assert_string_equal(options.report, "stderr");
    assert_string_equal(options.profile, "none");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(needs_owners),
        cmocka_unit_test(every_key),
        cmocka_unit_test(every_sort),
        cmocka_unit_test(quotes_keep_what_ends_a_value),
        cmocka_unit_test(booleans_are_their_own_keys),
        cmocka_unit_test(what_is_wrong_is_left_out),
        cmocka_unit_test(complaints_name_what_would_be_right),
        cmocka_unit_test(help_tells_every_key),
        cmocka_unit_test(the_last_one_holds_and_empty_ones_are_nothing),
        cmocka_unit_test(a_path_that_is_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
