/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sparse profiles with huge apparent sizes: reading takes time in proportion to the data on the disk. */
#include "dump/load/source.h"
#include "profile_image.h"

#include <cmocka.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HUGE_SIZE (UINT64_C(16) << 30)
enum { MOST_MIB = 200, MOST_SECONDS = 10, PATIENCE = 60 };

static struct image image;
static struct image_tables tables;
static int file;
static char path[64];

static int set_up(void **state) {
    (void)state;
    image_begin(&image);
    tables = image_tables(&image);
    tables.tallies[2] =
        (struct tally){.allocated = 10, .allocated_bytes = 1000, .released = 4, .released_bytes = 400};
    file = memfd_create("profile", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", getpid(), file);
    return file < 0;
}

static int tear_down(void **state) {
    (void)state;
    return close(file);
}

/* Adds a huge area after the image and returns its offset. */
static uint64_t add_huge(uint32_t kind, uint32_t index) {
    image_add(&image, kind, index, 0, 0);
    image_last(&image)->size = HUGE_SIZE;
    return image.size;
}

static void write_at(uint64_t offset, const void *bytes, size_t size) {
    assert_int_equal(pwrite(file, bytes, size, (off_t)offset), size);
}

/* Runs in a child, so that its memory and time are measured separately. */
static void load(uint64_t allocs) {
    struct report_source source;
    struct reason why;
    struct rusage usage;
    alarm(MOST_SECONDS);
    if (!report_source_load(&source, path, &why)) {
        fprintf(stderr, "%s\n", why.text);
        _exit(1);
    }
    uint64_t seen = 0;
    for (size_t i = 0; i < source.report->site_count; i++)
        seen += source.report->sites[i]->counters.allocs;
    report_source_free(&source);
    getrusage(RUSAGE_SELF, &usage);
    if (seen != allocs || usage.ru_maxrss > MOST_MIB * 1024)
        fprintf(stderr, "%" PRIu64 " allocations, %ld MiB\n", seen, usage.ru_maxrss / 1024);
    _exit(seen != allocs || usage.ru_maxrss > MOST_MIB * 1024);
}

static void assert_cheap(uint64_t allocs) {
    int status;
    write_at(0, image.bytes, image.size);
    assert_int_equal(ftruncate(file, (off_t)(image.size + HUGE_SIZE)), 0);
    pid_t child = fork();
    if (child == 0)
        load(allocs);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void skips_the_holes_of_every_kind(void **state) {
    for (uint32_t kind = PROFILE_DIRECTORY; kind <= PROFILE_LIFETIMES; kind++) {
        uint32_t last = kind == PROFILE_TALLIES || kind == PROFILE_EXTRAS ? 1 : PROFILE_CHUNKS - 1;
        print_message("kind %u\n", kind);
        add_huge(kind, last);
        assert_cheap(10);
        tear_down(state);
        set_up(state);
    }
}

static void skips_the_holes_of_the_directory(void **state) {
    (void)state;
    struct profile_directory *directory = image_directory(&image);
    directory->areas = UINT32_MAX;
    for (unsigned chunk = 1; chunk < PROFILE_CHUNKS; chunk++)
        directory->chunks[chunk] = image.size;
    assert_cheap(10);
}

static void counts_data_after_a_hole(void **state) {
    (void)state;
    const struct tally tally = {.allocated = 3};
    uint64_t at = add_huge(PROFILE_TALLIES, 1);
    write_at(at + HUGE_SIZE - sizeof tally, &tally, sizeof tally);
    assert_cheap(13);
}

static void reads_pairs_that_begin_in_a_hole(void **state) {
    (void)state;
    const struct profile_pair pair = {.key = UINT64_C(1) << 63 | 2u << 28 | 1, .count = 5};
    uint64_t at = add_huge(PROFILE_PAIRS, PROFILE_CHUNKS - 1);
    write_at(at + 1000 * 1024 * sizeof pair, &pair, sizeof pair);
    assert_cheap(10);
}

/* A block number does not make the reader allocate that many blocks. */
static void does_not_believe_numbers_of_blocks(void **state) {
    (void)state;
    const struct profile_block block = {.thread = 1};
    const uint32_t number = 512 * ((1u << 21) - 1);
    struct tally *tally = image_add(&image, PROFILE_TALLIES, number, 0, 1);
    tally[2].allocated = 7;
    write_at(add_huge(PROFILE_BLOCKS, PROFILE_CHUNKS - 1), &block, sizeof block);
    assert_cheap(17);
}

/* Turns holes into data, page by page, then makes holes again, and so on. */
static void *fill(void *stops) {
    enum { PAGES = 10000, APART = 2 * PROFILE_PAGE };
    const struct tally tally = {.allocated = 1, .released = 1};
    for (int i = 0; !__atomic_load_n((bool *)stops, __ATOMIC_RELAXED); i = (i + 1) % PAGES) {
        if (i == 0)
            fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)image.size, PAGES * APART);
        (void)!pwrite(file, &tally, sizeof tally, (off_t)image.size + (off_t)i * APART);
    }
    return NULL;
}

/* A program that writes continuously can still be read. On one processor, reader and writer may alternate so
 * that no change happens during a reading, so two are required. On a busy machine, several readings may be
 * necessary. */
static void reports_concurrent_writes(void **state) {
    (void)state;
    bool stops = false, is_said = false;
    pthread_t thread;
    cpu_set_t processors;
    if (sched_getaffinity(0, sizeof processors, &processors) != 0 || CPU_COUNT(&processors) < 2)
        skip();
    image_header(&image)->ended = 0;
    add_huge(PROFILE_TALLIES, 1);
    write_at(0, image.bytes, image.size);
    assert_int_equal(ftruncate(file, (off_t)(image.size + HUGE_SIZE)), 0);
    assert_int_equal(pthread_create(&thread, NULL, fill, &stops), 0);
    for (time_t end = time(NULL) + PATIENCE; !is_said && time(NULL) < end;) {
        struct report_source source;
        struct reason why;
        assert_true(report_source_load(&source, path, &why));
        const struct report *report = source.report;
        const char *last = report->reason_count ? report->reasons[report->reason_count - 1] : "";
        is_said = strncmp(last, "the program added to the profile while it was read", 50) == 0;
        report_source_free(&source);
    }
    __atomic_store_n(&stops, true, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    assert_true(is_said);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(skips_the_holes_of_every_kind, set_up, tear_down),
        cmocka_unit_test_setup_teardown(skips_the_holes_of_the_directory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(counts_data_after_a_hole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reads_pairs_that_begin_in_a_hole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(does_not_believe_numbers_of_blocks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reports_concurrent_writes, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
