/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The modules of reports, and whether a file is one of them. */
#include "dump/load/source.h"
#include "profile_image.h"

#include <cmocka.h>
#include <string.h>

static struct image image;
static struct reason why;

static void modules_of_a_profile(void **state) {
    (void)state;
    image_begin(&image);
    struct image_tables tables = image_tables(&image);
    struct report_source source = {.report = &source.profile.report};
    struct module_list list = {.count = 0};
    tables.records[1].build_id = image_name(&image, "ab12");
    tables.records[5] =
        (struct profile_record){.module = 5, .file = image_name(&image, "/lib/l.so"), .what = PROFILE_MODULE};
    tables.records[6] = (struct profile_record){.module = 6, .file = 1 << 30, .what = PROFILE_MODULE};
    tables.tallies[2].allocated = 1;
    assert_true(profile_read(&source.profile, image.bytes, image.size, &why));
    for (int i = 0; i < 2; i++)
        module_list_take(&list, &source);
    profile_read_free(&source.profile);
    assert_int_equal(list.count, 3);
    assert_string_equal(list.list[0].path, "/bin/p");
    assert_string_equal(list.list[0].build_id, "ab12");
    assert_string_equal(list.list[1].path, "/lib/l.so");
    assert_null(list.list[1].build_id);
    // The program itself, whose row has no build id.
    assert_true(module_list_has_file(&list, &list.list[0]) && module_list_has_file(&list, &list.list[1]));
    assert_false(module_list_has_file(&list, &list.list[2]));
    module_list_free(&list);
}

static void module_placeholders_are_no_files(void **state) {
    (void)state;
    const struct module_list none = {.count = 0};
    const struct report_module rest = {.path = "[left out]"}, kernel = {.path = "linux-vdso.so.1"},
                               file = {.path = "/a"};
    assert_false(module_list_has_file(&none, &rest) || module_list_has_file(&none, &kernel));
    assert_true(module_list_has_file(&none, &file));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_of_a_profile),
        cmocka_unit_test(module_placeholders_are_no_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
