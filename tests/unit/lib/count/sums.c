/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Events that stopped between two of their additions. The runtime notices them at the end, when no thread can
// still be within an event.
#include "lib/count/sums.h"
#include "lib/base/state.h"
#include "lib/count/threads.h"
#include "lib/registry/registry.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static uint32_t slot;

static void *end_here(void *unused) {
    return unused;
}

/* Each case runs in a child, because an accuracy gap stays set. */
static bool is_noticed(void (*event)(struct thread *, struct tally *), void *(*elsewhere)(void *)) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        struct thread *thread = thread_acquire(slot, slot);
        tally_gain(thread, thread_tally(thread, slot), 100);
        if (event)
            event(thread, thread_tally(thread, slot));
        thread_release(thread);
        pthread_t other;
        if (elsewhere && (pthread_create(&other, NULL, elsewhere, NULL) || pthread_join(other, NULL)))
            _exit(3);
        torn_look();
        _exit(gap_is_set(GAP_TORN));
    }
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
    return WEXITSTATUS(status);
}

static void gain_a_block(struct thread *thread, struct tally *tally) {
    (void)thread;
    counter_bump(&tally->allocated, 1);
}

static void gain_without_above(struct thread *thread, struct tally *tally) {
    gain_a_block(thread, tally);
    counter_bump(&tally->allocated_bytes, 10);
}

static void gain_without_headroom(struct thread *thread, struct tally *tally) {
    gain_without_above(thread, tally);
    counter_shift(&tally->above, 1);
}

static void lose_a_block(struct thread *thread, struct tally *tally) {
    (void)thread;
    counter_bump(&tally->released, 1);
}

static void lose_without_above(struct thread *thread, struct tally *tally) {
    lose_a_block(thread, tally);
    counter_bump(&tally->released_bytes, 10);
}

static void lose_without_headroom(struct thread *thread, struct tally *tally) {
    lose_without_above(thread, tally);
    counter_shift(&tally->above, -1);
}

static void look_without_ceiling(struct thread *thread, struct tally *tally) {
    (void)tally;
    counter_shift(&thread->headroom, 5);
}

static void whole(struct thread *thread, struct tally *tally) {
    tally_gain(thread, tally, 10);
    tally_gain(thread, tally, 1000);
    tally_lose(thread, tally, 10);
    tally_gain(thread, tally, 2000);
}

static void each_addition(void **state) {
    (void)state;
    void (*const events[])(struct thread *, struct tally *) = {
        gain_a_block,       gain_without_above,    gain_without_headroom, lose_a_block,
        lose_without_above, lose_without_headroom, look_without_ceiling};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        assert_true(is_noticed(events[i], NULL));
}

static void complete_events_are_not_noticed(void **state) {
    (void)state;
    assert_false(is_noticed(NULL, NULL));
    assert_false(is_noticed(whole, NULL));
    assert_false(is_noticed(whole, end_here));
}

static void *count(void *event) {
    struct thread *thread = thread_acquire(slot, slot);
    whole(thread, thread_tally(thread, slot));
    if (event)
        gain_without_headroom(thread, thread_tally(thread, slot));
    thread_release(thread);
    return NULL;
}

static void *count_torn(void *unused) {
    (void)unused;
    return count(&slot);
}

static void a_thread_that_has_ended(void **state) {
    (void)state;
    assert_false(is_noticed(whole, count));
    assert_true(is_noticed(whole, count_torn));
}

static pthread_barrier_t meeting;

static void *count_on(void *unused) {
    count_torn(unused);
    pthread_barrier_wait(&meeting);
    for (;;)
        pause();
    return unused;
}

static void *start_one_that_counts_on(void *unused) {
    pthread_t other;
    pthread_barrier_init(&meeting, NULL, 2);
    if (pthread_create(&other, NULL, count_on, NULL) == 0)
        pthread_barrier_wait(&meeting);
    return unused;
}

/* The thread may continue its event. */
static void a_thread_that_counts_on(void **state) {
    (void)state;
    assert_false(is_noticed(whole, start_one_that_counts_on));
}

static int begin(void **state) {
    (void)state;
    struct record record = {.module = module_of(&slot), .what = PROFILE_MODULE};
    slot = record.module ? record_add(&record) : NO_SLOT;
    return slot == NO_SLOT;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_addition),
        cmocka_unit_test(complete_events_are_not_noticed),
        cmocka_unit_test(a_thread_that_has_ended),
        cmocka_unit_test(a_thread_that_counts_on),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
