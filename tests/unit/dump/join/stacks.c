/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Slots of a profile that belong to other slots: joined, written and read again. */
#include "dump/join/join.h"
#include "dump/profile/image.h"
#include "dump/stacks_image.h"

#include <cmocka.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct report_site *find(const struct report *report, uint64_t id, bool is_chunk) {
    for (size_t i = 0; i < report->counted; i++)
        if (report->sites[i]->view.id == id && report->sites[i]->view.outside_totals == is_chunk)
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
    assert_int_equal(report->chunks.counters.allocs, times * (11 + 13));
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
    assert_string_equal(caller->at.function, "f()");
    const struct counters *sum = &find(report, 0xa2, false)->counters;
    assert_int_equal(sum->max_live_blocks, 12); // the live blocks of all three
    assert_int_equal(sum->max_live_blocks_within, 3);
    profile_read_free(&file);
}

// Slots that do not count towards the totals do not count towards threads.
static void threads_have_what_the_totals_have(void **state) {
    (void)state;
    uint64_t allocations = 0;
    assert_true(profile_read(&file, image.bytes, image.size, &why));
    for (size_t i = 0; i < file.report.part_count; i++)
        allocations += file.report.parts[i].counters.allocs;
    assert_int_equal(allocations, 3 + 5 + 7 + 17);
    profile_read_free(&file);
}

static void joined_parts_are_written(void **state) {
    (void)state;
    struct joined joined = {.reports = 0};
    struct report_limits everything = {.top = 0};
    for (int i = 0; i < 2; i++) {
        assert_true(profile_read(&file, image.bytes, image.size, &why));
        joined_add(&joined, &file.report);
        profile_read_free(&file);
    }
    joined_report(&joined);
    struct profile_image written;
    assert_true(profile_merged(&written, &joined.report));
    report_prepare(&joined.report, &everything);
    assert_parts(&joined.report, 2);
    joined_free(&joined);
    assert_true(profile_read(&file, written.bytes, written.size, &why));
    report_prepare(&file.report, &everything);
    assert_parts(&file.report, 2);
    profile_read_free(&file);
    profile_image_free(&written);
}

// Whichever slot a part claims to belong to, its counts are kept.
static void parts_of_nothing(void **state) {
    (void)state;
    const uint32_t parents[] = {STRANGE, STACK_A, CHUNK_STACK, CUSTOM, 60, 1u << 30, UINT32_MAX};
    const uint32_t kinds[] = {PROFILE_STACK, PROFILE_CUSTOM_CHUNK, PROFILE_CUSTOM + 1};
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
    profile_name circle = image_step(0, (struct profile_return){.module = 1, .address = {1, 0}});
    memcpy(image.names + circle, &circle, sizeof circle);
    tables.records[STACK_A].stack = circle;
    tables.records[STACK_B].stack = UINT32_MAX;
    const struct report *report = read_prepared();
    assert_int_equal(find_stack(report, 5)->frame_count, 0);
    assert_int_equal(find_stack(report, 7)->frame_count, 0);
    assert_string_equal(report->reasons[0], "names that are not in the file: 2");
    profile_read_free(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(parts_are_rows_and_stacks), TEST(threads_have_what_the_totals_have),
        TEST(joined_parts_are_written),  TEST(parts_of_nothing),
        TEST(stacks_without_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
