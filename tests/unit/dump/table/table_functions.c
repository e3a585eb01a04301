/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decoding of the functions in a site table. */
#include "dump/table/table.h"
#include "format.h"

#include <cmocka.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { COUNT = 4, ADDRESS = 0x1000 };

/* The strings follow the functions immediately. */
struct image {
    struct allocsite_function functions[COUNT];
    char strings[32];
};

#define REFERENCE(i, member, offset)                                                                         \
    ((int32_t)(sizeof(struct allocsite_function) * (COUNT - (i)) -                                           \
               offsetof(struct allocsite_function, member) + (offset)))

/* xdup in a.c, by attribute and, if xmalloc passes through, by its body; xmalloc in a.c twice; and everything
 * in v.h. */
static struct image image_make(void) {
    struct image image = {.strings = "xmalloc\0xdup\0a.c\0v.h"};
    static const struct {
        int symbol, file, depends;
        uint32_t flags;
    } made[COUNT] = {{-1, 17, -1, ALLOCSITE_LIBRARY},
                     {0, 13, -1, ALLOCSITE_PASSES_THROUGH},
                     {8, 13, 0, ALLOCSITE_PASSES_THROUGH},
                     {0, 13, -1, ALLOCSITE_DECLARED}};
    for (int i = 0; i < COUNT; i++) {
        struct allocsite_function *function = &image.functions[i];
        function->flags = made[i].flags | ALLOCSITE_FORMAT_VERSION << ALLOCSITE_FUNCTION_VERSION_SHIFT;
        function->file = REFERENCE(i, file, made[i].file);
        if (made[i].symbol >= 0) {
            function->symbol = REFERENCE(i, symbol, made[i].symbol);
            function->function = REFERENCE(i, function, made[i].symbol);
        }
        if (made[i].depends >= 0)
            function->depends = REFERENCE(i, depends, made[i].depends);
    }
    return image;
}

static bool decode(struct table *table, const struct image *image, size_t cut, struct reason *why) {
    static struct table_region functions, strings;
    size_t size = sizeof image->functions;
    functions = (struct table_region){ADDRESS, (const unsigned char *)image->functions, size - cut};
    strings =
        (struct table_region){ADDRESS + size, (const unsigned char *)image->strings, sizeof image->strings};
    return table_decode(table, (struct table_input){.functions = {&functions, 1}, .strings = {&strings, 1}},
                        why);
}

static void merges_flags_from_several_objects(void **state) {
    (void)state;
    struct image image = image_make();
    struct table table;
    struct reason why;
    assert_true(decode(&table, &image, 0, &why));
    assert_int_equal(table.function_count, 3);
    assert_string_equal(table.functions[0].symbol, "xdup");
    assert_string_equal(table.functions[0].depends, "xmalloc");
    assert_int_equal(table.functions[0].flags, ALLOCSITE_PASSES_THROUGH);
    assert_string_equal(table.functions[1].function, "xmalloc");
    assert_string_equal(table.functions[1].file, "a.c");
    assert_null(table.functions[1].depends);
    assert_int_equal(table.functions[1].flags, ALLOCSITE_PASSES_THROUGH | ALLOCSITE_DECLARED);
    assert_null(table.functions[2].symbol);
    assert_string_equal(table.functions[2].file, "v.h");
    assert_int_equal(table.functions[2].flags, ALLOCSITE_LIBRARY);
    table_free(&table);
}

static void assert_refused(const struct image *image, size_t cut, const char *expected) {
    struct table table;
    struct reason why = {""};
    assert_false(decode(&table, image, cut, &why));
    if (!strstr(why.text, expected))
        fail_msg("\"%s\" does not tell of \"%s\"", why.text, expected);
}

static void refuses_damaged_input(void **state) {
    (void)state;
    struct image image = image_make();
    assert_refused(&image, 1, "not a multiple");
    image.functions[1].flags += 1u << ALLOCSITE_FUNCTION_VERSION_SHIFT;
    assert_refused(&image, 0, "format version 2");
    image = image_make();
    image.functions[2].depends = 1000;
    assert_refused(&image, 0, "is invalid");
    image = image_make();
    image.functions[2].symbol = INT32_MIN;
    assert_refused(&image, 0, "is invalid");
    image = image_make();
    image.functions[1].symbol = 0;
    assert_refused(&image, 0, "is invalid");
    image = image_make();
    image.functions[0].file = 0;
    assert_refused(&image, 0, "is invalid");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merges_flags_from_several_objects),
        cmocka_unit_test(refuses_damaged_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
