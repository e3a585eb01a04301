/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Reading profiles, and the messages for truncated, damaged and changing ones.
#include "dump/profile/read.h"
#include "dump/profile/views.h"
#include "profile_image.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

static struct image image;
static struct image_tables tables;
static struct profile_file file;
static struct reason why;

static int begin(void **state) {
    (void)state;
    image_begin(&image);
    tables = image_tables(&image);
    return 0;
}

static bool reads(void) {
    return profile_read(&file, image.bytes, image.size, &why);
}

// Returns the row of a slot, or NULL.
static const struct report_site *row(uint64_t slot) {
    for (size_t i = 0; i < file.report.site_count; i++)
        if (file.slots[i] == slot)
            return &file.rows[i];
    return NULL;
}

static const struct counters *counters(uint64_t slot) {
    const struct report_site *found = row(slot);
    assert_non_null(found);
    return &found->counters;
}

static void assert_reasons(const char *first, const char *second) {
    assert_int_equal(file.report.reason_count, !!first + !!second);
    if (first)
        assert_string_equal(file.report.reasons[0], first);
    if (second)
        assert_string_equal(file.report.reasons[1], second);
}

static void the_head(void **state) {
    (void)state;
    struct profile_header *header = image_header(&image);
    header->host = image_name(&image, "host");
    header->start_time = 99;
    header->peak.within = 5;
    header->flags = PROFILE_HAS_PAIRS | PROFILE_HAS_LEAKED;
    assert_true(reads());
    assert_string_equal(file.report.program, "/bin/p");
    assert_string_equal(file.host, "host");
    assert_int_equal(file.report.pid, 42);
    assert_int_equal(file.start_time, 99);
    assert_int_equal(file.report.peak_within, 5);
    assert_true(file.report.finished && file.report.has_pairs && file.report.reach);
    assert_int_equal(file.report.several.count, 0);
    assert_int_equal(file.report.site_count, 0);
    assert_false(file.is_changing);
    assert_reasons(NULL, NULL);
    profile_read_free(&file);
}

static void a_head_of_nothing(void **state) {
    (void)state;
    image_header(&image)->ended = 0;
    image_header(&image)->program = 0;
    image_header(&image)->leaked_unknown = image_name(&image, "ptrace is forbidden");
    assert_true(reads());
    assert_string_equal(file.report.program, "?");
    assert_false(file.report.finished || file.report.has_pairs || file.report.reach);
    assert_string_equal(file.report.leaked_unknown, "ptrace is forbidden");
    profile_read_free(&file);
}

static void names_and_chains(void **state) {
    (void)state;
    profile_name outer = image_frame(
        &image, (struct profile_frame){.function = image_name(&image, "main"), .line = 3, .column = 4});
    profile_name inner = image_frame(&image, (struct profile_frame){.function = image_name(&image, "g"),
                                                                    .file = image_name(&image, "g.h"),
                                                                    .line = 1,
                                                                    .column = 2,
                                                                    .caller = outer});
    tables.records[2].inlined = inner;
    tables.records[2].type = image_name(&image, "T");
    tables.tallies[1].allocated = tables.tallies[2].allocated = 1;
    assert_true(reads());
    const struct site_view *view = &row(2)->view;
    assert_true(view->sited && view->id == 0xa2 && view->at.line == 7 && view->at.column == 9);
    assert_string_equal(view->module, "/bin/p");
    assert_string_equal(view->at.function, "f");
    assert_string_equal(view->at.file, "a.c");
    assert_string_equal(view->callee, "malloc");
    assert_string_equal(view->type, "T");
    assert_int_equal(view->inlined_count, 2);
    assert_string_equal(view->inlined[0].file, "g.h");
    assert_string_equal(view->inlined[1].function, "main");
    assert_null(view->inlined[1].file);
    assert_true(view->inlined[1].line == 3 && view->inlined[1].column == 4);
    view = &row(1)->view;
    assert_true(!view->sited && view->id == 0xb1 && !view->callee);
    assert_string_equal(view->module, "/bin/p");
    assert_reasons(NULL, NULL);
    profile_read_free(&file);
}

