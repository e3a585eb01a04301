/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The stable hash. Builds and releases compare its values, so they must never change. */
#include <stddef.h>

#include <cmocka.h>

#include "base/hash.h"

static uint64_t hash(const char *first, size_t first_length, const char *second, size_t second_length) {
    uint64_t state = stable_hash_text(stable_hash_begin(), first, first_length);
    return stable_hash_end(stable_hash_text(state, second, second_length));
}

static void has_the_released_values(void **state) {
    (void)state;
    assert_int_equal(stable_hash_begin(), 0xcbf29ce484222325u);
    assert_int_equal(stable_hash_end(stable_hash_begin()), 0xefd01f60ba992926u);
    assert_int_equal(hash("malloc", 6, "main", 4), 0x813ebb34c011acfcu);
}

static void delimits_its_fields(void **state) {
    (void)state;
    assert_int_not_equal(hash("ab", 2, "c", 1), hash("a", 1, "bc", 2));
    assert_int_not_equal(hash("", 0, "a", 1), hash("a", 1, "", 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_the_released_values),
        cmocka_unit_test(delimits_its_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
