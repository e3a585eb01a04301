/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "dump/base/terminal.h"

#include <cmocka.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <string.h>
#include <unistd.h>

static int terminal;

/* Returns the terminal's input since the last call. Waits, because the kernel passes output on with a
 * delay. */
static const char *shown(void) {
    static char text[4096];
    size_t size = 0;
    struct pollfd more = {.fd = terminal, .events = POLLIN};
    while (size < sizeof text - 1 && poll(&more, 1, 200) > 0) {
        ssize_t got = read(terminal, text + size, sizeof text - 1 - size);
        size += got > 0 ? (size_t)got : 0;
    }
    text[size] = '\0';
    return text;
}

static void wait_a_second(void) {
    usleep(1100000);
}

static void nothing_is_shown_at_once(void **state) {
    (void)state;
    progress_show("files", 1, 2);
    assert_string_equal(shown(), "");
    progress_end();
    assert_string_equal(shown(), "");
}

static void after_a_second(void **state) {
    (void)state;
    progress_show("files", 1, 2000);
    wait_a_second();
    progress_show("sites", 7, 0);
    assert_string_equal(shown(), "\r7 sites\033[K");
    wait_a_second();
    progress_show("files", 1234, 2000);
    assert_string_equal(shown(), "\r1,234 of 2,000 files\033[K");
    progress_end();
    assert_string_equal(shown(), "\r\033[K");
}

static void a_complaint_has_a_line_of_its_own(void **state) {
    (void)state;
    progress_show("files", 1, 2);
    wait_a_second();
    progress_show("files", 2, 2);
    complain_file("a", "b");
    assert_string_equal(shown(), "\r2 of 2 files\033[K\r\033[Kallocsite-dump: a: b\r\n");
}

static void not_where_somebody_else_writes(void **state) {
    (void)state;
    progress_off();
    progress_show("files", 1, 2);
    wait_a_second();
    progress_show("files", 2, 2);
    assert_string_equal(shown(), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_shown_at_once),
        cmocka_unit_test(after_a_second),
        cmocka_unit_test(a_complaint_has_a_line_of_its_own),
        cmocka_unit_test(not_where_somebody_else_writes),
    };
    int ours, errors = dup(STDERR_FILENO);
    if (openpty(&terminal, &ours, NULL, NULL, NULL) != 0 || fcntl(terminal, F_SETFL, O_NONBLOCK) != 0)
        return 1;
    dup2(ours, STDERR_FILENO);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    dup2(errors, STDERR_FILENO);
    return failed;
}