static void sums_over_blocks(void **state) {
    (void)state;
    struct tally *other = image_add(&image, PROFILE_TALLIES, 1, 0, 1);
    tables.tallies[2] =
        (struct tally){.allocated = 10, .allocated_bytes = 1000, .released = 1, .released_bytes = 10};
    other[2] = (struct tally){.allocated = 5, .allocated_bytes = 500, .released = 9, .released_bytes = 900};
    tables.extras[2] = (struct extra){
        .reallocs = 3, .realloc_bytes = 300, .realloc_old_bytes = 30, .moved = 4, .moved_bytes = 400};
    ((struct rare *)image_add(&image, PROFILE_RARES, 0, 0, 1))[2].failed = 2;
    assert_true(reads());
    const struct counters *of = counters(2);
    assert_true(of->allocs == 12 && of->alloc_bytes == 1200);
    assert_true(of->reallocs == 3 && of->realloc_bytes == 300 && of->realloc_old_bytes == 30);
    assert_true(of->frees == 6 && of->freed_bytes == 510 && of->moved == 4 && of->moved_bytes == 400);
    assert_true(of->live_blocks == 5 && of->live_bytes == 590 && of->failed == 2);
    assert_null(row(1));
    assert_reasons(NULL, NULL);
    profile_read_free(&file);
}

// Slots from 64 on are in other areas.
static void slots_that_came_later(void **state) {
    (void)state;
    struct profile_record *records = image_add(&image, PROFILE_RECORDS, 1, 0, 2);
    struct tally *later = image_add(&image, PROFILE_TALLIES, 0, 64, 1);
    struct tally *other = image_add(&image, PROFILE_TALLIES, 7, 100, 1);
    records[100 - 64] = tables.records[2];
    later[100 - 64].allocated = 1;
    other[0].allocated = 2;
    tables.tallies[2].allocated = 4;
    assert_true(reads());
    assert_int_equal(counters(100)->allocs, 3);
    assert_int_equal(counters(2)->allocs, 4);
    assert_int_equal(file.report.site_count, 2);
    assert_reasons(NULL, NULL);
    profile_read_free(&file);
}

static void inherited_blocks(void **state) {
    (void)state;
    tables.tallies[2] =
        (struct tally){.allocated = 1, .allocated_bytes = 10, .released = 3, .released_bytes = 30};
    tables.slots[2] = (struct profile_slot){.inherited_blocks = 5, .inherited_bytes = 50};
    tables.slots[1].inherited_blocks = 1;
    assert_true(reads());
    assert_true(counters(2)->live_blocks == 3 && counters(2)->live_bytes == 30);
    assert_true(counters(2)->inherited_blocks == 5 && counters(2)->inherited_bytes == 50);
    assert_int_equal(counters(2)->max_live_blocks, 5);
    assert_int_equal(counters(1)->live_blocks, 1);
    assert_reasons(NULL, NULL);
    profile_read_free(&file);
}

static int64_t looked(int64_t epoch, int64_t blocks) {
    return epoch * PROFILE_EPOCH_STEP | (blocks & (PROFILE_EPOCH_STEP - 1));
}

static void shares_of_the_peak(void **state) {
    (void)state;
    struct tally *other = image_add(&image, PROFILE_TALLIES, 1, 0, 1);
    image_header(&image)->peak = (struct profile_peak){.epoch = 3 * PROFILE_EPOCH_STEP};
    tables.tallies[2] =
        (struct tally){.allocated = 9, .allocated_bytes = 90, .looked = looked(3, 7), .peak_bytes = 70};
    other[2] =
        (struct tally){.released = 4, .released_bytes = 40, .looked = looked(4, -2), .peak_bytes = -20};
    tables.tallies[1] =
        (struct tally){.allocated = 2, .allocated_bytes = 20, .looked = looked(2, 1), .peak_bytes = 1};
    tables.slots[1].inherited_blocks = tables.slots[1].inherited_bytes = 100;
    assert_true(reads());
    assert_true(counters(2)->peak_blocks == 5 && counters(2)->peak_bytes == 50);
    assert_true(counters(1)->peak_blocks == 102 && counters(1)->peak_bytes == 120);
    profile_read_free(&file);
    image_header(&image)->peak.riser = 1;
    assert_true(reads());
    assert_true(counters(2)->peak_blocks == 5 && counters(2)->peak_bytes == 50);
    other[2].released_bytes = 45;
    profile_read_free(&file);
    assert_true(reads());
    assert_int_equal(counters(2)->peak_bytes, 45);
    profile_read_free(&file);
}

