/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the counters file of a process and sends it requests. The test's own process has such files. */
#include "dump/process/process.h"
#include "dump/profile/image.h"

#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint32_t capacities[3];

/* A mapped file like the runtime's. */
struct counters_file {
    int fd;
    struct profile_header *header;
};

/* areas: areas of names, in addition to the area with the switches. */
static struct counters_file make_file(uint64_t pid, size_t areas) {
    struct profile_image image;
    const uint64_t addresses[] = {(uintptr_t)&capacities[0], 0, (uintptr_t)&capacities[1], 8,
                                  (uintptr_t)&capacities[2]};
    struct profile_area switches = {.kind = PROFILE_SWITCHES, .size = sizeof addresses};
    struct counters_file file = {.fd = memfd_create("allocsite", MFD_CLOEXEC)};
    profile_image_open(&image);
    profile_image_add(&image, &switches, addresses);
    for (uint32_t i = 0; i < areas; i++)
        profile_image_add(&image, &(struct profile_area){.kind = PROFILE_NAMES, .index = i, .size = 8}, NULL);
    profile_image_end(&image);
    struct profile_header *header = (struct profile_header *)image.bytes;
    memcpy(header->magic, PROFILE_MAGIC, PROFILE_MAGIC_SIZE);
    header->version = PROFILE_VERSION;
    header->byte_order = PROFILE_BYTE_ORDER;
    header->rare = PROFILE_RARE_COUNT;
    header->pid = pid;
    header->begun = 1000 + areas;
    assert_int_equal(write(file.fd, image.bytes, image.size), image.size);
    profile_image_free(&image);
    file.header = mmap(NULL, PROFILE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd, 0);
    assert_ptr_not_equal(file.header, MAP_FAILED);
    return file;
}

static void drop_file(const struct counters_file *file) {
    munmap(file->header, PROFILE_PAGE);
    close(file->fd);
}

static int set_up(void **state) {
    static struct counters_file file;
    file = make_file((uint64_t)getpid(), 0);
    *state = &file;
    for (uint32_t i = 0; i < 3; i++)
        capacities[i] = i + 1;
    return 0;
}

static int tear_down(void **state) {
    drop_file(*state);
    return 0;
}

static void assert_turned_away(uint32_t first, uint32_t second, uint32_t third) {
    assert_int_equal(capacities[0], first);
    assert_int_equal(capacities[1], second);
    assert_int_equal(capacities[2], third);
}

static void start_and_stop_replace_each_other(void **state) {
    const struct counters_file *file = *state;
    struct reason why;
    assert_true(control_process((unsigned)getpid(), CONTROL_START, &why));
    assert_int_equal(file->header->requests, PROFILE_START);
    assert_turned_away(1, 2, 3);
    file->header->requests |= PROFILE_RESET;
    assert_true(control_process((unsigned)getpid(), CONTROL_STOP, &why));
    assert_int_equal(file->header->requests, PROFILE_STOP | PROFILE_RESET);
    assert_turned_away(0, 0, 0);
    assert_true(control_process((unsigned)getpid(), CONTROL_START, &why));
    assert_int_equal(file->header->requests, PROFILE_START | PROFILE_RESET);
}

static void *reset(void *header) {
    uint32_t *requests = &((struct profile_header *)header)->requests;
    while (!__atomic_load_n(requests, __ATOMIC_ACQUIRE))
        usleep(1000);
    ((struct profile_header *)header)->resets = 1;
    __atomic_fetch_and(requests, ~(uint32_t)PROFILE_RESET, __ATOMIC_RELEASE);
    usleep(50000);
    __atomic_store_n(&((struct profile_header *)header)->resets, 2, __ATOMIC_RELEASE);
    return NULL;
}

static void a_reset_is_waited_for(void **state) {
    const struct counters_file *file = *state;
    struct reason why;
    pthread_t thread;
    pthread_create(&thread, NULL, reset, file->header);
    assert_true(control_process((unsigned)getpid(), CONTROL_RESET, &why));
    assert_int_equal(file->header->resets, 2);
    pthread_join(thread, NULL);
    assert_turned_away(0, 0, 0);
    assert_false(control_process((unsigned)getpid(), CONTROL_RESET, &why));
    assert_string_equal(why.text, "has counted nothing since; its counters will be reset at its next event");
    assert_int_equal(file->header->requests, PROFILE_RESET);
}

static void an_unstarted_process_can_only_be_started(void **state) {
    const struct counters_file *file = *state;
    struct reason why;
    file->header->flags = PROFILE_IS_ASLEEP;
    for (enum control what = CONTROL_STOP; what <= CONTROL_RESET; what++) {
        assert_false(control_process((unsigned)getpid(), what, &why));
        assert_string_equal(why.text, "was started with enabled=0, and counts nothing yet");
    }
    assert_int_equal(file->header->requests, 0);
    assert_true(control_process((unsigned)getpid(), CONTROL_START, &why));
    assert_int_equal(file->header->requests, PROFILE_START);
}

/* A damaged file takes no requests. */
static void a_damaged_file_takes_no_request(void **state) {
    const struct counters_file *file = *state;
    struct reason why;
    file->header->version++;
    assert_false(control_process((unsigned)getpid(), CONTROL_STOP, &why));
    assert_int_equal(file->header->requests, 0);
    assert_turned_away(1, 2, 3);
}

static void assert_found(uint64_t begun, bool has_others) {
    struct process_counters counters;
    struct reason why;
    assert_true(process_counters_open(&counters, (unsigned)getpid(), false, &why));
    assert_int_equal(counters.header.begun, begun);
    assert_int_equal(counters.has_others, has_others);
    close(counters.fd);
}

static void the_file_with_most_areas_is_chosen(void **state) {
    struct counters_file larger = make_file((uint64_t)getpid(), 3), others = make_file(1, 9);
    (void)state;
    assert_found(1003, true);
    drop_file(&larger);
    assert_found(1000, false);
    drop_file(&others);
}

static void found_entries_stay(void **state) {
    struct counters_file *file = *state;
    struct reason why;
    const struct process_counters *known = process_counters_follow((unsigned)getpid(), &why);
    assert_non_null(known);
    drop_file(file);
    assert_ptr_equal(process_counters_follow((unsigned)getpid(), &why), known);
    struct profile_header header;
    assert_int_equal(pread(known->fd, &header, sizeof header, 0), sizeof header);
    assert_int_equal(header.begun, 1000);
    *file = make_file((uint64_t)getpid(), 5);
    assert_ptr_equal(process_counters_follow((unsigned)getpid(), &why), known);
    assert_int_equal(known->header.begun, 1000);
    assert_true(process_has_executed((unsigned)getpid(), "control", 1000));
    assert_false(process_has_executed((unsigned)getpid(), "control", 1005));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(start_and_stop_replace_each_other, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reset_is_waited_for, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_unstarted_process_can_only_be_started, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_damaged_file_takes_no_request, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_file_with_most_areas_is_chosen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(found_entries_stay, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
