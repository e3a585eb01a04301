/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Which live blocks are lost: where pointers are looked for in a process of one thread.
#include "reach_blocks.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- where pointers are looked for ----

static void *volatile global;
static __thread void *volatile thread_local;

static void globals_reach(void **state) {
    (void)state;
    hidden kept = add(24), lost = add(40);
    global = seen(kept);
    struct found found = found_now();
    assert_int_equal(found.count, 1);
    assert_true(is_lost(&found, lost));
    assert_int_equal(found.bytes, 40);
    global = NULL;
    found = found_now();
    assert_int_equal(found.count, 2);
    drop(kept);
    drop(lost);
    assert_int_equal(found_now().count, 0);
}

static void pointers_into_a_block_reach_it(void **state) {
    (void)state;
    hidden block = add(24);
    global = (char *)seen(block) + 23;
    assert_int_equal(found_now().count, 0);
    global = (char *)seen(block) + 24;
    assert_int_equal(found_now().count, 1);
    global = (char *)seen(block) - 1;
    assert_int_equal(found_now().count, 1);
    drop(block);
    block = add(0);
    global = seen(block);
    assert_int_equal(found_now().count, 0);
    global = (char *)seen(block) + 1;
    assert_int_equal(found_now().count, 1);
    drop(block);
}

__attribute__((noinline)) static void set_first(hidden block, size_t value) {
    *(size_t *)seen(block) = value;
}

// What new T[0] returns lies behind the count, which is 0, if T has a destructor.
static void pointers_to_empty_arrays_reach_them(void **state) {
    (void)state;
    hidden array = add(sizeof(size_t));
    global = (char *)seen(array) + sizeof(size_t);
    assert_int_equal(found_now().count, 0);
    set_first(array, 1);
    assert_int_equal(found_now().count, 1);
    drop(array);
    global = NULL;
}

static void blocks_reach_blocks(void **state) {
    (void)state;
    hidden first = add(16), second = add(4096), third = add(64);
    point(first, 8, second, 0);
    point(second, 4088, third, 63);
    global = seen(first);
    assert_int_equal(found_now().count, 0);
    global = NULL;
    struct found found = found_now();
    assert_int_equal(found.count, 3);
    assert_int_equal(found.bytes, 16 + 4096 + 64);
    drop(first);
    drop(second);
    drop(third);
}

static void lost_cycles_are_lost(void **state) {
    (void)state;
    hidden one = add(32), other = add(32), self = add(16);
    point(one, 0, other, 0);
    point(other, 24, one, 8);
    point(self, 0, self, 0);
    assert_int_equal(found_now().count, 3);
    global = seen(other);
    struct found found = found_now();
    assert_int_equal(found.count, 1);
    assert_true(is_lost(&found, self));
    global = NULL;
    drop(one);
    drop(other);
    drop(self);
}

// Only words at multiples of their size are looked at.
static void unaligned_words_do_not_reach(void **state) {
    (void)state;
    static _Alignas(16) char bytes[32];
    hidden block = add(16);
    const void *p = seen(block);
    memcpy(bytes + 4, &p, sizeof p);
    p = NULL;
    assert_int_equal(found_now().count, 1);
    memset(bytes, 0, sizeof bytes);
    drop(block);
}

static void own_stack_and_thread_memory_reach(void **state) {
    (void)state;
    hidden block = add(16);
    void *volatile on_stack = seen(block);
    assert_int_equal(found_now().count, 0);
    on_stack = NULL;
    assert_int_equal(found_now().count, 1);
    thread_local = seen(block);
    assert_int_equal(found_now().count, 0);
    thread_local = NULL;
    assert_null(on_stack);
    pthread_key_t key;
    assert_int_equal(pthread_key_create(&key, NULL), 0);
    pthread_setspecific(key, seen(block));
    assert_int_equal(found_now().count, 0);
    pthread_setspecific(key, NULL);
    pthread_key_delete(key);
    assert_int_equal(found_now().count, 1);
    drop(block);
}

// What the dynamic loader and the runtime allocate is in use, whether something points to it or not.
static void blocks_of_the_runtime_are_in_use(void **state) {
    (void)state;
    hidden ours = add_at(take(16), 16, SLOT_OURS, FAMILY_MALLOC), held = add(16);
    point(ours, 0, held, 0);
    assert_int_equal(found_now().count, 0);
    drop(ours);
    assert_int_equal(found_now().count, 1);
    drop(held);
}

