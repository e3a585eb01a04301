/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests which debug information is read, and how long it is kept. Uses libc's, which valgrind needs, too. */
#include "dump/line/symbolize.h"

#include <cmocka.h>
#include <dlfcn.h>
#include <link.h>
#include <string.h>

/* Looks up a call at the beginning of the function. */
static struct place look_up(struct symbolizer *symbolizer, const char *function) {
    Dl_info info;
    struct link_map *map;
    void *address = dlsym(RTLD_DEFAULT, function);
    assert_non_null(address);
    assert_true(dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP));
    struct report_site row = {
        .view = {.module = info.dli_fname, .address = (uintptr_t)address - map->l_addr + 1}};
    struct report_site *sites[] = {&row};
    struct report report = {.sites = sites, .site_count = 1};
    symbolizer->is_quiet = true;
    symbolizer->search.stays_local = true;
    symbolize_report(symbolizer, &report);
    return row.view.at;
}

static bool has_debug_information(void) {
    struct symbolizer symbolizer = {.milliseconds = 0};
    bool has_line = look_up(&symbolizer, "strdup").line;
    assert_false(symbolizer.is_late);
    symbolizer_free(&symbolizer);
    return has_line;
}

static void functions_without_lines_when_it_takes_too_long(void **state) {
    (void)state;
    struct symbolizer symbolizer = {.milliseconds = 1};
    if (!has_debug_information())
        skip();
    struct place place = look_up(&symbolizer, "strdup");
    assert_true(symbolizer.is_late);
    assert_string_equal(place.function, "strdup");
    assert_null(place.file);
    symbolizer_free(&symbolizer);
}

static void the_time_that_is_left_over_is_for_other_modules(void **state) {
    (void)state;
    struct symbolizer symbolizer = {.milliseconds = 60000};
    if (!has_debug_information())
        skip();
    assert_true(look_up(&symbolizer, "strdup").line);
    assert_false(symbolizer.is_late);
    assert_in_range(symbolizer.milliseconds, 1, 59999);
    symbolizer_free(&symbolizer);
}

static void buffers_of_streams_need_no_lines(void **state) {
    (void)state;
    struct symbolizer symbolizer = {.milliseconds = 0};
    struct place place = look_up(&symbolizer, "_IO_file_doallocate");
    assert_string_equal(place.function, "_IO_file_doallocate");
    assert_int_equal(place.line, 0);
    symbolizer_free(&symbolizer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_without_lines_when_it_takes_too_long),
        cmocka_unit_test(the_time_that_is_left_over_is_for_other_modules),
        cmocka_unit_test(buffers_of_streams_need_no_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