static void the_most_live_blocks(void **state) {
    (void)state;
    struct tally *other = image_add(&image, PROFILE_TALLIES, 1, 0, 1);
    tables.tallies[2] = (struct tally){.allocated = 9, .released = 8, .limit = 6};
    other[2] = (struct tally){.allocated = 8, .released = 1, .limit = 20, .looked = looked(5, 0)};
    assert_true(reads());
    assert_int_equal(counters(2)->max_live_blocks, 20);
    profile_read_free(&file);
    image_header(&image)->peak.shared_epoch = 5 * PROFILE_EPOCH_STEP;
    tables.slots[2].most_within = 3;
    assert_true(reads());
    assert_int_equal(counters(2)->max_live_blocks, 6);
    assert_int_equal(counters(2)->max_live_blocks_within, 3);
    profile_read_free(&file);
    tables.slots[2].most = 12;
    tables.slots[2].inherited_blocks = 30;
    assert_true(reads());
    assert_int_equal(counters(2)->max_live_blocks, 42);
    profile_read_free(&file);
    tables.slots[2] = (struct profile_slot){.most = 0};
    tables.tallies[2].allocated = 15;
    assert_true(reads());
    assert_int_equal(counters(2)->max_live_blocks, 7);
    profile_read_free(&file);
}

static void counts_before_a_reset(void **state) {
    (void)state;
    struct profile_base *bases = image_add(&image, PROFILE_BASES, 0, 0, 1);
    tables.tallies[2] = (struct tally){
        .allocated = 10, .allocated_bytes = 100, .released = 4, .released_bytes = 40, .limit = 8};
    tables.extras[2] = (struct extra){.reallocs = 5, .moved = 2};
    ((struct rare *)image_add(&image, PROFILE_RARES, 0, 0, 1))[2].failed = 3;
    bases[2].flow = (struct flow){.allocated = 7,
                                  .allocated_bytes = 70,
                                  .released = 3,
                                  .released_bytes = 30,
                                  .reallocs = 4,
                                  .moved = 2,
                                  .failed = 1};
    tables.slots[2].inherited_blocks = 4;
    tables.slots[2].inherited_bytes = 40;
    image_header(&image)->resets = 2;
    image_header(&image)->peak.riser = 1;
    assert_true(reads());
    const struct counters *of = counters(2);
    assert_true(of->allocs == 2 && of->reallocs == 1 && of->frees == 1 && of->moved == 0 && of->failed == 2);
    assert_true(of->live_blocks == 6 && of->live_bytes == 60);
    assert_true(of->peak_blocks == 6 && of->peak_bytes == 60 && of->max_live_blocks == 8);
    assert_reasons(NULL, NULL);
    profile_read_free(&file);
    image_header(&image)->peak.reset_epoch = PROFILE_EPOCH_STEP;
    assert_true(reads());
    assert_int_equal(counters(2)->max_live_blocks, 6);
    profile_read_free(&file);
}

enum { OF_COMMON = PROFILE_COMMON_COUNT };

// Sets the header's number of rare counters and the base, and checks slot 2.
static void rare_counters_are(const uint64_t *places, const uint64_t *base, const char *reason) {
    tables.tallies[2].allocated = 1;
    assert_true(reads());
    const struct counters *of = counters(2);
    assert_int_equal(of->failed, places[0] - base[0]);
    assert_int_equal(of->temporary, places[1] - base[1]);
    assert_reasons(reason, NULL);
    profile_read_free(&file);
}

static void more_rare_counters_than_are_known(void **state) {
    (void)state;
    uint64_t *base = (uint64_t *)image_add(&image, PROFILE_BASES, 0, 0, 1) + 2 * 32 + OF_COMMON;
    uint64_t *places = (uint64_t *)image_add(&image, PROFILE_RARES, 0, 0, 1) + 2 * 16;
    image_header(&image)->rare = 9; // of 16 and 32 locations including the common ones
    memcpy(places, (uint64_t[]){100, 200, 300, 400, 500, 600, 700, 800, 900}, 72);
    memcpy(base, (uint64_t[]){1, 2, 3, 4, 5, 6, 7, 8, 9}, 72);
    char reason[200];
    snprintf(reason, sizeof reason, "counters of a newer allocsite that this version does not know: %d",
             9 - PROFILE_RARE_COUNT);
    rare_counters_are(places, base, reason);
}

