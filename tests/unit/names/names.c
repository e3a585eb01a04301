/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names, sizes, counts and shares as reports show them. */
#include "names/names.h"

#include <cmocka.h>
#include <string.h>

static void units(void **state) {
    (void)state;
    static const struct {
        uint64_t bytes;
        const char *text;
    } sizes[] = {{0, "0 B"},        {1023, "1023 B"},       {1024, "1.0 KiB"},
                 {1536, "1.5 KiB"}, {34707867, "33.1 MiB"}, {UINT64_MAX, "16.0 EiB"}};
    char text[UNITS_SIZE];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        units_size(text, sizes[i].bytes);
        assert_string_equal(text, sizes[i].text);
    }
    units_count(text, UINT64_MAX);
    assert_string_equal(text, "18,446,744,073,709,551,615");
    units_count(text, 0);
    assert_string_equal(text, "0");
    units_share(text, 99999, 100000);
    assert_string_equal(text, "99.9%");
    units_share(text, UINT64_MAX, UINT64_MAX);
    assert_string_equal(text, "100.0%");
}

/* Names from the demanglers of LLVM and libiberty. */
static void names(void **state) {
    (void)state;
    static const struct {
        const char *name, *shown;
    } functions[] = {
        {"main", "main"},
        {"foo.constprop.0", "foo.constprop.0"},
        {"foo(int) [clone .isra.0]", "foo"},
        {"foo(int) (.cold)", "foo"},
        {"_GLOBAL__sub_I_x.cc", "_GLOBAL__sub_I_x.cc"},
        {"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::append(char "
         "const*)",
         "std::string::append"},
        {"std::__1::vector<ns::Foo, std::__1::allocator<ns::Foo>>::push_back(ns::Foo&&)",
         "std::vector<ns::Foo>::push_back"},
        {"std::map<int, std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, "
         "std::less<int>, std::allocator<std::pair<int const, std::__cxx11::basic_string<char, "
         "std::char_traits<char>, std::allocator<char> > > > >::operator[](int&&)",
         "std::map<int, std::string>::operator[]"},
        {"std::unordered_map<A, B, std::hash<A>, std::equal_to<A>, std::allocator<std::pair<A const, B> > "
         ">::at(A const&)",
         "std::unordered_map<A, B>::at"},
        {"std::unique_ptr<Foo, std::default_delete<Foo> > std::make_unique<Foo, int>(int&&)",
         "std::make_unique<Foo, int>"},
        {"std::pair<int, std::allocator<int> >::pair()", "std::pair<int, std::allocator<int>>::pair"},
        {"std::allocator_traits<std::allocator<int> >::allocate(std::allocator<int>&, unsigned long)",
         "std::allocator_traits<std::allocator<int>>::allocate"},
        {"std::_V2::__rotate<int*>(int*, int*, int*)", "std::__rotate<int *>"},
        {"absl::lts_20220623::StrCat(int)", "absl::StrCat"},
        {"api::v2::get(int)", "api::v2::get"},
        {"name[abi:cxx11](int)", "name"},
        {"std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&, char const*)",
         "std::operator<<"},
        {"bool operator< <int>(A<int> const&, A<int> const&)", "operator< <int>"},
        {"A::operator<=>(A const&) const", "A::operator<=>"},
        {"A::operator->*(int)", "A::operator->*"},
        {"A::operator()(int) const", "A::operator()"},
        {"A::operator,(int)", "A::operator,"},
        {"A::operator bool() const", "A::operator bool"},
        {"A::operator std::vector<int, std::allocator<int> >() const", "A::operator std::vector<int>"},
        {"operator new[](unsigned long)", "operator new[]"},
        {"operator\"\" _km(long double)", "operator\"\" _km"},
        {"operators(int)", "operators"},
        {"void (*handler<int>(int))(char)", "handler<int>"},
        {"int (&table())[3]", "table"},
        {"decltype(auto) make<int>(int&&)", "make<int>"},
        {"decltype (f(x)) call<int (*)(int)>(int (*)(int), int)", "call<int (*)(int)>"},
        {"std::function<void (int)>::operator()(int) const", "std::function<void (int)>::operator()"},
        {"void call<&(callback(int))>(int)", "call<&(callback(int))>"},
        {"void f<(3 > 2)>()", "f<(3 > 2)>"},
        {"void g<&A::operator> >()", "g<&A::operator>>"},
        {"auto main::'lambda0'(auto)::operator()<int>(int) const", "main::'lambda0'::operator()<int>"},
        {"f(int) const::{lambda(std::vector<int>)#2}::operator()(std::vector<int>) const",
         "f::{lambda#2}::operator()"},
        {"main::$_0::operator()(int) const", "main::$_0::operator()"},
        {"(anonymous namespace)::Parser::parse((anonymous namespace)::Token const&)",
         "(anonymous namespace)::Parser::parse"},
        {"T::Create<tinyxml2::Node, 120ul>(int)", "T::Create<tinyxml2::Node, 120>"},
        {"f<(short)3, (unsigned char)7, -1l, (Color)1>()", "f<3, 7, -1, (Color)1>"},
        {"f<char const* const, A const&>()", "f<const char *const, const A &>"},
        {"f<void (*)(Node**, char const*), 2u>()", "f<void (*)(Node **, const char *), 2>"},
        {"f<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&>()",
         "f<const std::string &>"},
        {"constant<constant_t const>()", "constant<const constant_t>"},
        {"f<unsigned long const*&&, 0x1fu>()", "f<const unsigned long *&&, 0x1f>"},
        {"(cut)", "(cut)"},
        {"non-virtual thunk to Foo::bar()", "Foo::bar"},
        {"core::ops::FnOnce::call_once{{vtable.shim}}", "core::ops::FnOnce::call_once{{vtable.shim}}"},
        {"<alloc::Vec<T> as core::From<T>>::from", "<alloc::Vec<T> as core::From<T>>::from"},
        {"_$LT$T$u20$as$u20$U$GT$::drop", "_$LT$T$u20$as$u20$U$GT$::drop"},
        {"-[NSString initWithFormat:]", "-[NSString initWithFormat:]"},
        {"broken<int", "broken<int"},
        {"broken(int", "broken(int"},
        {">>)}]", ">>)}]"},
        {"x::operator", "x::operator"},
        {"", ""},
        {NULL, "?"},
    };
    char text[NAME_SIZE];
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        name_function(text, functions[i].name, 60);
        assert_string_equal(text, functions[i].shown);
    }
}

