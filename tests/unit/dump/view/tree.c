/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Trees of call paths. */
#include "dump/view/tree.h"
#include "dump/stacks_image.h"

#include <cmocka.h>

static const struct tree_node *child(const struct tree *tree, const struct tree_node *of, size_t number) {
    assert_true(number < of->count);
    return &tree->nodes[tree->children[of->first + number]];
}

static struct tree tree_of(const struct report *report, bool is_root_first, double prune) {
    struct tree tree = {.is_root_first = is_root_first, .by = MEASURE_ALLOCS, .prune = prune};
    tree_make(&tree, report);
    assert_int_equal(tree.nodes[0].amounts[MEASURE_ALLOCS], 3 + 5 + 7 + 17);
    return tree;
}

// The first frame of a site's stack is the site's function.
static void leaf_first(void **state) {
    (void)state;
    struct tree tree = tree_of(read_prepared(), false, 0);
    const struct tree_node *caller = child(&tree, &tree.nodes[0], 0), *site = child(&tree, &tree.nodes[0], 1);
    assert_int_equal(caller->amounts[MEASURE_ALLOCS], 17);
    assert_string_equal(site->at.function, "f");
    assert_string_equal(site->at.callee, "malloc");
    assert_int_equal(site->amounts[MEASURE_ALLOCS], 15);
    assert_int_equal(site->amounts[MEASURE_LIVE], 10 * (15 - 3));
    assert_int_equal(site->count, 1);
    const struct tree_node *outer = child(&tree, site, 0);
    assert_int_equal(outer->at.address, 0x20);
    assert_string_equal(outer->at.module, "/bin/p");
    assert_int_equal(outer->amounts[MEASURE_ALLOCS], 5 + 7);
    assert_int_equal(outer->count, 0);
    tree_free(&tree);
    profile_read_free(&file);
}

// After a tail call of malloc the first frame is the caller's.
static void a_function_may_have_left(void **state) {
    (void)state;
    const struct report *report = read_prepared();
    for (size_t i = 0; i < report->stack_count; i++)
        if (report->stacks[i].frame_count)
            ((struct report_frame *)report->stacks[i].frames)->function = "g";
    struct tree tree = tree_of(report, false, 0);
    const struct tree_node *caller = child(&tree, child(&tree, &tree.nodes[0], 1), 0);
    assert_string_equal(caller->at.function, "g");
    assert_int_equal(caller->amounts[MEASURE_ALLOCS], 7);
    tree_free(&tree);
    profile_read_free(&file);
}

static void root_first(void **state) {
    (void)state;
    struct tree tree = tree_of(read_prepared(), true, 0);
    const struct tree_node *outer = child(&tree, &tree.nodes[0], 1), *alone = child(&tree, &tree.nodes[0], 2);
    assert_int_equal(outer->at.address, 0x20);
    assert_int_equal(outer->amounts[MEASURE_ALLOCS], 5 + 7);
    assert_string_equal(child(&tree, outer, 0)->at.function, "f");
    assert_string_equal(alone->at.function, "f");
    assert_int_equal(alone->amounts[MEASURE_ALLOCS], 3);
    tree_free(&tree);
    profile_read_free(&file);
}

static void small_branches_are_pruned(void **state) {
    (void)state;
    struct tree tree = tree_of(read_prepared(), true, 20);
    assert_int_equal(tree.nodes[0].count, 2);
    assert_int_equal(tree.nodes[0].pruned, 1);
    assert_int_equal(tree.nodes[0].pruned_amounts[MEASURE_ALLOCS], 3);
    tree_free(&tree);
    profile_read_free(&file);
}

// The branch with the most calls has the fewest bytes.
static void pruning_and_sorting_are_independent(void **state) {
    (void)state;
    struct tree tree = {.is_root_first = true, .by = MEASURE_ALLOCS, .least = {[MEASURE_BYTES] = 100}};
    const struct report *report = read_prepared();
    for (size_t i = 0; i < report->site_count; i++)
        if (file.rows[i].counters.allocs == 17)
            file.rows[i].counters.alloc_bytes = 5;
    tree_make(&tree, report);
    assert_int_equal(tree.nodes[0].count, 1);
    assert_int_equal(child(&tree, &tree.nodes[0], 0)->amounts[MEASURE_BYTES], 10 * (5 + 7));
    assert_int_equal(tree.nodes[0].pruned, 2);
    assert_int_equal(tree.nodes[0].pruned_amounts[MEASURE_BYTES], 5 + 30);
    tree_free(&tree);
    profile_read_free(&file);
}

static void a_tree_for_people(void **state) {
    (void)state;
    static char text[4096];
    struct out out;
    const struct report *report = read_prepared();
    struct tree tree = tree_of(report, false, 0);
    out_open_memory(&out, text, sizeof text);
    tree_text(&out, &tree, report);
    out_flush(&out);
    const char *rows = strstr(text, " share");
    assert_non_null(rows);
    assert_string_equal(rows, " share  allocs  allocation and its callers\n"
                              " 53.1%      17  ├─ f() in /lib/l.so\n" /* not the C function with this name */
                              " 46.9%      15  └─ f a.c:7 malloc\n"
                              " 37.5%      12     └─ /bin/p+0x20\n");
    tree_free(&tree);
    profile_read_free(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(leaf_first),        TEST(a_function_may_have_left),
        TEST(root_first),        TEST(small_branches_are_pruned),
        TEST(a_tree_for_people), TEST(pruning_and_sorting_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