static void fewer_rare_counters_than_are_known(void **state) {
    (void)state;
    uint64_t *base = (uint64_t *)image_add(&image, PROFILE_BASES, 0, 0, 1) + 2 * 16 + OF_COMMON;
    image_header(&image)->rare = 1;
    ((uint64_t *)image_add(&image, PROFILE_RARES, 0, 0, 1))[2] = 9;
    memcpy(base, (uint64_t[]){4, 5}, 16);
    rare_counters_are((uint64_t[]){9, 0}, (uint64_t[]){4, 0}, NULL);
}

static uint64_t key(uint64_t kind, uint64_t owner, uint64_t by) {
    return UINT64_C(1) << 63 | kind << 56 | owner << 28 | by;
}

static void pairs_and_faults(void **state) {
    (void)state;
    struct profile_pair *pairs = image_add(&image, PROFILE_PAIRS, 0, 0, 24);
    pairs[3] = (struct profile_pair){key(PAIR_FREE, 2, 1), 4, 40};
    pairs[4000] = (struct profile_pair){key(FAULT_FOREIGN, 0, 2), 1, 2};
    tables.tallies[2].allocated = 4;
    assert_true(reads());
    assert_int_equal(file.report.pair_count, 2);
    const struct report_pair *pair = file.report.pairs;
    assert_true(pair[0].kind == PAIR_FREE && pair[0].count == 4 && pair[0].bytes == 40);
    assert_ptr_equal(pair[0].owner, row(2));
    assert_non_null(row(1)); // counted nothing
    assert_ptr_equal(pair[0].by, row(1));
    assert_true(pair[1].kind == FAULT_FOREIGN && !pair[1].owner && pair[1].by == row(2));
    assert_reasons(NULL, NULL);
    profile_read_free(&file);
}

static void pairs_that_lead_nowhere(void **state) {
    (void)state;
    struct profile_pair *pairs = image_add(&image, PROFILE_PAIRS, 0, 0, 24);
    pairs[0] = (struct profile_pair){key(PAIR_FREE, 200000000, 0), 1, 1};
    pairs[1] = (struct profile_pair){key(PAIR_KINDS, 2, 1), 1, 1};
    assert_true(reads());
    assert_int_equal(file.report.pair_count, 1);
    assert_null(file.report.pairs[0].owner);
    assert_reasons("pairs of an unknown kind, or of sites that are not in the file: 2", NULL);
    profile_read_free(&file);
}

static void sizes_of_sites(void **state) {
    (void)state;
    struct profile_sizes *sizes = image_add(&image, PROFILE_SIZES, 0, 0, 4);
    sizes[2].counts[0] = 1;
    sizes[2].counts[SIZE_CLASSES - 1] = 2;
    tables.tallies[1].allocated = tables.tallies[2].allocated = 3;
    assert_true(reads());
    assert_null(row(2)->sizes);
    profile_read_free(&file);
    image_header(&image)->flags = PROFILE_HAS_SIZES;
    assert_true(reads());
    assert_true(row(2)->sizes[0] == 1 && row(2)->sizes[SIZE_CLASSES - 1] == 2);
    assert_int_equal(row(1)->sizes[0], 0);
    profile_read_free(&file);
}

static void leaked_blocks(void **state) {
    (void)state;
    tables.tallies[2] = (struct tally){.allocated = 3, .allocated_bytes = 30};
    tables.slots[2].leaked_blocks = 2;
    tables.slots[2].leaked_bytes = 20;
    assert_true(reads());
    assert_int_equal(row(2)->counters.leaked_blocks, 0);
    profile_read_free(&file);
    image_header(&image)->flags = PROFILE_HAS_LEAKED;
    assert_true(reads());
    assert_true(row(2)->counters.leaked_blocks == 2 && row(2)->counters.leaked_bytes == 20);
    assert_int_equal(row(2)->counters.possibly_leaked_blocks, 0);
    profile_read_free(&file);
    struct profile_possibly_leaked *possibly = image_add(&image, PROFILE_POSSIBLY_LEAKED, 0, 0, 1);
    possibly[2] = (struct profile_possibly_leaked){1, 10};
    assert_true(reads());
    assert_true(row(2)->counters.possibly_leaked_blocks == 1 && row(2)->counters.possibly_leaked_bytes == 10);
    profile_read_free(&file);
}

