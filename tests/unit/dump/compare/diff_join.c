/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Matching the sites of two reports, and the differences shown.
#include "dump/compare/diff.h"

#include <string.h>

#include <cmocka.h>

enum { SITES_MAX = 1100 };

struct side {
    struct report report;
    struct report_site sites[SITES_MAX], *order[SITES_MAX];
};

static struct side old, new;
static struct diff diff;

static int clear(void **state) {
    (void)state;
    memset(&old, 0, sizeof old);
    memset(&new, 0, sizeof new);
    old.report.program = "/a/program";
    new.report.program = "/b/program-2";
    return 0;
}

/* Adds a site with `calls` allocations of one byte. */
static struct report_site *add(struct side *side, uint64_t id, uint32_t line, uint64_t calls) {
    size_t at = side->report.site_count++;
    struct report_site *site = &side->sites[at];
    side->order[at] = site;
    side->report.sites = side->order;
    site->view = (struct site_view){.id = id, .module = side->report.program, .sited = true};
    site->view.at = (struct place){"f", "/src/a.c", line, 5};
    site->view.callee = "malloc";
    site->counters = (struct counters){.allocs = calls, .alloc_bytes = calls, .frees = calls};
    return site;
}

static struct report_site *add_unsited(struct side *side, const char *module) {
    struct report_site *site = add(side, side->report.site_count + 1000, 0, 1);
    site->view = (struct site_view){.id = site->view.id, .module = module};
    return site;
}

static void compare(void) {
    struct report_limits everything = {.top = 0};
    report_prepare(&old.report, &everything);
    report_prepare(&new.report, &everything);
    diff_make(&diff, &old.report, &new.report, MEASURE_BYTES);
}

static void assert_joined(const struct report_site *was, const struct report_site *is) {
    size_t found = 0;
    for (size_t i = 0; i < diff.count; i++)
        found += (was && diff.rows[i].old == was) || (is && diff.rows[i].new == is)
                     ? diff.rows[i].old == was && diff.rows[i].new == is ? 1 : 100
                     : 0;
    assert_int_equal(found, 1);
}

static void by_id_wherever_it_stands(void **state) {
    (void)state;
    struct report_site *was = add(&old, 1, 10, 1), *is = add(&new, 1, 99, 1);
    is->view.at.file = "/elsewhere/b.c";
    compare();
    assert_joined(was, is);
    assert_true(diff.rows[0].is_moved);
    assert_int_equal(diff.rows[0].state, DIFF_SAME);
    assert_false(diff.differs);
    diff_free(&diff);
}

static void by_id_and_module_where_several_have_it(void **state) {
    (void)state;
    struct report_site *was[3], *is[3];
    static const char *const modules[][3] = {{"/old/liba.so", "/old/libb.so", "/a/program"},
                                             {"/b/program-2", "/new/libb.so", "/new/liba.so"}};
    for (int i = 0; i < 3; i++) {
        was[i] = add(&old, 1, 10, 1);
        is[i] = add(&new, 1, 10, 1);
        was[i]->view.module = modules[0][i];
        is[i]->view.module = modules[1][i];
    }
    compare();
    assert_joined(was[0], is[2]);
    assert_joined(was[1], is[1]);
    assert_joined(was[2], is[0]);
    diff_free(&diff);
}

static void by_id_where_one_of_several_modules_is_gone(void **state) {
    (void)state;
    struct report_site *gone = add(&old, 1, 10, 1), *stays = add(&old, 1, 10, 1), *is = add(&new, 1, 10, 1);
    gone->view.module = "/old/liba.so";
    stays->view.module = "/old/libb.so";
    is->view.module = "/new/libb.so";
    compare();
    assert_joined(stays, is);
    assert_joined(gone, NULL);
    diff_free(&diff);
}

static void by_id_in_a_module_with_another_name(void **state) {
    (void)state;
    struct report_site *was = add(&old, 1, 10, 1), *is = add(&new, 1, 10, 1);
    was->view.module = "/lib/libx.so.1";
    is->view.module = "/lib/libx.so.2";
    compare();
    assert_joined(was, is);
    diff_free(&diff);
}

static void unsited_by_module(void **state) {
    (void)state;
    struct report_site *libc = add_unsited(&old, "/lib/libc.so.6"), *other = add_unsited(&old, "/x/p.so");
    struct report_site *twin = add_unsited(&old, "/y/p.so"), *program = add_unsited(&old, "/a/program");
    struct report_site *is_program = add_unsited(&new, "/b/program-2");
    struct report_site *is_twin = add_unsited(&new, "/y/p.so"),
                       *is_libc = add_unsited(&new, "/usr/libc.so.6");
    twin->view.id = is_twin->view.id = 7;
    compare();
    assert_joined(libc, is_libc);
    assert_joined(twin, is_twin);
    assert_joined(program, is_program);
    assert_joined(other, NULL);
    diff_free(&diff);
}

