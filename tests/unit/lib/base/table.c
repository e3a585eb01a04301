/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The array that never moves. */
#include "lib/base/table.h"

#include <cmocka.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static void elements_stay(void **state) {
    (void)state;
    static struct table table = {.element = sizeof(uint32_t), .first = 4};
    uint32_t *where[1000];
    assert_null(table_peek(&table, 0));
    for (uint32_t i = 0; i < 1000; i++) {
        where[i] = table_at(&table, i);
        assert_non_null(where[i]);
        assert_int_equal(*where[i], 0);
        *where[i] = i;
    }
    for (uint32_t i = 0; i < 1000; i++) {
        assert_ptr_equal(table_peek(&table, i), where[i]);
        assert_int_equal(*where[i], i);
    }
    assert_null(table_at(&table, UINT32_MAX));
}

/* An allocation fails when memory is exhausted, even if the last chunk has space left. */
static void memory_ends(void **state) {
    (void)state;
    const struct rlimit none = {1 << 20, RLIM_INFINITY};
    struct rlimit before;
    getrlimit(RLIMIT_AS, &before);
    assert_non_null(arena_take(16));
    setrlimit(RLIMIT_AS, &none);
    alarm(20);
    size_t taken = 0;
    while (arena_take(1024))
        taken++;
    alarm(0);
    setrlimit(RLIMIT_AS, &before);
    assert_in_range(taken, 1, 256);
    assert_non_null(arena_take(1024));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_stay),
        cmocka_unit_test(memory_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
