// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types: their names, their layouts, and how much padding their blocks have.
#include "dump/types/layout.h"
#include "dump/types/name.h"
#include "dump/view/groups_write.h"

#include <string.h>

#include <cmocka.h>

static void assert_read(const char *spelled, const char *text, bool is_tag) {
    struct type_name name;
    assert_true(type_name_read(&name, spelled));
    assert_string_equal(name.text, text);
    assert_int_equal(name.is_tag, is_tag);
}

static void names_are_spelled_alike(void **state) {
    (void)state;
    assert_read("struct foo", "foo", true);
    assert_read("foo", "foo", false);
    assert_read("structure", "structure", false);
    assert_read("unsigned  long int", "unsigned long int", false);
    assert_read("char const *", "char const*", false);
    assert_read("Foo<int, Bar<long> >", "Foo<int,Bar<long>>", false);
    assert_read("Foo<class Bar, 3UL>", "Foo<Bar,3>", false);
    assert_read("Foo<(short)-3, (ns::E)4>", "Foo<-3,4>", false);
    assert_read("Foo<(lambda at /a/b c/d-e.cpp:1:2) *>", "Foo<(lambda at d-e.cpp:1:2)*>", false);
    assert_read("(lambda at ../d.cpp:1:2)", "(lambda at d.cpp:1:2)", false);
    assert_read("Foo<x3U>", "Foo<x3U>", false);
    assert_read("std::__cxx11::basic_string<char>", "std::basic_string<char>", false);
    assert_read("std::__1::pair<struct a, b>", "std::pair<a,b>", false);
    assert_read("ns::(anonymous namespace)::Foo", "ns::(anonymous namespace)::Foo", false);
    assert_read("", "", false);
}

static void names_that_are_too_long(void **state) {
    (void)state;
    char spelled[2 * TYPE_NAME_SIZE];
    struct type_name name;
    memset(spelled, 'x', sizeof spelled);
    spelled[TYPE_NAME_SIZE - 1] = '\0';
    assert_true(type_name_read(&name, spelled));
    spelled[TYPE_NAME_SIZE - 1] = 'x';
    spelled[TYPE_NAME_SIZE] = '\0';
    assert_false(type_name_read(&name, spelled));
}

static void arguments_that_are_defaults(void **state) {
    (void)state;
    assert_true(type_name_matches("vector<int>", "vector<int,allocator<int>>"));
    assert_true(type_name_matches("map<a,vector<b>>", "map<a,vector<b,c<b>>,less<a>,d<e,f>>"));
    assert_true(type_name_matches("vector<int>::node", "vector<int,x>::node"));
    assert_false(type_name_matches("vector<int,x>", "vector<int>"));
    assert_false(type_name_matches("vector<int>", "vector<intx>"));
    assert_false(type_name_matches("vector", "vector<int>"));
    assert_false(type_name_matches("foo", "food"));
    assert_false(type_name_matches("food", "foo"));
    assert_true(type_name_matches("json<>", "json<map,vector<x>>"));
    assert_true(type_name_matches("list<json<>>", "list<json<map>,allocator<json<map>>>"));
    assert_true(type_name_matches("a<'>'>", "a<'>','>'>"));
    assert_true(type_name_matches("a<'\\''>", "a<'\\'',b>"));
    assert_true(type_name_matches("f<int(a<>)>", "f<int(a<b>),c>"));
    assert_false(type_name_matches("json<>", "json"));
    assert_false(type_name_matches("json<>", "json<map>::inner"));
    assert_true(type_name_hash("a<b>") == type_name_hash("a<b,c>"));
    assert_true(type_name_hash("a<b>") != type_name_hash("ab"));
}

static bool is_v(const void *context, const char *path, size_t length) {
    (void)context;
    return length == strlen("a::v") && memcmp(path, "a::v", length) == 0;
}

static void inline_namespaces(void **state) {
    (void)state;
    struct type_name name;
    assert_true(type_name_read(&name, "b::v::c<a::v::d, const a::v::e<v::f> *, b::a::v::g>::v::h"));
    type_name_strip(&name, is_v, NULL);
    assert_string_equal(name.text, "b::v::c<a::d,const a::e<v::f>*,b::a::v::g>::v::h");
}

static void assert_arguments(const char *name, const char *first, const char *second) {
    struct type_text all, argument;
    assert_true(type_name_arguments((struct type_text){name, strlen(name)}, &all));
    assert_true(type_name_next(&all, &argument));
    assert_true(argument.length == strlen(first) && memcmp(argument.text, first, argument.length) == 0);
    assert_int_equal(type_name_next(&all, &argument), second != NULL);
    if (second)
        assert_true(argument.length == strlen(second) && memcmp(argument.text, second, argument.length) == 0);
    assert_false(type_name_next(&all, &argument));
}

static void arguments_one_by_one(void **state) {
    (void)state;
    struct type_text all;
    assert_arguments("a<b<c,d>,int(e,f)>", "b<c,d>", "int(e,f)");
    assert_arguments("a<b>::c<','>", "','", NULL);
    assert_false(type_name_arguments((struct type_text){"a<b>::c", 7}, &all));
    assert_false(type_name_arguments((struct type_text){"a<b", 3}, &all));
    assert_string_equal(type_name_find("a<b[3],c>[4]", "["), "[4]");
    assert_null(type_name_find("a<int(*)(b)>", "("));
}

static struct type_layout filled(uint64_t size, struct type_extent *extents, size_t count) {
    struct type_layout layout = {.state = TYPE_KNOWN, .size = size};
    type_layout_fill(&layout, extents, count);
    return layout;
}

