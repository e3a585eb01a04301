/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Locks that are never released. */
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/base/state.h"
#include "lib/custom_alloc/arenas.h"
#include "lib/registry/modules.h"
#include "lib/registry/registry.h"

static pthread_barrier_t barrier;

/* Takes the lock and sleeps with it. */
static void *hold(void *shard) {
    bool was_left;
    custom_lock(*(uint32_t *)shard, &was_left);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    if (*(uint32_t *)shard)
        custom_unlock(*(uint32_t *)shard);
    return NULL;
}

static pthread_t hold_in_a_thread(uint32_t *shard) {
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    assert_int_equal(pthread_create(&thread, NULL, hold, shard), 0);
    pthread_barrier_wait(&barrier);
    return thread;
}

static void end(pthread_t thread) {
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
}

static int in_child(int (*function)(void)) {
    int status = -1;
    pid_t child = fork();
    if (child == 0)
        _exit(function());
    return waitpid(child, &status, 0) == child ? status : -1;
}

static int finds_it_left(void) {
    bool was_left = false;
    if (!custom_lock(1, &was_left) || !was_left)
        return 1;
    custom_unlock(1);
    if (!custom_lock(1, &was_left) || was_left)
        return 2;
    custom_unlock(1);
    return 0;
}

static void a_child_learns_of_an_interrupted_change(void **state) {
    (void)state;
    bool was_left = true;
    assert_true(custom_lock(1, &was_left));
    assert_false(was_left);
    custom_unlock(1);
    uint32_t shard = 1;
    pthread_t thread = hold_in_a_thread(&shard);
    assert_int_equal(in_child(finds_it_left), 0);
    end(thread);
    assert_true(custom_lock(1, &was_left));
    assert_false(was_left);
    assert_false(gap_is_set(GAP_ARENA));
    assert_false(custom_lock(2, &was_left)); /* as in a signal handler */
    assert_true(gap_is_set(GAP_ARENA));
    custom_unlock(1);
}

static void take_out(void *count, const struct custom_block *block) {
    *block->entry = 0;
    custom_arena_remove(block);
    ++*(unsigned *)count;
}

static char *const space = (char *)0x123456780000;

static void add(const void *arena, unsigned number) {
    struct custom_block block = custom_block_put(space + 16 * number, 1, 1, false);
    custom_arena_add(arena, &block);
}

/* Existing blocks lose their arena; new ones have one. */
static int has_no_arenas(void) {
    unsigned count = 0;
    for (const char *arena = space; arena < space + 16 * 100; arena += 16)
        custom_arena_release_all(arena, take_out, &count);
    for (unsigned i = 0; i < 100; i++)
        add(space + 16 * i, 1000 + i);
    for (unsigned i = 0; i < 100; i++) {
        struct custom_block old = custom_block_find(space + 16 * i, false);
        if (old.entry)
            take_out(&(unsigned){0}, &old);
    }
    unsigned more = 0;
    for (const char *arena = space; arena < space + 16 * 100; arena += 16)
        custom_arena_release_all(arena, take_out, &more);
    return count == 0 || count == 100 || more != 100;
}

static void a_child_drops_an_interrupted_change(void **state) {
    (void)state;
    uint32_t shard = 1; /* 100 arenas occupy all shards */
    for (unsigned i = 0; i < 100; i++)
        add(space + 16 * i, i);
    pthread_t thread = hold_in_a_thread(&shard);
    assert_int_equal(in_child(has_no_arenas), 0);
    end(thread);
}

static void nobody_waits_twice(void **state) {
    (void)state;
    bool was_left;
    uint32_t shard = 0; /* never unlocked */
    end(hold_in_a_thread(&shard));
    errno = 1234;
    for (unsigned i = 0; i < 1000; i++) /* this would take seconds if each call waited for the lock */
        assert_false(custom_lock(0, &was_left));
    assert_int_equal(errno, 1234);
    assert_true(custom_lock(1, &was_left));
    custom_unlock(1);
    shard = 2;
    pthread_t thread = hold_in_a_thread(&shard);
    assert_false(custom_lock(2, &was_left));
    end(thread);
    assert_true(custom_lock(2, &was_left)); /* it was unlocked after all */
    custom_unlock(2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_learns_of_an_interrupted_change),
        cmocka_unit_test(a_child_drops_an_interrupted_change),
        cmocka_unit_test(nobody_waits_twice),
    };
    alarm(100);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
