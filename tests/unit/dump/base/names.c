/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parsing of function names. */
#include "dump/base/names.h"

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_base(const char *function, const char *expected) {
    char base[512];
    assert_true(strlen(function) < sizeof base);
    function_base(function, base);
    assert_string_equal(base, expected);
}

static void keeps_plain_names(void **state) {
    (void)state;
    assert_base("main", "main");
    assert_base("ns::f", "ns::f");
    assert_base("$_0::operator()", "$_0::operator()");
    assert_base("operators", "operators");
}

static void drops_differences_between_demanglers(void **state) {
    (void)state;
    assert_base("void std::vector<int, std::allocator<int> >::emplace_back<int&>(int&)",
                "std::vector::emplace_back");
    assert_base("ns::A<(ns::E)1>::f(int (*)(char)) const &", "ns::A::f");
    assert_base("std::string f[abi:cxx11](int)", "f");
    assert_base("foo() [clone .cold]", "foo");
    assert_base("foo() (.llvm.123)", "foo");
    assert_base("decltype(a(1)) ns::f<A>(A)", "ns::f");
    assert_base("decltype (({parm#1}.b)(1)) ns::f<A>(A)", "ns::f");
    assert_base("void (*pick<int>(int))(char)", "pick");
    assert_base("A<(1>0)>::f()", "A::f");
}

static void keeps_the_way_through_functions(void **state) {
    (void)state;
    assert_base("f(int)::Local::g(char) const", "f::Local::g");
    assert_base("f(int) const::Local::g()", "f::Local::g");
    assert_base("(anonymous namespace)::A::f()", "{anonymous}::A::f");
}

static void names_lambdas_alike(void **state) {
    (void)state;
    assert_base("f(int)::'lambda0'(auto)::operator()<int>(auto) const", "f::{lambda}::operator()");
    assert_base("f(int)::{lambda(auto)#2}::operator()<int>(auto) const", "f::{lambda}::operator()");
    assert_base("f()::{unnamed type#1}::g()", "f::{unnamed}::g");
    assert_base("f()::'unnamed'::g()", "f::{unnamed}::g");
}

static void distinguishes_operators(void **state) {
    (void)state;
    assert_base("operator new[](unsigned long)", "operator new[]");
    assert_base("A::operator==(A const&) const", "A::operator==");
    assert_base("A::operator std::string() const", "A::operator@");
    assert_base("operator basic_string", "operator@");
    assert_base("bool operator<<int>(A<int> const&)", "operator");
    assert_base("bool operator< <int>(A<int> const&)", "operator");
    assert_base("A::operator()(int)", "A::operator()");
}

static void initializers_have_no_name(void **state) {
    (void)state;
    assert_base("_GLOBAL__sub_I_x.cpp", "");
}

static void demangles(void **state) {
    (void)state;
    char long_name[1024], *name = name_demangle("_Z1fI1AIiiEEvT_");
    assert_string_equal(name, "void f<A<int, int> >(A<int, int>)");
    free(name);
    assert_null(name_demangle("f"));
    assert_null(name_demangle(NULL));
    assert_null(name_demangle("_Z"));
    memset(long_name + 4, 'x', 1000);
    memcpy(long_name, "_Z999", 5);
    long_name[5 + 999] = '\0';
    name = name_demangle(long_name);
    assert_string_equal(name, long_name + 5);
    free(name);
}

// Each part contains the previous part four times.
static void names_that_grow_without_bound_stay_mangled(void **state) {
    (void)state;
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOP";
    char name[512] = "_Z1f1AIiiE";
    for (const char *digit = digits; *digit; digit++)
        snprintf(name + strlen(name), sizeof name - strlen(name), "S_IS%c_S%c_E", *digit, *digit);
    assert_null(name_demangle(name));
}

static void assert_demangled(const char *symbol, const char *expected) {
    char *name = name_demangle(symbol);
    assert_true(name || !expected);
    if (name)
        assert_string_equal(name, expected);
    free(name);
}

static void demangles_both_schemes_of_rust(void **state) {
    (void)state;
    assert_demangled("_ZN4core3ptr13drop_in_place17h0123456789abcdefE", "core::ptr::drop_in_place");
    assert_demangled("_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$"
                     "3bar17h930b740aa94f1d3aE",
                     "<Test + 'static as foo::Bar<Test>>::bar");
    assert_demangled("_RINvCs6GmmlP4bgsG_1r5boxedAhj64_EB2_", "r::boxed::<[u8; 100]>");
    assert_demangled("_RNvC6_123foo3bar", "123foo::bar");
    assert_demangled("_ZN4core3ptr1fEv", "core::ptr::f()");
    assert_demangled("_Rubbish", NULL);
    assert_demangled("main", NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(demangles_both_schemes_of_rust),
        cmocka_unit_test(keeps_plain_names),
        cmocka_unit_test(drops_differences_between_demanglers),
        cmocka_unit_test(keeps_the_way_through_functions),
        cmocka_unit_test(names_lambdas_alike),
        cmocka_unit_test(distinguishes_operators),
        cmocka_unit_test(initializers_have_no_name),
        cmocka_unit_test(demangles),
        cmocka_unit_test(names_that_grow_without_bound_stay_mangled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
