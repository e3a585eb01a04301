/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/wraps.h"

#include <cmocka.h>

#define TELL(name, ...) wraps_tell((char *const[]){__VA_ARGS__, NULL}, name)

static void told_in_every_way(void **state) {
    (void)state;
    assert_true(TELL("malloc", "-c", "-Wl,--wrap=malloc"));
    assert_true(TELL("malloc", "-Wl,--gc-sections,-wrap=malloc,-O1"));
    assert_true(TELL("malloc", "-Wl,--wrap,malloc"));
    assert_true(TELL("free", "-Wl,--wrap=malloc,--wrap=free"));
    assert_true(TELL("malloc", "-Wl,--wrap", "-Wl,malloc"));
    assert_true(TELL("malloc", "-Xlinker", "--wrap=malloc"));
    assert_true(TELL("malloc", "-Xlinker", "--wrap", "-o", "x", "-Xlinker", "malloc"));
}

static void others_are_not(void **state) {
    (void)state;
    assert_false(TELL("malloc", "-Wl,--wrap=xmalloc"));
    assert_false(TELL("malloc", "-Wl,--wrap=malloc_usable_size"));
    assert_false(TELL("malloc", "-Wl,--wrap,free,malloc"));
    assert_false(TELL("malloc", "-Wl,--wrapped=malloc", "-Wl,wrap=malloc", "-Wl,---wrap=malloc"));
    assert_false(TELL("malloc", "--wrap=malloc", "-o", "-Wl,", "-Wl,--wrap", "-Xlinker"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(told_in_every_way),
        cmocka_unit_test(others_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
