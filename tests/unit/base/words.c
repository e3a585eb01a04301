/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers and sizes as users write them. */
#include "base/words.h"

#include <cmocka.h>

static void amounts(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"0", 0},
                {"18446744073709551615", UINT64_MAX},
                {"17 B", 17},
                {"1.5B", 1},
                {"1.001KiB", 1025},
                {"0.5 GiB", 1 << 29},
                {"0.10000000000000000000000001KiB", 102},
                {"2TiB", 2ULL << 40},
                {"0.99999999999999999999KiB", 1023}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint64_t bytes;
        const char *wrong = amount_read_all(good[i].text, true, &bytes);
        assert_null(wrong);
        assert_true(bytes == good[i].bytes);
    }
    static const char *const bad[] = {
        "", "18446744073709551616", "16777216TiB", "1.5", "1.KiB", "1 KB", "1KiB2", "+1", "0x10"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t bytes;
        assert_non_null(amount_read_all(bad[i], true, &bytes));
    }
}

static void amounts_come_back(void **state) {
    (void)state;
    static const uint64_t values[] = {0, 1, 1023, 1024, 1536, 3 << 20, (uint64_t)1 << 60, UINT64_MAX};
    for (size_t i = 0; i < 2 * sizeof values / sizeof *values; i++) {
        char text[AMOUNT_SIZE];
        uint64_t back;
        amount_write(text, values[i / 2], i % 2);
        assert_null(amount_read_all(text, i % 2, &back));
        assert_true(back == values[i / 2]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amounts),
        cmocka_unit_test(amounts_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
