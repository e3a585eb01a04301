/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of allocators. Its binary search relies on the order. */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/allocators.h"

static void finds_every_entry(void **state) {
    (void)state;
    size_t count;
    const struct allocator *table = allocator_table(&count);
    assert_true(count > 40);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(allocator_find(table[i].symbol, strlen(table[i].symbol)), &table[i]);
        if (i > 0)
            assert_true(strcmp(table[i - 1].symbol, table[i].symbol) < 0);
    }
}

static void finds_nothing_else(void **state) {
    (void)state;
    static const char *const others[] = {"",   "a",     "mallo", "malloc_", "malloc2",
                                         "_Z", "_Znwj", "zzz",   "__strdu"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_null(allocator_find(others[i], strlen(others[i])));
}

static void accepts_unterminated_names(void **state) {
    (void)state;
    assert_string_equal(allocator_find("malloc.llvm.1", 6)->symbol, "malloc");
    assert_null(allocator_find("malloc.llvm.1", 7));
    assert_null(allocator_find("malloc", 5));
}

static void prototypes_are_well_formed(void **state) {
    (void)state;
    size_t count;
    const struct allocator *table = allocator_table(&count);
    for (size_t i = 0; i < count; i++) {
        const char *prototype = table[i].prototype;
        assert_int_equal(strspn(prototype, "vpzi"), strlen(prototype));
        /* The program passes the block that it marks, or that its custom allocator returns. */
        bool brings = !*table[i].callee || strcmp(table[i].callee, "allocsite_mark") == 0;
        bool has_result = table[i].kind != ALLOCSITE_FREE && !brings;
        assert_int_equal(prototype[0] != 'v', has_result);
    }
}

/* ---- Symbols of the C++ standard library. */

static void has_functions_and_members(void **state) {
    (void)state;
    assert_true(library_has("_ZSt11make_uniqueI4ItemJEENSt9_MakeUniqIT_E15__single_objectEDpOT0_"));
    assert_true(library_has("_ZNSt6vectorI4ItemSaIS0_EE9push_backERKS0_"));
    assert_true(library_has("_ZNKSt8functionIFvvEEclEv"));
    assert_true(library_has("_ZNVKSt6atomicIiE4loadEv"));
    assert_true(library_has("_ZNSt3__16vectorIiNS_9allocatorIiEEE7reserveEm"));
}

static void includes_abbreviated_names(void **state) {
    (void)state;
    assert_true(library_has("_ZNSaIcE8allocateEm"));
    assert_true(library_has("_ZNSs6appendEPKc"));
    assert_true(library_has("_ZNSolsEi"));
    assert_true(library_has("_ZN9__gnu_cxx13new_allocatorIcE8allocateEmPKv"));
}

static void includes_entities_within_functions(void **state) {
    (void)state;
    assert_true(library_has("_ZZNSt8functionIFvvEEC1EvENKUlvE_clEv"));
    assert_true(library_has("_ZZNSt6threadC1EvENKUlvE_clEv"));
}

static void excludes_functions_of_programs(void **state) {
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
        cmocka_unit_test(finds_every_entry),
        cmocka_unit_test(finds_nothing_else),
        cmocka_unit_test(accepts_unterminated_names),
        cmocka_unit_test(prototypes_are_well_formed),
        cmocka_unit_test(has_functions_and_members),
        cmocka_unit_test(includes_abbreviated_names),
        cmocka_unit_test(includes_entities_within_functions),
        cmocka_unit_test(excludes_functions_of_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