static void a_slot_without_a_record(void **state) {
    (void)state;
    struct tally *far = image_add(&image, PROFILE_TALLIES, 0, 100000000, 1);
    far[5].allocated = 3;
    tables.tallies[3].allocated = 2;
    tables.records[3].what = 77;
    assert_true(reads());
    const struct report_site *site = row(100000005);
    assert_true(!site->view.sited && site->counters.allocs == 3);
    assert_string_equal(site->view.module, "[unnamed]");
    assert_string_equal(row(3)->view.module, "[unnamed]");
    assert_reasons("sites that have counters but no name in the file: 2", NULL);
    profile_read_free(&file);
}

static void reasons_of_the_program(void **state) {
    (void)state;
    image_header(&image)->gaps = 1 << 2 | UINT64_C(1) << 63;
    image_header(&image)->other_malloc = image_name(&image, "/lib/other.so");
    image_header(&image)->missing = 3;
    image_header(&image)->missing_error = 28;
    assert_true(reads());
    assert_int_equal(file.report.reason_count, 3);
    assert_non_null(strstr(file.report.reasons[0], "/lib/other.so"));
    assert_string_equal(file.report.reasons[1],
                        "a newer allocsite gave a reason that this version does not know");
    assert_string_equal(file.report.reasons[2],
                        "a part of the profile could not be written to the file: No space left on device");
    profile_read_free(&file);
}

// A string is stored once, however many records refer to it.
static void notes_share_their_texts(void **state) {
    (void)state;
    struct profile_note *notes = image_add(&image, PROFILE_NOTES, 0, 0, 1);
    for (int i = 0; i < 2; i++)
        notes[i] =
            (struct profile_note){PROFILE_NOTE_REASON, i ? notes[0].text : image_name(&image, "because"), 1};
    image_header(&image)->flags = PROFILE_IS_MERGED;
    assert_true(reads());
    assert_reasons("because", "because");
    assert_ptr_equal(file.report.reasons[0], file.report.reasons[1]);
    profile_read_free(&file);
}

static void several_processes(void **state) {
    (void)state;
    struct profile_note *notes = image_add(&image, PROFILE_NOTES, 0, 0, 1);
    notes[0] = (struct profile_note){PROFILE_NOTE_REASON, image_name(&image, "because"), 4};
    notes[1] = (struct profile_note){PROFILE_NOTE_PROGRAM, image_name(&image, "/bin/q"), 0};
    notes[2] = (struct profile_note){99, 0xFFFFFFFF, 0};
    notes[4] = (struct profile_note){PROFILE_NOTE_REASON, notes[0].text, 5};
    image_header(&image)->flags = PROFILE_IS_MERGED;
    image_header(&image)->ended = 0;
    image_header(&image)->processes = 10;
    assert_true(reads());
    assert_true(file.report.finished);
    assert_int_equal(file.report.several.count, 10);
    assert_int_equal(report_reason_part(&file.report, 0), 4);
    assert_string_equal(file.report.several.programs[0], "/bin/q");
    assert_int_equal(file.report.several.program_count, 1);
    assert_string_equal(file.report.reasons[0], "because");
    profile_read_free(&file);
    image_header(&image)->unfinished = 11;
    assert_true(reads());
    assert_false(file.report.finished);
    assert_int_equal(file.report.several.unfinished, 10);
    profile_read_free(&file);
}

static void counters_that_contradict(void **state) {
    (void)state;
    tables.tallies[1] = (struct tally){.allocated = 1, .released = 2};
    tables.tallies[2] =
        (struct tally){.allocated = 1, .allocated_bytes = 1, .released = 1, .released_bytes = 1};
    tables.extras[2] = (struct extra){.reallocs = 2, .realloc_bytes = 9, .moved = 3, .moved_bytes = 9};
    tables.slots[3].inherited_blocks = UINT64_MAX;
    tables.tallies[3].allocated = 1;
    tables.records[3] = tables.records[2];
    assert_true(reads());
    assert_int_equal(counters(1)->live_blocks, 0);
    assert_true(counters(2)->allocs == 0 && counters(2)->alloc_bytes == 0 && counters(2)->frees == 0 &&
                counters(2)->freed_bytes == 0);
    assert_true(counters(3)->live_blocks == UINT64_MAX);
    assert_reasons("sites whose counters contradict each other: 3", NULL);
    profile_read_free(&file);
}

