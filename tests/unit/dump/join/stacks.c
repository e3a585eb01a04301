// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slots of a profile that are parts of others: callers, stacks, backing, the sum of custom allocators;
// joined, written and read again; and the trees that are made of stacks.
#include "profile_image.h"

#include "dump/join/join.h"
#include "dump/profile/read.h"
#include "dump/profile/write.h"
#include "dump/view/tree.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { LIBRARY = 3, CALLER, STACK_A, STACK_B, BACKING, BACKING_STACK, CUSTOM, STRANGE };

static struct image image;
static struct image_tables tables;
static struct profile_file file;
static struct reason why;

static profile_name image_step(struct profile_step step) {
    profile_name name = (image.names_used + 3) / 4 * 4;
    memcpy(image.names + name, &step, sizeof step);
    image.names_used = name + (profile_name)sizeof step;
    return name;
}

// A thread made so many allocations of 10 bytes and freed one of them.
static void count(uint64_t slot, uint64_t allocations) {
    tables.tallies[slot] = (struct tally){.gained = allocations,
                                          .gained_bytes = 10 * allocations,
                                          .lost = 1,
                                          .lost_bytes = 10,
                                          .limit = (int64_t)allocations};
}

// Site 2 has 3 allocations on its own, 5 from one stack and 7 from another; its backing has 11, and 13 from a
// stack.
static int begin(void **state) {
    (void)state;
    image_begin(&image);
    tables = image_tables(&image);
    struct profile_record *records = tables.records;
    records[LIBRARY] = (struct profile_record){.id = 0xb2,
                                               .module = LIBRARY,
                                               .file = image_name(&image, "/lib/l.so"),
                                               .build_id = image_name(&image, "abcd"),
                                               .what = PROFILE_MODULE};
    records[CALLER] = (struct profile_record){.id = 0xc4,
                                              .module = LIBRARY,
                                              .function = image_name(&image, "_Z1fv"),
                                              .address = 0x123456789a,
                                              .what = PROFILE_CALLER};
    profile_name outer = image_step((struct profile_step){.module = 1, .address = {0x20, 0}});
    profile_name a = image_step((struct profile_step){.caller = outer, .module = 1, .address = {0x10, 0}});
    profile_name b =
        image_step((struct profile_step){.caller = outer, .module = LIBRARY, .address = {0x30, 1}});
    records[STACK_A] = (struct profile_record){.parent = 2, .stack = a, .what = PROFILE_STACK};
    records[STACK_B] = (struct profile_record){.parent = 2, .stack = b, .what = PROFILE_STACK};
    records[BACKING] = (struct profile_record){.parent = 2, .what = PROFILE_BACKING};
    records[BACKING_STACK] = (struct profile_record){.parent = BACKING, .stack = a, .what = PROFILE_STACK};
    records[CUSTOM] = (struct profile_record){.what = PROFILE_CUSTOM};
    count(2, 3);
    count(STACK_A, 5);
    count(STACK_B, 7);
    count(BACKING, 11);
    count(BACKING_STACK, 13);
    count(CALLER, 17);
    count(CUSTOM, 19);
    image_header(&image)->walks = (struct profile_walks){.depth = 2, .by_table = 4, .without_stack = 3};
    return 0;
}

static struct report *read_prepared(void) {
    struct report_limits everything = {.top = 0};
    assert_true(profile_read(&file, image.bytes, image.size, &why));
    report_prepare(&file.report, &everything);
    return &file.report;
}

static const struct report_site *find(const struct report *report, uint64_t id, bool is_backing) {
    for (size_t i = 0; i < report->counted; i++)
        if (report->sites[i]->view.id == id && report->sites[i]->view.backing == is_backing)
            return report->sites[i];
    fail_msg("no row %x", (unsigned)id);
    return NULL;
}

static const struct report_stack *find_stack(const struct report *report, uint64_t allocations) {
    for (size_t i = 0; i < report->stack_count; i++)
        if (report->stacks[i].counters.allocs == allocations)
            return &report->stacks[i];
    fail_msg("no stack of %d", (int)allocations);
    return NULL;
}

static void assert_parts(const struct report *report, uint64_t times) {
    assert_int_equal(report->reason_count, 0);
    assert_int_equal(report->counted, 3);
    assert_int_equal(find(report, 0xa2, false)->counters.allocs, times * (3 + 5 + 7));
    assert_int_equal(find(report, 0xa2, false)->counters.frees, times * 3);
    assert_int_equal(find(report, 0xa2, true)->counters.allocs, times * (11 + 13));
    assert_int_equal(find(report, 0xc4, false)->counters.allocs, times * 17);
    assert_int_equal(report->totals.counters.allocs, times * (3 + 5 + 7 + 17));
    assert_int_equal(report->backing.counters.allocs, times * (11 + 13));
    assert_true(report->has_custom);
    assert_int_equal(report->custom.allocs, times * 19);
    assert_int_equal(report->stack_count, 3);
    assert_int_equal(report->walks.depth, 2);
    assert_int_equal(report->walks.without_stack, times * 3);
    const struct report_stack *stack = find_stack(report, times * 7);
    assert_ptr_equal(stack->site, find(report, 0xa2, false));
    assert_int_equal(stack->frame_count, 2);
    assert_true(stack->frames[0].address == 0x100000030 && stack->frames[1].address == 0x20);
    assert_string_equal(stack->frames[0].module->path, "/lib/l.so");
    assert_string_equal(stack->frames[0].module->build_id, "abcd");
    assert_string_equal(stack->frames[1].module->path, "/bin/p");
    assert_ptr_equal(find_stack(report, times * 13)->site, find(report, 0xa2, true));
}

