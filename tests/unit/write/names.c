/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names, sizes, counts and shares as a report shows them. */
#include "write/names.h"

#include <cmocka.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
