/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The options of a report.
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
    assert_int_equal(options.format, FORMAT_TEXT);
    assert_int_equal(options.sort, SORT_BYTES);
    assert_int_equal(options.top, 20);
    assert_false(options.top_given);
    assert_false(options.leaks || options.pairs || options.sizes);
}

static void needs_owners(void **state) {
    (void)state;
    static const char *const which[] = {"leaks=1", "pairs=1", "sizes=1", "sort=live", "sort=peak"};
    for (size_t i = 0; i < sizeof which / sizeof *which; i++) {
        struct options options = parsed(which[i], 0);
        assert_true(options_need_owners(&options));
    }
    struct options options = parsed("sort=allocs:format=json:profile=x:signal=USR2:min_bytes=1:top=1", 0);
    assert_false(options_need_owners(&options));
}

static void every_key(void **state) {
    (void)state;
    struct options options =
        parsed("format=csv:top=0:sort=allocs:min_bytes=18446744073709551615:min_allocs=7:"
               "leaks=1:pairs=1:sizes=1:filter=a*:depth=64",
               0);
    assert_int_equal(options.format, FORMAT_CSV);
    assert_int_equal(options.sort, SORT_ALLOCS);
    assert_int_equal(options.top, 0);
    assert_true(options.top_given);
    assert_true(options.min_bytes == UINT64_MAX);
    assert_int_equal(options.min_allocs, 7);
    assert_true(options.leaks && options.pairs && options.sizes);
    assert_int_equal(options.depth, 64);
    assert_string_equal(options.filter, "a*");
    assert_string_equal(parsed("filter=a:filter=none", 0).filter, "");
}

static void keys_of_the_runtime_are_passed_over(void **state) {
    (void)state;
    assert_int_equal(parsed("stack=no:report=:signal=9:top=3", 0).top, 3);
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
    assert_true(parsed("sizes=1", 0).sizes && !parsed("sizes=1", 0).lifetime);
    assert_false(parsed("leaks=1:leaks=0", 0).leaks);
}

static void invalid_entries_are_skipped(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "bananas=1", "top",       "=",       "top=",     "top=-1",   "top=18446744073709551616",
        "format=x",  "sort=l",    "filter=", "Top=1",    "depth=65", "min_bytes=k",
        "leaks=2",   "suppress=", "pairs=",  "sizes=no", "leaks=01"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[128] = "top=3:";
        strcat(strcat(text, wrong[i]), ":min_allocs=4");
        struct options options = parsed(text, 1);
        assert_string_equal(last_complaint, wrong[i]);
        assert_int_equal(options.top, 3);
        assert_int_equal(options.min_allocs, 4);
    }
}

static void errors_name_the_valid_values(void **state) {
    (void)state;
    static const struct {
        const char *pair, *what;
    } cases[] = {
        {"tpo=5", "unknown key, did you mean top?"},
        {"min-bytes=5", "unknown key, did you mean min_bytes?"},
        {"signalstart=a", "unknown key, did you mean signal_start?"},
        {"bananas=1", "unknown key, help=1 lists all"},
        {"x=1", "unknown key, help=1 lists all"},
        {"top", "not of the form key=value"},
        {"sort=nothing", "not one of bytes, allocs, live, peak"},
        {"format=html", "not one of text json csv tsv markdown"},
        {"names=long", "not one of short, full"},
        {"leaks=yes", "neither 0 nor 1"},
        {"top=5KiB", "not a number"},
        {"min_bytes=5K", "not a size such as 4096 or 64KiB"},
        {"depth=65", "not a number up to 64"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        parsed(cases[i].pair, 1);
        assert_string_equal(last_what, cases[i].what);
    }
    assert_true(parsed("min_bytes=1.5MiB", 0).min_bytes == 3 << 19);
    assert_true(parsed("names=full", 0).full_names && !parsed("names=full:names=short", 0).full_names);
}

/* Every key is documented on one line. */
static void help_lists_every_key(void **state) {
    (void)state;
    char text[4096];
    struct out out;
    out_open_memory(&out, text, sizeof text);
    options_help(&out);
    static const char *const keys[] = {"enabled=1", "report=stderr", "names=short", "stack=0", "help=0"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_non_null(strstr(text, keys[i]));
    assert_true(strlen(text) < sizeof text - 1);
}

static void the_last_value_counts_and_empty_ones_are_skipped(void **state) {
    (void)state;
    assert_int_equal(parsed("::top=1:top=2::", 0).top, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(needs_owners),
        cmocka_unit_test(every_key),
        cmocka_unit_test(keys_of_the_runtime_are_passed_over),
        cmocka_unit_test(every_sort),
        cmocka_unit_test(booleans_are_their_own_keys),
        cmocka_unit_test(invalid_entries_are_skipped),
        cmocka_unit_test(errors_name_the_valid_values),
        cmocka_unit_test(help_lists_every_key),
        cmocka_unit_test(the_last_value_counts_and_empty_ones_are_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
