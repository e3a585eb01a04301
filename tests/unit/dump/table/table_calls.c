/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decoding the types of calls in a table. */
#include "dump/table/table.h"
#include "format.h"

#include <cmocka.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { COUNT = 2, ADDRESS = 0x1000 };

/* The list, followed by the region of frames, which has all other data. */
struct image {
    struct allocsite_calls list;
    struct allocsite_call calls[COUNT];
    struct allocsite_scope scope;
    char strings[32];
};

#define DISTANCE(from, to) ((int32_t)offsetof(struct image, to) - (int32_t)offsetof(struct image, from))

static struct image image_make(void) {
    return (struct image){
        .list = {DISTANCE(list.first, calls), COUNT},
        .calls = {{DISTANCE(calls[0].scope, scope), DISTANCE(calls[0].type, strings[9]), 12, 7,
                   ALLOCSITE_FORMAT_VERSION, 0},
                  {DISTANCE(calls[1].scope, scope), 0, 14, 3, ALLOCSITE_FORMAT_VERSION, ALLOCSITE_HANDS_ON}},
        .scope = {DISTANCE(scope.function, strings[0]), DISTANCE(scope.file, strings[5])},
        .strings = "make\0a.c\0struct foo",
    };
}

static bool decode(struct table *table, const struct image *image, size_t cut, struct reason *why) {
    static struct table_region calls, frames;
    size_t size = offsetof(struct image, calls);
    calls = (struct table_region){ADDRESS, (const unsigned char *)image, size - cut};
    frames = (struct table_region){ADDRESS + size, (const unsigned char *)image + size, sizeof *image - size};
    return table_decode(table, (struct table_input){.calls = {&calls, 1}, .frames = {&frames, 1}}, why);
}

static void reads_places_types_and_flags(void **state) {
    (void)state;
    struct image image = image_make();
    struct table table;
    struct reason why;
    assert_true(decode(&table, &image, 0, &why));
    assert_int_equal(table.call_count, COUNT);
    assert_string_equal(table.calls[0].at.function, "make");
    assert_string_equal(table.calls[0].at.file, "a.c");
    assert_int_equal(table.calls[0].at.line, 12);
    assert_int_equal(table.calls[0].at.column, 7);
    assert_string_equal(table.calls[0].type, "struct foo");
    assert_int_equal(table.calls[0].flags, 0);
    assert_int_equal(table.calls[1].at.line, 14);
    assert_null(table.calls[1].type);
    assert_int_equal(table.calls[1].flags, ALLOCSITE_HANDS_ON);
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
    image.list.count = sizeof image / sizeof *image.calls + 1;
    assert_refused(&image, 0, "overlap");
    image = image_make();
    image.list.first = INT32_MAX;
    assert_refused(&image, 0, "no call");
    image = image_make();
    image.calls[1].version++;
    assert_refused(&image, 0, "format version 2");
    image = image_make();
    image.calls[0].type = 1000;
    assert_refused(&image, 0, "bad source location or type");
    image = image_make();
    image.calls[0].scope = INT32_MIN;
    assert_refused(&image, 0, "bad source location or type");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_places_types_and_flags),
        cmocka_unit_test(refuses_what_is_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
