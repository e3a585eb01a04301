/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of types: normalization and parsing. */
#include "dump/types/name.h"

#include <cmocka.h>
#include <string.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_spelled_alike),     cmocka_unit_test(names_that_are_too_long),
        cmocka_unit_test(arguments_that_are_defaults), cmocka_unit_test(inline_namespaces),
        cmocka_unit_test(arguments_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
