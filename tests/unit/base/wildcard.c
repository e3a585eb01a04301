/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Patterns with * and ?. */
#include "base/words.h"

#include <cmocka.h>
#include <string.h>

static void wildcards(void **state) {
    (void)state;
    static const char *const good[][2] = {{"", ""},           {"*", ""},          {"*", "abc"},
                                          {"a*c", "ac"},      {"a*c", "abcbc"},   {"a?c", "abc"},
                                          {"?", "\xC3\xA4"},  {"*b*d*", "abcde"}, {"a[b]", "a[b]"},
                                          {"*aab", "aaaaab"}, {"**", "x"},        {"a*", "a*"}};
    static const char *const bad[][2] = {{"", "a"},      {"a", ""},     {"?", ""},
                                         {"a*c", "acb"}, {"a?c", "ac"}, {"ab", "abc"},
                                         {"*b", "abc"},  {"[a]", "a"},  {"A", "a"}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(wildcard_match(good[i][0], good[i][1]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(wildcard_match(bad[i][0], bad[i][1]));
}

/* An algorithm with exponential backtracking would never end with this pattern. */
static void wildcards_are_fast(void **state) {
    (void)state;
    static char text[10000], pattern[201];
    memset(text, 'a', sizeof text - 1);
    for (size_t i = 0; i < sizeof pattern - 1; i++)
        pattern[i] = i % 2 ? 'a' : '*';
    pattern[sizeof pattern - 2] = 'b';
    assert_false(wildcard_match(pattern, text));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wildcards),
        cmocka_unit_test(wildcards_are_fast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
