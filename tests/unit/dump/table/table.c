/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decoding of a site table. */
#include "table_image.h"

#include <cmocka.h>
#include <stddef.h>
#include <stdint.h>

static void decodes_sorts_and_merges(void **state) {
    (void)state;
    struct image image = image_make();
    struct image_regions regions;
    struct table table;
    struct reason why;
    assert_true(table_decode(&table, image_input(&image, &regions), &why));
    assert_int_equal(table.count, 2);
    assert_string_equal(table.sites[0].at.file, "a.c");
    assert_string_equal(table.sites[0].at.function, "inner");
    assert_int_equal(table.sites[0].at.line, 10);
    assert_int_equal(table.sites[0].at.column, 3);
    assert_string_equal(table.sites[0].callee, "malloc");
    assert_null(table.sites[0].type);
    assert_string_equal(table.sites[1].at.function, "outer");
    table_free(&table);
}

static void follows_the_inline_chain(void **state) {
    (void)state;
    struct image image = image_make();
    struct image_regions regions;
    struct table table;
    struct place chain[TABLE_CHAIN_MAX];
    struct reason why;
    assert_true(table_decode(&table, image_input(&image, &regions), &why));
    assert_int_equal(table_callers(&table, &table.sites[0], chain), 1);
    assert_string_equal(chain[0].function, "outer");
    assert_string_equal(chain[0].file, "b.c");
    assert_int_equal(chain[0].line, 20);
    assert_int_equal(chain[0].column, 5);
    assert_int_equal(table_callers(&table, &table.sites[1], chain), 0);
    table_free(&table);
}

static void assert_damaged(const struct image *image, const char *expected) {
    struct image_regions regions;
    struct table table;
    struct reason why = {""};
    assert_false(table_decode(&table, image_input(image, &regions), &why));
    if (!strstr(why.text, expected))
        fail_msg("\"%s\" does not tell of \"%s\"", why.text, expected);
}

static void refuses_other_versions(void **state) {
    (void)state;
    struct image image = image_make();
    image.sites[1].version = ALLOCSITE_FORMAT_VERSION + 1;
    assert_damaged(&image, "format version 2");
}

static void refuses_an_unknown_kind(void **state) {
    (void)state;
    struct image image = image_make();
    image.sites[0].kind = 3;
    assert_damaged(&image, "kind");
}

static void refuses_references_outside_the_table(void **state) {
    (void)state;
    struct image image = image_make();
    image.sites[0].scope = INT32_MIN;
    assert_damaged(&image, "function or file");
    image = image_make();
    image.request.callee = sizeof image;
    assert_damaged(&image, "callee");
    image = image_make();
    image.frame.scope = 1 << 20;
    assert_damaged(&image, "inline chain");
    image = image_make();
    image.sites[0].request = 0;
    assert_damaged(&image, "callee");
    image = image_make();
    image.sites[2].caller += 1 << 24;
    assert_damaged(&image, "leader");
}

static void reads_strings_next_to_their_records(void **state) {
    (void)state;
    struct image image = image_make();
    struct image_regions regions;
    struct table_input input = image_input(&image, &regions);
    struct table table;
    struct reason why;
    memcpy(&image.frame.column, "own", 4);
    image.outer.function = REFERENCE(outer.function, frame.column);
    assert_true(table_decode(&table, input, &why));
    assert_string_equal(table.sites[1].at.function, "own");
    table_free(&table);
    regions.frames.size -= sizeof image.request + 1; // leaves the string unterminated
    assert_false(table_decode(&table, input, &why));
    assert_non_null(strstr(why.text, "function or file"));
}

static void refuses_a_chain_without_an_end(void **state) {
    (void)state;
    struct image image = image_make();
    image.frame.caller = REFERENCE(frame.caller, frame);
    assert_damaged(&image, "inline chain");
}

static void refuses_strings_without_an_end(void **state) {
    (void)state;
    struct image image = image_make();
    memset(image.strings, 'x', sizeof image.strings);
    assert_damaged(&image, "strings");
}

static void refuses_half_a_site(void **state) {
    (void)state;
    struct image image = image_make();
    struct image_regions regions;
    struct table_input input = image_input(&image, &regions);
    struct table table;
    struct reason why;
    regions.sites.size -= 1;
    assert_false(table_decode(&table, input, &why));
}

static void reads_a_table_without_sites(void **state) {
    (void)state;
    struct table_input input = {.sites = {NULL, 0}};
    struct table table;
    struct reason why;
    assert_true(table_decode(&table, input, &why));
    assert_int_equal(table.count, 0);
    table_free(&table);
}

/* A relocatable object has several regions of each kind, in any order. */
static void finds_the_right_one_of_many_regions(void **state) {
    (void)state;
    struct image image = image_make();
    struct image_regions regions;
    struct table_input input = image_input(&image, &regions);
    struct table_region strings[] = {
        {0x900000, (const unsigned char *)"x", 2}, regions.strings, {0x100, (const unsigned char *)"y", 2}};
    struct table table;
    struct reason why;
    input.strings = (struct table_regions){strings, 3};
    assert_true(table_decode(&table, input, &why));
    assert_string_equal(table.sites[1].at.function, "outer");
    table_free(&table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes_sorts_and_merges),
        cmocka_unit_test(follows_the_inline_chain),
        cmocka_unit_test(refuses_other_versions),
        cmocka_unit_test(refuses_an_unknown_kind),
        cmocka_unit_test(refuses_references_outside_the_table),
        cmocka_unit_test(reads_strings_next_to_their_records),
        cmocka_unit_test(refuses_a_chain_without_an_end),
        cmocka_unit_test(refuses_strings_without_an_end),
        cmocka_unit_test(refuses_half_a_site),
        cmocka_unit_test(reads_a_table_without_sites),
        cmocka_unit_test(finds_the_right_one_of_many_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
