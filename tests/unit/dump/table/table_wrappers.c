/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decoding of the wrappers of a table. */
#include "dump/table/table.h"
#include "format.h"

#include <cmocka.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { COUNT = 3, ADDRESS = 0x1000 };

/* The strings stand right behind the wrappers. */
struct image {
    struct allocsite_wrapper wrappers[COUNT];
    char strings[16];
};

static struct image image_make(void) {
    struct image image = {.strings = "xmalloc\0xfree"};
    int32_t end = sizeof image.wrappers;
    for (int i = 0; i < COUNT; i++) {
        image.wrappers[i].version = ALLOCSITE_FORMAT_VERSION;
        image.wrappers[i].symbol = end - i * (int32_t)sizeof image.wrappers[0];
    }
    image.wrappers[0].origin = ALLOCSITE_BY_ATTRIBUTE;
    image.wrappers[1].size = 1;
    image.wrappers[2].symbol += 8;
    image.wrappers[2].kind = ALLOCSITE_FREE;
    image.wrappers[2].pointer = 2;
    return image;
}

static bool decode(struct table *table, const struct image *image, size_t cut, struct reason *why) {
    static struct table_region wrappers, strings;
    size_t size = sizeof image->wrappers;
    wrappers = (struct table_region){ADDRESS, (const unsigned char *)image->wrappers, size - cut};
    strings =
        (struct table_region){ADDRESS + size, (const unsigned char *)image->strings, sizeof image->strings};
    return table_decode(table, (struct table_input){.wrappers = {&wrappers, 1}, .strings = {&strings, 1}},
                        why);
}

static void what_a_body_shows_goes_first(void **state) {
    (void)state;
    struct image image = image_make();
    struct table table;
    struct reason why;
    assert_true(decode(&table, &image, 0, &why));
    assert_int_equal(table.wrapper_count, 2);
    assert_string_equal(table.wrappers[0].symbol, "xfree");
    assert_int_equal(table.wrappers[0].kind, ALLOCSITE_FREE);
    assert_int_equal(table.wrappers[0].pointer, 2);
    assert_string_equal(table.wrappers[1].symbol, "xmalloc");
    assert_int_equal(table.wrappers[1].origin, ALLOCSITE_BY_ANALYSIS);
    assert_int_equal(table.wrappers[1].size, 1);
    table_free(&table);
}

static void assert_refused(const struct image *image, size_t cut, const char *expected) {
    struct table table;
    struct reason why = {""};
    assert_false(decode(&table, image, cut, &why));
    if (!strstr(why.text, expected))
        fail_msg("\"%s\" does not tell of \"%s\"", why.text, expected);
}

static void refuses_what_is_damaged(void **state) {
    (void)state;
    struct image image = image_make();
    assert_refused(&image, 1, "not a multiple");
    image.wrappers[1].version = ALLOCSITE_FORMAT_VERSION + 1;
    assert_refused(&image, 0, "format version 2");
    image = image_make();
    image.wrappers[1].kind = 3;
    assert_refused(&image, 0, "is none");
    image = image_make();
    image.wrappers[1].origin = 3;
    assert_refused(&image, 0, "is none");
    image = image_make();
    image.wrappers[1].symbol = 1000;
    assert_refused(&image, 0, "is none");
    image = image_make();
    image.wrappers[1].symbol = 0;
    assert_refused(&image, 0, "is none");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_body_shows_goes_first),
        cmocka_unit_test(refuses_what_is_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
