/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of the C++ standard library. */
#include <stddef.h>

#include <cmocka.h>

#include "base/allocators.h"

static void has_functions_and_members(void **state) {
    (void)state;
    assert_true(library_has("_ZSt11make_uniqueI4ItemJEENSt9_MakeUniqIT_E15__single_objectEDpOT0_"));
    assert_true(library_has("_ZNSt6vectorI4ItemSaIS0_EE9push_backERKS0_"));
    assert_true(library_has("_ZNKSt8functionIFvvEEclEv"));
    assert_true(library_has("_ZNVKSt6atomicIiE4loadEv"));
    assert_true(library_has("_ZNSt3__16vectorIiNS_9allocatorIiEEE7reserveEm"));
}

static void has_what_is_abbreviated(void **state) {
    (void)state;
    assert_true(library_has("_ZNSaIcE8allocateEm"));
    assert_true(library_has("_ZNSs6appendEPKc"));
    assert_true(library_has("_ZNSolsEi"));
    assert_true(library_has("_ZN9__gnu_cxx13new_allocatorIcE8allocateEmPKv"));
}

static void has_what_stands_within_its_functions(void **state) {
    (void)state;
    assert_true(library_has("_ZZNSt8functionIFvvEEC1EvENKUlvE_clEv"));
    assert_true(library_has("_ZZNSt6threadC1EvENKUlvE_clEv"));
}

static void has_nothing_of_the_programs(void **state) {
    (void)state;
    assert_false(library_has("_ZN2ns4makeISt6vectorIiSaIiEEEEvv"));
    assert_false(library_has("_Z4makeSt6vectorIiSaIiEE"));
    assert_false(library_has("_ZN5StackC2Ev"));
    assert_false(library_has("_ZZ4mainENKUlvE_clEv"));
    assert_false(library_has("_ZN"));
    assert_false(library_has("_ZNS_3fooEv"));
    assert_false(library_has("_Znwm"));
    assert_false(library_has("std"));
    assert_false(library_has(""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_functions_and_members),
        cmocka_unit_test(has_what_is_abbreviated),
        cmocka_unit_test(has_what_stands_within_its_functions),
        cmocka_unit_test(has_nothing_of_the_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