static void holes_between_and_behind(void **state) {
    (void)state;
    struct type_extent extents[] = {{8, 12, "b", NULL}, {0, 1, "a", "a"}, {4, 6, "u", "x"}, {4, 5, "u", "y"}};
    struct type_layout layout = filled(16, extents, 4);
    assert_int_equal(layout.padding, 3 + 2 + 4);
    assert_int_equal(layout.holes_count, 3);
    assert_true(layout.holes[0].offset == 1 && layout.holes[0].size == 3);
    assert_string_equal(layout.holes[0].after, "a");
    assert_string_equal(layout.holes[1].after, "u.x");
    assert_true(layout.holes[2].offset == 12 && layout.holes[2].size == 4);
}

static void a_type_without_members(void **state) {
    (void)state;
    struct type_layout layout = filled(1, NULL, 0);
    assert_true(layout.padding == 1 && layout.holes_count == 1);
    assert_string_equal(layout.holes[0].after, "");
}

// Damaged debug information can say anything.
static void members_that_are_outside(void **state) {
    (void)state;
    struct type_extent extents[] = {{0, 2, "a", NULL}, {100, 200, "b", NULL}, {7, 3, "c", NULL}};
    assert_int_equal(filled(8, extents, 3).padding, 6);
    struct type_extent wide[] = {{0, 100, "a", NULL}};
    assert_int_equal(filled(8, wide, 1).padding, 0);
}

static void members_without_an_end(void **state) {
    (void)state;
    struct type_extent extents[] = {
        {0, 4, "a", NULL}, {4, TYPE_EXTENT_OPEN, "b", NULL}, {4, 5, "c", NULL}, {16, 17, "d", NULL}};
    assert_int_equal(filled(24, extents, 4).padding, 7);
    struct type_extent last[] = {{8, TYPE_EXTENT_OPEN, "b", NULL}};
    assert_int_equal(filled(24, last, 1).padding, 8);
}

static void more_holes_than_are_kept(void **state) {
    (void)state;
    enum { MEMBERS = 2 * TYPE_HOLES_MAX };
    struct type_extent extents[MEMBERS];
    for (uint64_t i = 0; i < MEMBERS; i++)
        extents[i] = (struct type_extent){2 * i, 2 * i + 1, "a", NULL};
    struct type_layout layout = filled(2 * MEMBERS, extents, MEMBERS);
    assert_true(layout.padding == MEMBERS && layout.holes_count == MEMBERS);
}

static void layouts_of_one_name(void **state) {
    (void)state;
    struct type_layout layout = {.state = TYPE_UNKNOWN},
                       partial = {.state = TYPE_KNOWN, .size = 8, .is_partial = true},
                       whole = {.state = TYPE_KNOWN, .size = 8, .padding = 3},
                       other = {.state = TYPE_KNOWN, .size = 9};
    type_layout_join(&layout, &partial);
    assert_int_equal(layout.state, TYPE_KNOWN);
    type_layout_join(&layout, &whole);
    type_layout_join(&layout, &partial);
    assert_true(layout.state == TYPE_KNOWN && layout.padding == 3 && !layout.is_partial);
    type_layout_join(&layout, &other);
    assert_int_equal(layout.state, TYPE_DIFFERS);
}

static struct type_use used(struct type_layout layout, uint64_t blocks, uint64_t size, uint64_t live) {
    static struct type_layout kept;
    struct type_use use = {.layout = NULL};
    struct counters counters = {
        .allocs = blocks, .alloc_bytes = blocks * size, .live_blocks = live, .live_bytes = live * size};
    kept = layout;
    type_use_add_site(&use, &kept, &counters);
    return use;
}

static void padding_of_blocks(void **state) {
    (void)state;
    const struct type_layout layout = {.state = TYPE_KNOWN, .size = 16, .padding = 7};
    struct type_use use = used(layout, 10, 16, 4);
    assert_true(use.padding == 70 && use.live_padding == 28 && use.bytes == 160 && use.live_bytes == 64);
    use = used(layout, 10, 64, 4); // arrays of four
    assert_true(use.padding == 280 && use.live_padding == 112);
    use = used(layout, 10, 41, 10); // with something behind
    assert_true(use.padding == 70 && use.live_padding == 70);
    use = used(layout, 10, 3, 10); // not even the type
    assert_true(use.padding == 7 && use.live_padding == 7);
    struct type_layout flexible = layout;
    flexible.is_flexible = true;
    use = used(flexible, 10, 64, 4);
    assert_true(use.padding == 70 && use.live_padding == 28);
}

static void types_without_a_layout(void **state) {
    (void)state;
    struct type_use use = {.layout = NULL};
    struct counters counters = {.allocs = 1, .alloc_bytes = 8};
    type_use_add_site(&use, NULL, &counters);
    assert_true(!use.layout && !use.bytes && !type_use_has_size(&use));
    use = used((struct type_layout){.state = TYPE_DIFFERS, .size = 8}, 1, 8, 1);
    assert_true(use.differs && !use.bytes && !type_use_has_size(&use));
    use = used((struct type_layout){.state = TYPE_VIRTUAL, .size = 8, .padding = 8}, 1, 8, 1);
    assert_true(type_use_has_size(&use) && !type_use_has_padding(&use) && !use.padding);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_spelled_alike),     cmocka_unit_test(names_that_are_too_long),
        cmocka_unit_test(arguments_that_are_defaults), cmocka_unit_test(holes_between_and_behind),
        cmocka_unit_test(a_type_without_members),      cmocka_unit_test(members_that_are_outside),
        cmocka_unit_test(members_without_an_end),      cmocka_unit_test(more_holes_than_are_kept),
        cmocka_unit_test(layouts_of_one_name),         cmocka_unit_test(padding_of_blocks),
        cmocka_unit_test(types_without_a_layout),      cmocka_unit_test(inline_namespaces),
        cmocka_unit_test(arguments_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