__attribute__((noinline)) static void add_tiny(hidden *blocks, size_t count) {
    char *memory = take(32 * count);
    for (size_t i = 0; i < count; i++)
        blocks[i] = add_at(memory + 32 * i + 8 * (i % 2), 8, SLOT, FAMILY_MALLOC);
}

// Some allocators give such addresses, and the shadow table tells of them behind all others.
static void blocks_at_odd_multiples_of_8_are_found(void **state) {
    (void)state;
    hidden blocks[100], behind;
    add_tiny(blocks, 100);
    behind = add(24);
    assert_int_equal(found_now().count, 101);
    global = (char *)seen(blocks[51]) + 7;
    assert_int_equal(found_now().count, 100);
    global = (char *)seen(blocks[50]) + 7;
    assert_int_equal(found_now().count, 100);
    global = NULL;
    for (size_t i = 0; i < 100; i++)
        drop(blocks[i]);
    drop(behind);
}

// ---- memory that cannot be read ----

static void unreadable_pages_are_left_out(void **state) {
    (void)state;
    char *memory = mmap(NULL, 12288, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    hidden block = add_at(memory, 12288, SLOT, FAMILY_MALLOC), before = add(16), within = add(16),
           behind = add(16);
    point(block, 4088, before, 0);
    point(block, 4096, within, 0);
    point(block, 8192, behind, 0);
    mprotect(memory + 4096, 4096, PROT_NONE);
    global = memory;
    memory = NULL;
    struct found found = found_now();
    assert_int_equal(found.count, 1);
    assert_true(is_lost(&found, within));
    global = NULL;
    shadow_drop(seen(block));
    munmap(seen(block), 12288);
    drop(before);
    drop(within);
    drop(behind);
}

// A file that was cut faults in a page that the mapping calls readable. The program must live on.
static void faults_end_the_search_alone(void **state) {
    (void)state;
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), 8192), 0);
    void *memory = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fileno(file), 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    assert_int_equal(ftruncate(fileno(file), 0), 0);
    hidden block = add_at(memory, 8192, SLOT, FAMILY_MALLOC);
    global = memory;
    struct found found;
    assert_string_equal(search(&found), "the search ended early");
    assert_int_equal(found.count, 0);
    global = NULL;
    shadow_drop(seen(block));
    munmap(memory, 8192);
    fclose(file);
    assert_int_equal(found_now().count, 0);
}

// ---- what the program may see ----

static volatile sig_atomic_t children;

static void count_child(int signal) {
    (void)signal;
    children++;
}

static void no_child_is_left(void **state) {
    (void)state;
    signal(SIGCHLD, count_child);
    errno = E2BIG;
    found_now();
    assert_int_equal(errno, E2BIG);
    assert_int_equal(children, 0);
    assert_int_equal(waitpid(-1, NULL, __WALL | WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    signal(SIGCHLD, SIG_IGN);
    found_now();
    signal(SIGCHLD, SIG_DFL);
}

static void descriptors_and_memory_are_given_back(void **state) {
    (void)state;
    found_now();
    int before = dup(0);
    close(before);
    long pages[2][2];
    for (int i = 0; i < 2; i++) {
        FILE *file = fopen("/proc/self/statm", "r");
        assert_int_equal(fscanf(file, "%ld %ld", &pages[i][0], &pages[i][1]), 2);
        fclose(file);
        found_now();
    }
    int after = dup(0);
    close(after);
    assert_int_equal(after, before);
    assert_int_equal(pages[0][0], pages[1][0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        REACH_TEST(globals_reach),
        REACH_TEST(pointers_into_a_block_reach_it),
        REACH_TEST(pointers_to_empty_arrays_reach_them),
        REACH_TEST(blocks_reach_blocks),
        REACH_TEST(lost_cycles_are_lost),
        REACH_TEST(unaligned_words_do_not_reach),
        REACH_TEST(own_stack_and_thread_memory_reach),
        REACH_TEST(blocks_of_the_runtime_are_in_use),
        REACH_TEST(blocks_at_odd_multiples_of_8_are_found),
        REACH_TEST(unreadable_pages_are_left_out),
        REACH_TEST(faults_end_the_search_alone),
        REACH_TEST(no_child_is_left),
        REACH_TEST(descriptors_and_memory_are_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