static void chains_without_an_end(void **state) {
    (void)state;
    struct profile_frame circle = {.line = 1, .caller = (image.names_used + 3) / 4 * 4};
    tables.records[2].inlined = image_frame(&image, circle);
    assert_int_equal(tables.records[2].inlined, circle.caller);
    for (int i = 3; i < 64; i++)
        tables.records[i] = tables.records[2];
    for (int i = 2; i < 64; i++)
        tables.tallies[i].allocated = 1;
    assert_true(reads());
    assert_int_equal(row(2)->view.inlined_count, PROFILE_CHAIN_MAX);
    assert_true(file.names.chains.count <= 2);
    assert_reasons("names that are not in the file: 1", NULL);
    profile_read_free(&file);
}

static void names_that_are_elsewhere(void **state) {
    (void)state;
    tables.tallies[2].allocated = 1;
    tables.records[2].function = PROFILE_NAMES_FIRST; // the next chunk
    tables.records[2].file = UINT32_MAX;
    tables.records[2].module = 2;                     // no such module
    tables.records[2].inlined = image.names_used | 1; // not aligned
    assert_true(reads());
    const struct site_view *view = &row(2)->view;
    assert_true(!view->at.function && !view->at.file && !view->module && !view->inlined_count);
    assert_reasons("names that are not in the file: 4", NULL);
    profile_read_free(&file);
}

// The last string of a chunk may be unterminated.
static void names_without_an_end(void **state) {
    (void)state;
    memset(image.names + image.names_used, 'x', PROFILE_NAMES_FIRST - image.names_used);
    tables.records[2].function = PROFILE_NAMES_FIRST - 3;
    tables.tallies[2].allocated = 1;
    assert_true(reads());
    assert_string_equal(row(2)->view.at.function, "xxx");
    profile_read_free(&file);
}

static void areas_that_cannot_be(void **state) {
    (void)state;
    tables.tallies[2].allocated = 1;
    uint64_t offset = image_last(&image)->offset;
    static const struct {
        uint32_t kind, index;
        uint64_t offset, size, first;
    } cases[] = {
        {PROFILE_TALLIES, 0, 0, PROFILE_PAGE, 0},              // overlaps another one
        {PROFILE_TALLIES, 0, 1, PROFILE_PAGE, 0},              // a block's slots twice
        {PROFILE_TALLIES, 9, 1, PROFILE_PAGE, UINT64_MAX - 1}, // slots beyond the range of pairs
        {PROFILE_TALLIES, 9, 1, PROFILE_PAGE, UINT64_C(1) << 28},
        {PROFILE_RECORDS, 0, 1, PROFILE_PAGE, 0},              // a chunk twice
        {PROFILE_RECORDS, PROFILE_CHUNKS, 1, PROFILE_PAGE, 0}, // no such chunk
        {PROFILE_RECORDS, UINT32_MAX, 1, PROFILE_PAGE, 0},
        {PROFILE_TALLIES, 9, 2, PROFILE_PAGE, 0}, // not page-aligned
        {PROFILE_TALLIES, 9, 3, PROFILE_PAGE, 0}, // overlaps the header
        {PROFILE_TALLIES, 9, 4, PROFILE_PAGE, 0}, // beyond the end
        {PROFILE_TALLIES, 9, 1, UINT64_MAX, 0},
    };
    image_add(&image, PROFILE_NONE, 0, 0, 1);
    struct profile_area *area = image_last(&image);
    uint64_t fresh = area->offset;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t offsets[] = {offset, fresh, fresh + 8, PROFILE_PAGE, UINT64_MAX - PROFILE_PAGE + 1};
        *area = (struct profile_area){cases[i].kind, cases[i].index, offsets[cases[i].offset], cases[i].size,
                                      cases[i].first};
        assert_true(reads());
        assert_int_equal(counters(2)->allocs, 1);
        assert_reasons("the file is damaged: 1 of 6 areas are invalid", NULL);
        profile_read_free(&file);
    }
    *area = (struct profile_area){12345, 9, fresh, PROFILE_PAGE, 9};
    assert_true(reads());
    assert_reasons(NULL, NULL);
    profile_read_free(&file);
}

