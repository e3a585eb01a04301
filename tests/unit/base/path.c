/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Paths: normalized, and shortened for output. */
#include "base/path.h"

#include <cmocka.h>
#include <string.h>

static void assert_clean(const char *path, const char *expected) {
    char text[128];
    strcpy(text, path);
    path_clean(text);
    assert_string_equal(text, expected);
}

static void cleans_paths(void **state) {
    (void)state;
    assert_clean("a/b.c", "a/b.c");
    assert_clean("./a//b/./c.c", "a/b/c.c");
    assert_clean("/usr/bin/../lib/x.h", "/usr/lib/x.h");
    assert_clean("a/../../b", "../b");
    assert_clean("../../b", "../../b");
    assert_clean("/../a", "/a");
    assert_clean("a/..", "");
    assert_clean("/", "/");
    assert_clean("", "");
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

static void distinguishes_system_headers(void **state) {
    (void)state;
    assert_true(path_is_of_system("/usr/include/stdio.h"));
    assert_true(path_is_of_system("/usr/lib/gcc/x86_64-linux-gnu/12/include/stddef.h"));
    assert_true(path_is_of_system("/usr/local/include/boost/any.hpp"));
    assert_true(path_is_of_system("/opt/gcc/include/c++/12/vector"));
    assert_false(path_is_of_system("/usr/src/app/main.c"));
    assert_false(path_is_of_system("/home/me/c++/app.cpp"));
    assert_false(path_is_of_system("include/app.h"));
}

static const struct path_names names = {.pid = 42, .program = "/usr/bin/prog", .host = "host"};

static void patterns(void **state) {
    (void)state;
    char path[32];
    assert_true(path_expand(path, sizeof path, "a%p-%e.%h%%", &names));
    assert_string_equal(path, "a42-prog.host%");
    assert_true(path_expand(path, 1 + 2, "%p", &names));
    assert_false(path_expand(path, 2, "%p", &names));
    assert_false(path_expand(path, sizeof path, "%x", &names));
    assert_false(path_expand(path, sizeof path, "end%", &names));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cleans_paths),
        cmocka_unit_test(shows_paths_clean_and_relative),
        cmocka_unit_test(distinguishes_system_headers),
        cmocka_unit_test(patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
