/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests whether a process still runs, in the states between running and reaped. */
#include "dump/process/process.h"

#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 200 };

static bool has_memory(unsigned pid) {
    struct process_maps maps;
    struct process_mapping mapping;
    struct reason why;
    if (!process_maps_open(&maps, pid, &why))
        return false;
    bool is_mapped = process_maps_next(&maps, &mapping);
    process_maps_close(&maps);
    return is_mapped;
}

/* The kernel frees a process's memory some microseconds before its state becomes dead. */
static void a_process_without_memory_has_ended(void **state) {
    (void)state;
    for (int i = 0; i < CHILDREN; i++) {
        pid_t pid = fork();
        if (pid == 0)
            _exit(0);
        uint64_t start = process_start_time((uint64_t)pid);
        while (has_memory((unsigned)pid))
            ;
        assert_false(process_runs((uint64_t)pid, start, NULL));
        waitpid(pid, NULL, 0);
    }
}

static int go_on[2];

static void *wait_for_it(void *unused) {
    char byte;
    (void)unused;
    _exit(read(go_on[0], &byte, 1) == 1 ? 0 : 1);
}

static void main_thread_leaves(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, wait_for_it, NULL);
    pthread_exit(NULL);
}

static void a_process_without_main_thread_runs(void **state) {
    (void)state;
    assert_int_equal(pipe(go_on), 0);
    pid_t pid = fork();
    if (pid == 0)
        main_thread_leaves();
    uint64_t start = process_start_time((uint64_t)pid);
    while (has_memory((unsigned)pid))
        ;
    assert_true(process_runs((uint64_t)pid, start, NULL));
    assert_int_equal(write(go_on[1], "x", 1), 1);
    siginfo_t status;
    assert_int_equal(waitid(P_PID, (id_t)pid, &status, WEXITED | WNOWAIT), 0);
    assert_false(process_runs((uint64_t)pid, start, NULL));
    waitpid(pid, NULL, 0);
    assert_false(process_runs((uint64_t)pid, start, NULL));
}

static void another_with_the_number_is_not_it(void **state) {
    (void)state;
    uint64_t pid = (uint64_t)getpid(), start = process_start_time(pid);
    assert_true(process_runs(pid, start, NULL));
    assert_false(process_runs(pid, start + 1, NULL));
    assert_false(process_runs(pid, start, "a host of another name"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_without_memory_has_ended),
        cmocka_unit_test(a_process_without_main_thread_runs),
        cmocka_unit_test(another_with_the_number_is_not_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