static void long_names(void **state) {
    (void)state;
    static const struct {
        size_t columns;
        const char *name, *shown;
    } functions[] = {
        {60,
         "bool nlohmann::json_abi_v3_11_2::detail::parser<nlohmann::json_abi_v3_11_2::basic_json<std::map, "
         "std::vector, std::string>, char const*>::sax_parse_internal<int>(int*)",
         "nlohmann::detail::parser<...>::sax_parse_internal<int>"},
        {44,
         "bool nlohmann::json_abi_v3_11_2::detail::parser<nlohmann::json_abi_v3_11_2::basic_json<std::map, "
         "std::vector, std::string>, char const*>::sax_parse_internal<int>(int*)",
         "...::parser<...>::sax_parse_internal<int>"},
        {20, "bool a::parser<std::vector<std::vector<int>>>::the_name_of_the_function_stays(int*)",
         "...::the_name_of_the_function_stays"},
        {40, "outer<first_of_two_arguments, second>::inner<short>::f()", "outer<...>::inner<short>::f"},
        {11, "café::été::f(int)", "...::été::f"},
    };
    char text[NAME_SIZE], endless[2000] = "";
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        name_function(text, functions[i].name, functions[i].columns);
        assert_string_equal(text, functions[i].shown);
    }
    memset(endless, 'a', sizeof endless - 1);
    name_function(text, endless, 60);
    assert_true(strlen(text) < NAME_SIZE);
    assert_string_equal(text + strlen(text) - 3, "...");
}

static void types(void **state) {
    (void)state;
    static const struct {
        const char *name, *shown;
    } types[] = {
        {"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string"},
        {"std::_Rb_tree_node<std::pair<const std::__cxx11::basic_string<char, std::char_traits<char>, "
         "std::allocator<char> >, nlohmann::basic_json<std::map, std::vector>>>",
         "std::_Rb_tree_node<std::pair<...>>"},
        {"struct word", "struct word"},
        {"char[16]", "char[16]"},
        {"void (*)(int)", "void (*)(int)"},
        {"A<int>, B<int, std::allocator<int>>", "A<int>, B<int>"},
        {"std::_Sp_counted_ptr_inplace<node, std::allocator<void>, __gnu_cxx::_S_atomic>",
         "std::_Sp_counted_ptr_inplace<node>"},
        {"a or b or c", "a or b or c"},
        {"a or b<int, std::allocator<int>> or c or d or e", "a or b<int> or c or ..."},
    };
    char text[NAME_SIZE];
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        name_type(text, types[i].name, 40);
        assert_string_equal(text, types[i].shown);
    }
}

static void times(void **state) {
    (void)state;
    static const struct {
        uint64_t time;
        const char *text;
    } times[] = {{0, "0 ns"},           {999, "999 ns"},         {1000, "1.0 µs"},
                 {999999, "999.9 µs"},  {1000000, "1.0 ms"},     {1550000, "1.5 ms"},
                 {1000000000, "1.0 s"}, {90000000000, "90.0 s"}, {UINT64_MAX, "18446744073.7 s"}};
    char text[UNITS_SIZE];
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        units_time(text, times[i].time);
        assert_string_equal(text, times[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units),      cmocka_unit_test(times), cmocka_unit_test(names),
        cmocka_unit_test(long_names), cmocka_unit_test(types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