static void edited_code_in_order(void **state) {
    (void)state;
    struct report_site *was[] = {add(&old, 1, 10, 1), add(&old, 2, 12, 1)};
    struct report_site *is[] = {add(&new, 3, 31, 1), add(&new, 4, 37, 1)};
    compare();
    assert_joined(was[0], is[0]);
    assert_joined(was[1], is[1]);
    diff_free(&diff);
}

static void edited_code_only_of_the_same_call(void **state) {
    (void)state;
    struct report_site *was[3], *is[3];
    for (uint32_t i = 0; i < 3; i++) {
        was[i] = add(&old, 1 + i, 10 + i, 1);
        is[i] = add(&new, 11 + i, 10 + i, 1);
    }
    is[0]->view.at.function = "g";
    is[1]->view.callee = "calloc";
    is[2]->view.at.file = "/src/b.c";
    compare();
    for (int i = 0; i < 3; i++) {
        assert_joined(was[i], NULL);
        assert_joined(NULL, is[i]);
    }
    assert_int_equal(diff.states[DIFF_GONE], 3);
    assert_int_equal(diff.states[DIFF_NEW], 3);
    diff_free(&diff);
}

/* Three calls moved down together. The new call is the first of four that look alike. */
static void sites_that_move_alike_match(void **state) {
    (void)state;
    struct report_site *was[] = {add(&old, 1, 14, 1), add(&old, 2, 20, 1), add(&old, 3, 30, 1)};
    struct report_site *added = add(&new, 10, 12, 1);
    struct report_site *is[] = {add(&new, 11, 16, 1), add(&new, 12, 22, 1), add(&new, 13, 32, 1)};
    compare();
    for (int i = 0; i < 3; i++)
        assert_joined(was[i], is[i]);
    assert_joined(NULL, added);
    diff_free(&diff);
}

static void similar_sites_match(void **state) {
    (void)state;
    struct report_site *was = add(&old, 1, 14, 1);
    struct report_site *near = add(&new, 10, 14, 1), *alike = add(&new, 11, 18, 1);
    near->view.at.column = 30;
    compare();
    assert_joined(was, alike);
    diff_free(&diff);
}

static void near_sites_match(void **state) {
    (void)state;
    struct report_site *was = add(&old, 1, 14, 1), *far = add(&new, 10, 2, 1), *near = add(&new, 11, 15, 1);
    compare();
    assert_joined(was, near);
    assert_joined(NULL, far);
    diff_free(&diff);
}

static void pairs_do_not_cross_those_by_id(void **state) {
    (void)state;
    struct report_site *first = add(&old, 1, 10, 1), *second = add(&old, 2, 20, 1);
    struct report_site *added = add(&new, 3, 9, 1), *is_first = add(&new, 1, 10, 1);
    compare();
    assert_joined(first, is_first);
    assert_joined(second, NULL);
    assert_joined(NULL, added);
    diff_free(&diff);
}

/* The same line of a header, inlined at two lines of main, which was edited. */
static void inlined_calls_by_their_callers(void **state) {
    (void)state;
    struct place chains[4] = {{"main", "a.c", 5, 1}, {"main", "a.c", 9, 1}};
    chains[2] = (struct place){"main", "a.c", 11, 1};
    chains[3] = (struct place){"main", "a.c", 7, 1};
    struct report_site *was[] = {add(&old, 1, 3, 1), add(&old, 2, 3, 1)};
    struct report_site *is[] = {add(&new, 3, 3, 1), add(&new, 4, 3, 1)};
    for (int i = 0; i < 2; i++) {
        was[i]->view.inlined = &chains[i];
        is[i]->view.inlined = &chains[2 + i];
        was[i]->view.inlined_count = is[i]->view.inlined_count = 1;
    }
    compare();
    assert_joined(was[0], is[1]);
    assert_joined(was[1], is[0]);
    assert_int_equal(diff.moved, 2);
    diff_free(&diff);
}

static void inlined_calls_move_with_their_callers(void **state) {
    (void)state;
    static const uint32_t old_lines[] = {14, 20, 30}, new_lines[] = {12, 16, 22, 32};
    struct place chains[7];
    struct report_site *was[3], *is[4];
    for (size_t i = 0; i < 7; i++) {
        chains[i] = (struct place){"main", "a.c", i < 3 ? old_lines[i] : new_lines[i - 3], 1};
        struct report_site *site = add(i < 3 ? &old : &new, i + 1, 3, 1);
        site->view.inlined = &chains[i];
        site->view.inlined_count = 1;
        *(i < 3 ? &was[i] : &is[i - 3]) = site;
    }
    compare();
    assert_joined(NULL, is[0]);
    for (int i = 0; i < 3; i++)
        assert_joined(was[i], is[i + 1]);
    diff_free(&diff);
}

