/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The hash index of elements in an array. */
#include "base/hash.h"
#include "lib/base/table.h"

#include <cmocka.h>
#include <pthread.h>

/* The remaining bits of an entry are its tag. */
#define BITS 25

/* Element n has the key n * 7. */
static bool is_seven_times(uint32_t number, const void *key) {
    return number * UINT64_C(7) == *(const uint64_t *)key;
}

static uint32_t add(struct index *index, uint32_t number, uint64_t hash) {
    uint64_t key = number * UINT64_C(7);
    struct index_seek seek = {.hash = hash, .same = is_seven_times, .key = &key};
    uint32_t found = index_find(index, &seek);
    return found ? found : index_add(index, &seek, number);
}

static uint32_t find(struct index *index, uint64_t key, uint64_t hash) {
    struct index_seek seek = {.hash = hash, .same = is_seven_times, .key = &key};
    return index_find(index, &seek);
}

static void finds_existing_elements(void **state) {
    (void)state;
    static struct index index = INDEX_OF(BITS, 16);
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
    static struct index index = INDEX_OF(BITS, 16);
    uint64_t key = 35;
    struct index_seek seek = {.hash = 99, .same = is_seven_times, .key = &key};
    assert_int_equal(index_find(&index, &seek), 0);
    assert_int_equal(add(&index, 5, 99), 5);
    assert_int_equal(index_add(&index, &seek, 1234), 5);
    assert_int_equal(find(&index, 35, 99), 5);
}

/* All hashes collide: the index grows, and every key is found. */
static void hashes_may_be_equal(void **state) {
    (void)state;
    static struct index index = INDEX_OF(BITS, 16);
    for (uint32_t i = 1; i <= 200; i++)
        assert_int_equal(add(&index, i, 42), i);
    for (uint32_t i = 1; i <= 200; i++)
        assert_int_equal(find(&index, i * UINT64_C(7), 42), i);
    assert_int_equal(find(&index, 3, 42), 0);
}

static void too_many_bits_are_refused(void **state) {
    (void)state;
    static struct index index = INDEX_OF(18, 16);
    assert_int_equal(add(&index, 1 << 18 | 5, 7), 0);
    assert_int_equal(add(&index, (1 << 18) - 1, 7), (1 << 18) - 1);
    assert_int_equal(find(&index, 7 * ((UINT64_C(1) << 18) - 1), 7), (1 << 18) - 1);
}

/* Element numbers per thread: the thread in the upper bits, the key in the lower ones. */
#define KEYS 20000
static struct index shared = INDEX_OF(BITS, 16);
static uint32_t given[4][KEYS];

static bool is_key(uint32_t number, const void *key) {
    return (number & 0x3FFFFF) == *(const uint32_t *)key;
}

static void *add_all(void *thread) {
    for (uint32_t i = 0; i < KEYS; i++) {
        uint32_t key = i + 1, number = (uint32_t)((long)thread + 1) << 22 | key;
        struct index_seek seek = {.hash = hash_more(2, key), .same = is_key, .key = &key};
        uint32_t found = index_find(&shared, &seek);
        given[(long)thread][i] = found ? found : index_add(&shared, &seek, number);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_existing_elements), cmocka_unit_test(the_first_one_stays),
        cmocka_unit_test(hashes_may_be_equal),     cmocka_unit_test(too_many_bits_are_refused),
        cmocka_unit_test(threads_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
