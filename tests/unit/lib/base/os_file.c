/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/base/os.h"

#include <cmocka.h>
#include <sys/resource.h>

/* Without a descriptor /proc cannot be read. */
static void a_start_that_is_not_known_is_not_the_machines(void **state) {
    (void)state;
    struct rlimit limit, none;
    assert_in_range(os_started(), 1, os_now());
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = (struct rlimit){0, limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    uint64_t started = os_started();
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(started, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_start_that_is_not_known_is_not_the_machines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