static void a_file_that_is_cut(void **state) {
    (void)state;
    tables.tallies[2].allocated = 1;
    size_t whole = image.size;
    for (image.size = 0; image.size < whole; image.size += 512) {
        if (image.size < 2 * PROFILE_PAGE) {
            assert_false(reads());
            continue;
        }
        assert_true(reads());
        assert_ptr_equal(strstr(file.report.reasons[0], "the file is truncated: "), file.report.reasons[0]);
        profile_read_free(&file);
    }
    image.size = whole - PROFILE_PAGE - 8;
    assert_true(reads());
    assert_reasons("the file is truncated: 2 of 5 areas are incomplete", NULL);
    assert_int_equal(counters(2)->allocs, 1);
    profile_read_free(&file);
}

static void a_large_directory(void **state) {
    (void)state;
    struct profile_directory *directory = image_directory(&image);
    struct profile_area *further = image_add(&image, PROFILE_DIRECTORY, 1, 0, 1);
    directory->chunks[1] = image_last(&image)->offset;
    struct tally *other = image_add(&image, PROFILE_TALLIES, 3, 0, 1);
    further[5] = *image_last(&image);
    image_last(&image)->kind = PROFILE_NONE;
    directory->areas = PROFILE_DIRECTORY_FIRST + 6;
    other[2].allocated = 4;
    assert_true(reads());
    assert_int_equal(counters(2)->allocs, 4);
    assert_reasons(NULL, NULL);
    profile_read_free(&file);
    directory->chunks[1] = PROFILE_PAGE;
    assert_true(reads());
    assert_null(row(2));
    assert_reasons("the file is truncated: 6 of 12 areas are incomplete", NULL);
    profile_read_free(&file);
    directory->areas = UINT32_MAX;
    assert_true(reads());
    assert_ptr_equal(strstr(file.report.reasons[0], "the file is truncated: 4294967231 of "),
                     file.report.reasons[0]);
    profile_read_free(&file);
}

// An event that a killed program had counted only partly is no contradiction. A partly counted event of a
// thread that still ran at the end is no contradiction either.
static void the_last_event(void **state) {
    (void)state;
    image_header(&image)->peak =
        (struct profile_peak){.epoch = PROFILE_EPOCH_STEP, .shared_epoch = PROFILE_EPOCH_STEP, .within = 1};
    tables.tallies[2] =
        (struct tally){.allocated = 9, .allocated_bytes = 90, .looked = looked(1, 3), .peak_bytes = 30};
    tables.slots[2].most = 3;
    image_header(&image)->ended = 0;
    assert_true(reads());
    assert_true(counters(2)->max_live_blocks == 3 && counters(2)->max_live_blocks_within == 6);
    assert_int_equal(file.report.peak_within, 60);
    profile_read_free(&file);
    image_header(&image)->ended = 1;
    assert_true(reads());
    assert_int_equal(counters(2)->max_live_blocks_within, 6);
    assert_int_equal(file.report.peak_within, 60);
    profile_read_free(&file);
    image_header(&image)->flags |= PROFILE_IS_MERGED;
    assert_true(reads());
    assert_int_equal(counters(2)->max_live_blocks_within, 0);
    assert_int_equal(file.report.peak_within, 1);
    profile_read_free(&file);
    image_header(&image)->flags &= ~PROFILE_IS_MERGED;
    image_header(&image)->missing = 1; // an upper bound
    assert_true(reads());
    assert_int_equal(counters(2)->max_live_blocks_within, 6);
    assert_int_equal(file.report.peak_within, 60);
    profile_read_free(&file);
}

static void a_reset_under_way(void **state) {
    (void)state;
    image_header(&image)->resets = 7;
    assert_true(reads());
    assert_true(file.is_changing);
    assert_reasons(
        "the program added to the profile while it was read, or was resetting its counters: some may "
        "be missing",
        NULL);
    profile_read_free(&file);
}

static void files_that_are_no_profiles(void **state) {
    (void)state;
    struct profile_header *header = image_header(&image), good = *header;
    size_t size = image.size;
#define REFUSED(change, reason)                                                                              \
    change;                                                                                                  \
    assert_false(reads());                                                                                   \
    assert_string_equal(why.text, reason);                                                                   \
    *header = good;                                                                                          \
    image.size = size;
    REFUSED(header->magic[3] = 'x', "is neither a profile nor a recording")
    REFUSED(header->magic[7] = '\r', "is a profile that was changed on the way: was it copied as text?")
    REFUSED(header->byte_order = 0x04030201, "is a profile of a machine with the other byte order")
    REFUSED(header->byte_order = 1, "is a damaged profile: its header is invalid")
    REFUSED(header->rare = 0, "is a damaged profile: its header is invalid")
    REFUSED(header->rare = PROFILE_RARE_MAX + 1, "is a damaged profile: its header is invalid")
    REFUSED(header->version = 99, "is a profile of version 99; this allocsite-dump reads version 1")
    REFUSED(image.size = 511, "is a truncated profile: its header is incomplete")
    REFUSED(image.size = 7, "is neither a profile nor a recording")
    REFUSED(image.size = 8191, "is a truncated profile: its directory is missing")
#undef REFUSED
}