static void parts_are_rows_and_stacks(void **state) {
    (void)state;
    const struct report *report = read_prepared();
    assert_parts(report, 1);
    const struct site_view *caller = &find(report, 0xc4, false)->view;
    assert_false(caller->sited);
    assert_int_equal(caller->address, 0x123456789a);
    assert_string_equal(caller->module, "/lib/l.so");
    assert_string_equal(caller->build_id, "abcd");
    assert_string_equal(caller->at.function, "_Z1fv");
    const struct counters *sum = &find(report, 0xa2, false)->counters;
    assert_int_equal(sum->max_live_blocks, 7);
    assert_int_equal(sum->max_live_blocks_within, 3 + 5);
    profile_read_free(&file);
}

// What is no total is in no thread either.
static void threads_have_what_the_totals_have(void **state) {
    (void)state;
    uint64_t allocations = 0;
    assert_true(profile_read(&file, image.bytes, image.size, &why));
    for (size_t i = 0; i < file.part_count; i++)
        allocations += file.parts[i].counters.allocs;
    assert_int_equal(allocations, 3 + 5 + 7 + 17);
    profile_read_free(&file);
}

static void joined_parts_are_written(void **state) {
    (void)state;
    struct joined joined = {.reports = 0};
    struct report_limits everything = {.top = 0};
    for (int i = 0; i < 2; i++) {
        assert_true(profile_read(&file, image.bytes, image.size, &why));
        assert_true(joined_add(&joined, &file.report));
        profile_read_free(&file);
    }
    assert_true(joined_report(&joined));
    int fd = memfd_create("written", 0);
    assert_int_equal(profile_write(fd, &joined.report), 0);
    report_prepare(&joined.report, &everything);
    assert_parts(&joined.report, 2);
    joined_free(&joined);
    size_t size = (size_t)lseek(fd, 0, SEEK_CUR);
    void *bytes = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    assert_true(profile_read(&file, bytes, size, &why));
    report_prepare(&file.report, &everything);
    assert_parts(&file.report, 2);
    profile_read_free(&file);
    munmap(bytes, size);
    close(fd);
}

// Whatever a part is said to be a part of, its numbers are somewhere.
static void parts_of_nothing(void **state) {
    (void)state;
    const uint32_t parents[] = {STRANGE, STACK_A, BACKING_STACK, CUSTOM, 60, 1u << 30, UINT32_MAX};
    const uint32_t kinds[] = {PROFILE_STACK, PROFILE_BACKING, PROFILE_CUSTOM + 1};
    count(STRANGE, 23);
    for (size_t kind = 0; kind < 3; kind++)
        for (size_t i = 0; i < sizeof parents / sizeof *parents; i++) {
            tables.records[STRANGE] = (struct profile_record){.parent = parents[i], .what = kinds[kind]};
            const struct report *report = read_prepared();
            assert_int_equal(report->totals.counters.allocs, 3 + 5 + 7 + 17 + 23);
            assert_int_equal(report->reason_count, 1);
            profile_read_free(&file);
        }
}

static void stacks_without_an_end(void **state) {
    (void)state;
    profile_name next = (image.names_used + 3) / 4 * 4;
    tables.records[STACK_A].stack =
        image_step((struct profile_step){.caller = next, .module = 1, .address = {1, 0}});
    tables.records[STACK_B].stack = UINT32_MAX;
    const struct report *report = read_prepared();
    assert_int_equal(find_stack(report, 5)->frame_count, PROFILE_STEPS_MAX);
    assert_int_equal(find_stack(report, 7)->frame_count, 0);
    assert_string_equal(report->reasons[0], "names that are not in the file: 2");
    profile_read_free(&file);
}

static const struct tree_node *child(const struct tree *tree, const struct tree_node *of, size_t number) {
    assert_true(number < of->count);
    return &tree->nodes[tree->children[of->first + number]];
}

static struct tree tree_of(const struct report *report, bool is_root_first, double prune) {
    struct symbolizer nothing = {.is_off = true};
    struct tree tree = {.is_root_first = is_root_first, .by = MEASURE_ALLOCS, .prune = prune};
    assert_true(tree_make(&tree, report, &nothing));
    assert_int_equal(tree.nodes[0].amounts[MEASURE_ALLOCS], 3 + 5 + 7 + 17);
    return tree;
}

// The first frame of a site's stack is the function of the site.
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
                              " 53.1%      17  ├─ _Z1fv in /lib/l.so\n"
                              " 46.9%      15  └─ f a.c:7 malloc\n"
                              " 37.5%      12     └─ /bin/p+0x20\n");
    tree_free(&tree);
    profile_read_free(&file);
}

#define TEST(function) cmocka_unit_test_setup(function, begin)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(parts_are_rows_and_stacks),
        TEST(threads_have_what_the_totals_have),
        TEST(joined_parts_are_written),
        TEST(parts_of_nothing),
        TEST(stacks_without_an_end),
        TEST(leaf_first),
        TEST(root_first),
        TEST(small_branches_are_pruned),
        TEST(a_tree_for_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