static void inlined_calls_that_are_no_longer(void **state) {
    (void)state;
    struct place chain = {"main", "a.c", 5, 1};
    struct report_site *was = add(&old, 1, 3, 1), *is = add(&new, 2, 3, 1);
    was->view.inlined = &chain;
    was->view.inlined_count = 1;
    compare();
    assert_joined(was, is);
    assert_true(diff.rows[0].is_moved);
    diff_free(&diff);
}

static void very_many_calls_in_one_function(void **state) {
    (void)state;
    for (uint32_t i = 0; i < SITES_MAX; i++) {
        add(&old, 1 + i, 10 + i, 1);
        add(&new, 5000 + i, 11 + i, 1);
    }
    compare();
    assert_int_equal(diff.count, SITES_MAX);
    for (size_t i = 0; i < diff.count; i++)
        assert_int_equal(diff.rows[i].new->view.at.line, diff.rows[i].old->view.at.line + 1);
    diff_free(&diff);
}

static enum diff_state state_of(const struct counters *was, const struct counters *is) {
    clear(NULL);
    add(&old, 1, 1, 1)->counters = *was;
    add(&new, 1, 1, 1)->counters = *is;
    compare();
    enum diff_state state = diff.rows[0].state;
    assert_int_equal(diff.differs, state != DIFF_SAME);
    diff_free(&diff);
    return state;
}

static void states(void **state) {
    (void)state;
    struct counters base = {.allocs = 5, .alloc_bytes = 50, .live_bytes = 10, .peak_bytes = 20}, other = base;
    base.max_live_blocks_within = 3;
    assert_int_equal(state_of(&base, &other), DIFF_SAME);
    other.live_bytes = 11;
    assert_int_equal(state_of(&base, &other), DIFF_GROWN);
    assert_int_equal(state_of(&other, &base), DIFF_SHRUNK);
    other.allocs = 4;
    assert_int_equal(state_of(&base, &other), DIFF_CHANGED);
    other = base;
    other.frees = 1;
    assert_int_equal(state_of(&base, &other), DIFF_CHANGED);
    other = base;
    other.max_live_blocks = 1;
    assert_int_equal(state_of(&base, &other), DIFF_CHANGED);
}

static void changes(void **state) {
    (void)state;
    struct report_site least = {0}, most = {.counters = {.live_bytes = UINT64_MAX}};
    struct change more = change_of(&least, &most, MEASURE_LIVE), less = change_of(&most, NULL, MEASURE_LIVE);
    assert_true(more.by == UINT64_MAX && !more.is_less);
    assert_true(less.by == UINT64_MAX && less.is_less);
}

static void largest_change_first(void **state) {
    (void)state;
    add(&old, 1, 1, 100);
    add(&old, 2, 2, 50);
    add(&old, 3, 3, 5);
    add(&new, 1, 1, 101);
    add(&new, 2, 2, 10);
    add(&new, 3, 3, 7);
    compare();
    assert_int_equal(diff.rows[0].old->view.id, 2);
    assert_int_equal(diff.rows[1].old->view.id, 3);
    assert_int_equal(diff.rows[2].old->view.id, 1);
    struct diff_limits limits = {.min_bytes = 2};
    assert_true(diff_is_wanted(&diff.rows[1], &limits));
    assert_false(diff_is_wanted(&diff.rows[2], &limits));
    diff_free(&diff);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(by_id_wherever_it_stands, clear),
        cmocka_unit_test_setup(by_id_and_module_where_several_have_it, clear),
        cmocka_unit_test_setup(by_id_where_one_of_several_modules_is_gone, clear),
        cmocka_unit_test_setup(by_id_in_a_module_with_another_name, clear),
        cmocka_unit_test_setup(unsited_by_module, clear),
        cmocka_unit_test_setup(edited_code_in_order, clear),
        cmocka_unit_test_setup(edited_code_only_of_the_same_call, clear),
        cmocka_unit_test_setup(sites_that_move_alike_match, clear),
        cmocka_unit_test_setup(similar_sites_match, clear),
        cmocka_unit_test_setup(near_sites_match, clear),
        cmocka_unit_test_setup(pairs_do_not_cross_those_by_id, clear),
        cmocka_unit_test_setup(inlined_calls_by_their_callers, clear),
        cmocka_unit_test_setup(inlined_calls_move_with_their_callers, clear),
        cmocka_unit_test_setup(inlined_calls_that_are_no_longer, clear),
        cmocka_unit_test_setup(very_many_calls_in_one_function, clear),
        cmocka_unit_test(states),
        cmocka_unit_test(changes),
        cmocka_unit_test_setup(largest_change_first, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