#define OUTRUN "sites with blocks that were freed during the reading and appear as live: 1"
enum { LEAP = 1 << 20 };

static struct tally *others;

// A program that allocates and reallocates in one thread and frees in another, in the order of profile.h.
static void *count_on(void *stop) {
    struct tally *one = &tables.tallies[2], *two = &others[2];
    struct extra *extra = &tables.extras[2];
    while (!__atomic_load_n((int *)stop, __ATOMIC_RELAXED)) {
        __atomic_fetch_add(&one->allocated, 1, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&one->allocated_bytes, 8, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&extra->reallocs, 1, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&extra->realloc_bytes, 8, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&two->released, 1, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&two->released_bytes, 8, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&extra->moved, 1, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&extra->moved_bytes, 8, __ATOMIC_SEQ_CST);
    }
    return NULL;
}

static void while_it_is_written(void **state) {
    (void)state;
    int stop = 0, readings = 0;
    pthread_t thread;
    others = image_add(&image, PROFILE_TALLIES, 1, 0, 1);
    image_header(&image)->ended = 0;
    assert_int_equal(pthread_create(&thread, NULL, count_on, &stop), 0);
    for (clock_t end = clock() + CLOCKS_PER_SEC / 2; clock() < end; readings++) {
        assert_true(reads());
        assert_reasons(file.is_changing ? OUTRUN : NULL, NULL);
        profile_read_free(&file);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    assert_true(readings > 100);
}

// A program that frees many blocks in one step, so hardly any reading is consistent.
static void *count_in_leaps(void *stop) {
    struct tally *tally = &tables.tallies[2];
    while (!__atomic_load_n((int *)stop, __ATOMIC_RELAXED)) {
        __atomic_fetch_add(&tally->allocated, LEAP, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&tally->released, LEAP, __ATOMIC_SEQ_CST);
    }
    return NULL;
}

static void while_it_is_outrun(void **state) {
    (void)state;
    int stop = 0, outrun = 0;
    pthread_t thread;
    image_header(&image)->ended = 0;
    assert_int_equal(pthread_create(&thread, NULL, count_in_leaps, &stop), 0);
    for (clock_t end = clock() + 60 * CLOCKS_PER_SEC; outrun < 10 && clock() < end;) {
        assert_true(reads());
        if (file.report.site_count && counters(2)->live_blocks > LEAP + PROFILE_OUTRUN)
            assert_true(file.is_changing);
        assert_reasons(file.is_changing ? OUTRUN : NULL, NULL);
        outrun += file.is_changing;
        profile_read_free(&file);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    assert_int_equal(outrun, 10);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup(name, begin)
    const struct CMUnitTest tests[] = {
        TEST(the_head),
        TEST(a_head_of_nothing),
        TEST(names_and_chains),
        TEST(sums_over_blocks),
        TEST(slots_that_came_later),
        TEST(inherited_blocks),
        TEST(shares_of_the_peak),
        TEST(the_most_live_blocks),
        TEST(counts_before_a_reset),
        TEST(more_rare_counters_than_are_known),
        TEST(fewer_rare_counters_than_are_known),
        TEST(pairs_and_faults),
        TEST(pairs_that_lead_nowhere),
        TEST(sizes_of_sites),
        TEST(leaked_blocks),
        TEST(a_slot_without_a_record),
        TEST(reasons_of_the_program),
        TEST(several_processes),
        TEST(notes_share_their_texts),
        TEST(counters_that_contradict),
        TEST(chains_without_an_end),
        TEST(names_that_are_elsewhere),
        TEST(names_without_an_end),
        TEST(areas_that_cannot_be),
        TEST(a_file_that_is_cut),
        TEST(a_large_directory),
        TEST(the_last_event),
        TEST(a_reset_under_way),
        TEST(files_that_are_no_profiles),
        TEST(while_it_is_written),
        TEST(while_it_is_outrun),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
