/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of symbols. */
#include "names/names.h"

#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void names(void **state) {
    (void)state;
    static const struct {
        const char *symbol, *name;
    } cases[] = {
        {"_Z3fooi", "foo"},
        {"_ZN2ns3Foo3barEv", "ns::Foo::bar"},
        {"_ZNK2ns3FooIiLi42EE3barIS_EEvT_", "ns::Foo<...>::bar<...>"},
        {"_ZN3FooC2Ev", "Foo::Foo"},
        {"_ZN3FooIiED1Ev", "Foo<...>::~Foo"},
        {"_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_createERmm",
         "std::__cxx11::basic_string<char>::_M_create"},
        {"_ZNSs6appendEPKc", "std::string::append"},
        {"_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", "std::operator<< <...>"},
        {"_ZN1AplERKS_", "A::operator+"},
        {"_ZN1AclEi", "A::operator()"},
        {"_ZN1AdeEv", "A::operator*"},
        {"_Znwm", "operator new"},
        {"_ZdaPv", "operator delete[]"},
        {"_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo"},
        {"_ZZ4mainENKUlvE_clEv", "main::'lambda'::operator()"},
        {"_ZZN2ns3fooEiENKUliE0_clEi", "ns::foo::'lambda'::operator()"},
        {"_ZN3fooB5cxx11Ei", "foo"},
        {"_ZL3foov", "foo"},
        {"_Z1fIXadL_Z1gvEEEvv", "f<...>"},
        {"_Z1fIZ4mainE1AEvT_", "f<...>"},
        {"_Z1fILN2ns1EE3EEvv", "f<...>"},
        {"_ZNSt6vectorIN2ns3FooESaIS1_EE9push_backERKS1_", "std::vector<...>::push_back"},
    };
    char text[256];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(mangled_name(text, sizeof text, cases[i].symbol));
        assert_string_equal(text, cases[i].name);
    }
    assert_true(mangled_name(text, 8, "_ZN2ns3Foo3barEv"));
    assert_string_equal(text, "ns::Foo");
}

/* Nothing behind the end of a symbol is read, wherever that is. */
static void ends(void **state) {
    (void)state;
    static const char *const symbols[] = {"_Z1fIST_",
                                          "_Z1fIDT_",
                                          "_ZUlvE_",
                                          "_ZZ4mainENKUlvE12_clEv",
                                          "_Z1fILN2ns1EE3EEvv",
                                          "_ZNKSbIwSt11char_traitsIwESaIwEE4sizeEv",
                                          "_ZN1AdeEv",
                                          "_ZN3FooIiED1Ev",
                                          "_Z1fIXadL_Z1gvEEEvv"};
    long size = sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + size, (size_t)size, PROT_NONE);
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        for (size_t length = 0; length <= strlen(symbols[i]); length++) {
            char text[64], *symbol = pages + size - length - 1;
            memcpy(symbol, symbols[i], length);
            symbol[length] = '\0';
            mangled_name(text, sizeof text, symbol);
        }
    munmap(pages, 2 * (size_t)size);
}

static void others(void **state) {
    (void)state;
    static const char *const bad[] = {"foo",       "_Z",     "_ZN",   "_Z99x",   "_ZN1AcvbEv",
                                      "_ZTV1A",    "_ZN1A",  "_Z1fI", "_Z1fILi", "_ZN1AIN1BE",
                                      "_ZS_3foov", "_ZN2ns", "_ZC1v", "_ZNUlv",  "_Z0v"};
    char text[256], deep[1000] = "_Z1f";
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(mangled_name(text, sizeof text, bad[i]));
    memset(deep + 4, 'I', sizeof deep - 5);
    assert_false(mangled_name(text, sizeof text, deep));
    memset(deep + 2, 'Z', sizeof deep - 3);
    assert_false(mangled_name(text, sizeof text, deep));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(ends),
                                       cmocka_unit_test(others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
