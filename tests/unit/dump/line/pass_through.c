/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Source locations that pass through if no module has a table of functions. */
#include "dump/line/pass_through.h"

#include <cmocka.h>
#include <string.h>

static unsigned flags(const char *function, const char *file, const char *skip, const char *stop) {
    static const struct pass_through nothing;
    struct line_options options = {LINE_AUTO, "", ""};
    strcpy(options.skip, skip);
    strcpy(options.stop, stop);
    return pass_through_flags(&nothing, &options,
                              &(struct path_place){.function = function, .file = file, .line = 7});
}

static void libraries_by_name_and_file(void **state) {
    (void)state;
    assert_int_equal(flags("f(int)", "/src/a.cpp", "", ""), 0);
    assert_int_equal(flags("void std::vector<int>::f<int>()", "/src/a.cpp", "", ""),
                     PASS_LIBRARY | PASS_THROUGH);
    assert_int_equal(flags("boost::f()", "/usr/include/boost/f.hpp", "", ""), PASS_LIBRARY | PASS_THROUGH);
    assert_int_equal(flags(NULL, NULL, "", ""), 0);
}

static void patterns_of_the_user(void **state) {
    (void)state;
    assert_int_equal(flags("f(int)", "/src/a.cpp", "g,f", ""), PASS_THROUGH);
    assert_int_equal(flags("f(int)", "/src/a.cpp", "a.cpp:7", ""), PASS_THROUGH);
    assert_int_equal(flags("f(int)", "/src/a.cpp", "a.cpp:8", ""), 0);
    assert_int_equal(flags("f(int)", "/src/a.cpp", "f", "a.cpp"), 0);
    assert_int_equal(flags("std::f()", "/src/a.cpp", "", "std::*"), PASS_LIBRARY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libraries_by_name_and_file),
        cmocka_unit_test(patterns_of_the_user),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
