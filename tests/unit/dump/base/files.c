/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files that are truncated while they are read. */
#include "dump/base/files.h"
#include "dump/elf/input.h"
#include "profile.h"

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 5, SIZE = PAGES * PROFILE_PAGE - 100 };

static int file;
static char path[64];

static int set_up(void **state) {
    (void)state;
    static char bytes[SIZE];
    memset(bytes, 'x', sizeof bytes);
    file = memfd_create("file", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return write(file, bytes, sizeof bytes) != (ssize_t)sizeof bytes;
}

static int tear_down(void **state) {
    (void)state;
    return close(file);
}

static void reads_zeros_where_it_was_cut(void **state) {
    struct file_map before, cut, after;
    struct reason why;
    assert_true(file_map(&before, path, &why));
    close(file);
    set_up(state);
    assert_true(file_map(&cut, path, &why));
    assert_int_equal(ftruncate(file, PROFILE_PAGE), 0);
    close(file);
    set_up(state);
    assert_true(file_map(&after, path, &why));
    const volatile char *bytes = cut.bytes;
    assert_int_equal(bytes[3 * PROFILE_PAGE], 0);
    assert_int_equal(bytes[SIZE - 1], 0);
    assert_int_equal(bytes[PROFILE_PAGE], 0);
    assert_int_equal(bytes[PROFILE_PAGE - 1], 'x');
    assert_false(file_unmap(&cut, &why));
    assert_string_equal(why.text, "was truncated while it was read");
    assert_int_equal(((const volatile char *)before.bytes)[SIZE - 1], 'x');
    assert_int_equal(((const volatile char *)after.bytes)[SIZE - 1], 'x');
    assert_true(file_unmap(&after, &why));
    assert_true(file_unmap(&before, &why));
}

static void cut_it(const struct module_bytes *module, void *context) {
    assert_int_equal(ftruncate(file, *(const int *)context), 0);
    const volatile unsigned char *bytes = module->bytes;
    (void)bytes[module->size - 1];
}

static void reports_truncation(void **state) {
    (void)state;
    struct reason why;
    int size = SIZE;
    assert_true(input_each(path, cut_it, &size, &why));
    size = PROFILE_PAGE;
    assert_false(input_each(path, cut_it, &size, &why));
    assert_string_equal(why.text, "was truncated while it was read");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_zeros_where_it_was_cut, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reports_truncation, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
