/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sites against what debug information says, without debug information. */
#include "table_image.h"

#include "dump/verify/verify.h"

#include <cmocka.h>
#include <stddef.h>
#include <stdint.h>

struct fixture {
    struct image image;
    struct image_regions regions;
    struct table table;
    struct evidence evidence;
};

static int set_up(void **state) {
    static struct fixture fixture;
    struct reason why;
    fixture.image = image_make();
    *state = &fixture;
    if (!table_decode(&fixture.table, image_input(&fixture.image, &fixture.regions), &why))
        return 1;
    evidence_open(&fixture.evidence, &fixture.table);
    return 0;
}

static int tear_down(void **state) {
    struct fixture *fixture = *state;
    evidence_close(&fixture->evidence);
    table_free(&fixture->table);
    return 0;
}

/* The program that the image is of, with what is right replaced by the arguments. */
static void see_program(struct evidence *evidence, const char *outermost, uint64_t row, uint64_t call_line) {
    evidence_key a = evidence_file(evidence, NULL, NULL, "a.c"),
                 b = evidence_file(evidence, NULL, NULL, "b.c");
    evidence_key inner = evidence_function(evidence, "inner", NULL);
    evidence_key outer = evidence_function(evidence, outermost, NULL);
    evidence_inlined(evidence, evidence_code(evidence, outer, false), inner, b, call_line, 5);
    evidence_row(evidence, a, row, 3);
    evidence_row(evidence, b, 30, 7);
}

static enum verdict judge(const struct fixture *fixture, size_t site) {
    struct reason why;
    return evidence_judge(&fixture->evidence, &fixture->table.sites[site], &why);
}

static void right_sites_agree(void **state) {
    struct fixture *fixture = *state;
    see_program(&fixture->evidence, "outer", 10, 20);
    assert_int_equal(judge(fixture, 0), VERDICT_AGREES);
    assert_int_equal(judge(fixture, 1), VERDICT_AGREES);
}

static void a_wrong_row_disagrees(void **state) {
    struct fixture *fixture = *state;
    see_program(&fixture->evidence, "outer", 11, 20);
    assert_int_equal(judge(fixture, 0), VERDICT_DISAGREES);
    assert_int_equal(judge(fixture, 1), VERDICT_AGREES);
}

static void a_wrong_call_line_disagrees(void **state) {
    struct fixture *fixture = *state;
    see_program(&fixture->evidence, "outer", 10, 21);
    assert_int_equal(judge(fixture, 0), VERDICT_DISAGREES);
    assert_int_equal(judge(fixture, 1), VERDICT_AGREES);
}

static void a_wrong_function_disagrees(void **state) {
    struct fixture *fixture = *state;
    see_program(&fixture->evidence, "other", 10, 20);
    assert_int_equal(judge(fixture, 0), VERDICT_DISAGREES);
    assert_int_equal(judge(fixture, 1), VERDICT_DISAGREES);
}

static void nothing_known_is_no_disagreement(void **state) {
    struct fixture *fixture = *state;
    assert_int_equal(judge(fixture, 0), VERDICT_NO_DEBUG_INFO);
}

static void code_that_was_inlined_later_agrees(void **state) {
    struct fixture *fixture = *state;
    struct evidence *evidence = &fixture->evidence;
    evidence_key b = evidence_file(evidence, NULL, NULL, "b.c");
    evidence_row(evidence, b, 30, 7);
    evidence_code(evidence, evidence_function(evidence, "outer", NULL), true);
    assert_int_equal(judge(fixture, 1), VERDICT_AGREES_INLINED);
}

static void line_tables_alone_tell_the_line(void **state) {
    struct fixture *fixture = *state;
    struct evidence *evidence = &fixture->evidence;
    evidence_unit(evidence, true);
    evidence_row(evidence, evidence_file(evidence, NULL, NULL, "b.c"), 30, 7);
    assert_int_equal(judge(fixture, 1), VERDICT_LINE_TABLES_ONLY);
}

static void linkage_names_are_demangled(void **state) {
    struct fixture *fixture = *state;
    assert_true(evidence_function(&fixture->evidence, "outer<int>", "_Z5outerIiEvv") != 0);
    assert_true(evidence_function(&fixture->evidence, NULL, "_Z5innerv") != 0);
    assert_true(evidence_function(&fixture->evidence, "other", "_Z5otherv") == 0);
}

static void a_path_may_be_split_anywhere(void **state) {
    struct fixture *fixture = *state;
    struct evidence *evidence = &fixture->evidence;
    evidence_key a = evidence_file(evidence, NULL, NULL, "a.c");
    assert_true(a != 0);
    assert_true(evidence_file(evidence, "/build", NULL, "a.c") == a);
    assert_true(evidence_file(evidence, "/build", ".", "a.c") == a);
    assert_true(evidence_file(evidence, NULL, NULL, "sub/../a.c") == a);
    assert_true(evidence_file(evidence, NULL, NULL, "/a.c") == 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(right_sites_agree),
        TEST(a_wrong_row_disagrees),
        TEST(a_wrong_call_line_disagrees),
        TEST(a_wrong_function_disagrees),
        TEST(nothing_known_is_no_disagreement),
        TEST(code_that_was_inlined_later_agrees),
        TEST(line_tables_alone_tell_the_line),
        TEST(linkage_names_are_demangled),
        TEST(a_path_may_be_split_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
