/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The array that never moves, and the index of what is in one. */
#include "lib/base/table.h"
#include "base/hash.h"

#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static void elements_stay(void **state) {
    (void)state;
    static struct table table = {.element = sizeof(uint32_t), .first = 4};
    uint32_t *where[1000];
    assert_null(table_peek(&table, 0));
    for (uint32_t i = 0; i < 1000; i++) {
        where[i] = table_at(&table, i);
        assert_non_null(where[i]);
        assert_int_equal(*where[i], 0);
        *where[i] = i;
    }
    for (uint32_t i = 0; i < 1000; i++) {
        assert_ptr_equal(table_peek(&table, i), where[i]);
        assert_int_equal(*where[i], i);
    }
    assert_null(table_at(&table, UINT32_MAX));
}

/* Numbers stand for keys: number n for n * 7. */
static bool is_seven_times(uint32_t number, const void *key) {
    return number * UINT64_C(7) == *(const uint64_t *)key;
}

static uint32_t add(struct index *index, uint32_t number, uint64_t hash) {
    uint64_t key = number * UINT64_C(7);
    return index_add(index, hash, is_seven_times, &key, number);
}

static uint32_t find(struct index *index, uint64_t key, uint64_t hash) {
    return index_find(index, hash, is_seven_times, &key);
}

static void what_is_there_is_found(void **state) {
    (void)state;
    static struct index index = INDEX_OF(16);
    assert_int_equal(find(&index, 7, 1), 0);
    for (uint32_t i = 1; i <= 100000; i++)
        assert_int_equal(add(&index, i, hash_more(1, i)), i);
    for (uint32_t i = 1; i <= 100000; i++)
        assert_int_equal(find(&index, i * UINT64_C(7), hash_more(1, i)), i);
    for (uint32_t i = 1; i <= 1000; i++)
        assert_int_equal(find(&index, i * UINT64_C(7) + 1, hash_more(1, i)), 0);
}

static void the_first_one_stays(void **state) {
    (void)state;
    static struct index index = INDEX_OF(16);
    uint64_t key = 35;
    assert_int_equal(add(&index, 5, 99), 5);
    assert_int_equal(index_add(&index, 99, is_seven_times, &key, 1234), 5);
    assert_int_equal(index_find(&index, 99, is_seven_times, &key), 5);
}

/* All at one place: it grows for them, and each is told from the others. */
static void hashes_may_be_equal(void **state) {
    (void)state;
    static struct index index = INDEX_OF(16);
    for (uint32_t i = 1; i <= 200; i++)
        assert_int_equal(add(&index, i, 42), i);
    for (uint32_t i = 1; i <= 200; i++)
        assert_int_equal(find(&index, i * UINT64_C(7), 42), i);
    assert_int_equal(find(&index, 3, 42), 0);
}

/* Numbers of a thread: its own in the upper bits, the key's below. */
#define KEYS 20000
static struct index shared = INDEX_OF(16);
static uint32_t given[4][KEYS];

static bool is_key(uint32_t number, const void *key) {
    return (number & 0xFFFFFF) == *(const uint32_t *)key;
}

static void *add_all(void *thread) {
    for (uint32_t i = 0; i < KEYS; i++) {
        uint32_t key = i + 1, number = (uint32_t)((long)thread + 1) << 24 | key;
        given[(long)thread][i] = index_add(&shared, hash_more(2, key), is_key, &key, number);
    }
    return NULL;
}

static void threads_agree(void **state) {
    (void)state;
    pthread_t ids[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&ids[i], NULL, add_all, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(ids[i], NULL);
    for (uint32_t i = 0; i < KEYS; i++) {
        assert_true(is_key(given[0][i], &(uint32_t){i + 1}));
        for (int thread = 1; thread < 4; thread++)
            assert_int_equal(given[thread][i], given[0][i]);
    }
}

/* Whoever takes memory where there is no more is told so, also if the last of it is not used up. */
static void memory_ends(void **state) {
    (void)state;
    const struct rlimit none = {1 << 20, RLIM_INFINITY};
    struct rlimit before;
    getrlimit(RLIMIT_AS, &before);
    assert_non_null(arena_take(16));
    setrlimit(RLIMIT_AS, &none);
    alarm(20);
    size_t taken = 0;
    while (arena_take(1024))
        taken++;
    alarm(0);
    setrlimit(RLIMIT_AS, &before);
    assert_in_range(taken, 1, 256);
    assert_non_null(arena_take(1024));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_stay),       cmocka_unit_test(what_is_there_is_found),
        cmocka_unit_test(the_first_one_stays), cmocka_unit_test(hashes_may_be_equal),
        cmocka_unit_test(threads_agree),       cmocka_unit_test(memory_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
