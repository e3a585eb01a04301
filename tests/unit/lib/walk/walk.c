/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Walks over damaged stacks, and the results of a walk. tests/rt/walk has correct stacks.
#include "lib/walk/walk.h"
#include "lib/walk/rule.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

#define NOINLINE __attribute__((noinline))

enum { MOST = 64 };

static const void *frames[MOST];
static size_t count;
static enum walk_end ended;

NOINLINE static void walk(void) {
    count = walk_stack(frames, MOST, &ended);
    __asm__ volatile("");
}

// ---- results ----

static size_t limit;

NOINLINE static void walk_limited(void) {
    count = walk_stack(frames, limit, &ended);
    __asm__ volatile("");
}

static void deep(int depth);
static void (*volatile deeper)(int depth) = deep; // prevents inlining

NOINLINE static void deep(int depth) {
    if (depth)
        deeper(depth - 1);
    else
        walk_limited();
    __asm__ volatile("");
}

static void no_more_than_asked_for(void **state) {
    (void)state;
    const void *all[MOST];
    for (limit = MOST; limit; limit--) {
        deep(20);
        assert_in_range(count, limit < 22 ? limit : 22, limit);
        if (limit == MOST)
            memcpy(all, frames, sizeof all);
        if (limit < 22)
            assert_int_equal(ended, WALK_FULL);
        assert_memory_equal((const void *)all, (const void *)frames, count * sizeof *all);
    }
    deep(20);
    assert_int_equal(count, 0);
    assert_int_equal(ended, WALK_FULL);
}

static void walks_are_alike_when_rules_are_kept_and_forgotten(void **state) {
    (void)state;
    const void *all[MOST] = {NULL};
    for (int i = 0; i < 6; i++) {
        if (i % 2 == 0)
            walk_forget();
        errno = 1234;
        walk();
        assert_int_equal(errno, 1234);
        if (i == 0)
            memcpy(all, frames, sizeof all);
        assert_memory_equal((const void *)(all + 2), (const void *)(frames + 2), (count - 2) * sizeof *all);
        assert_int_equal(ended, WALK_OUTERMOST);
    }
}

// ---- invalid frame pointers ----

// No unwind table describes these functions, so the walk has only the frame pointer.
void call_with_frame_pointer(uintptr_t value, void (*function)(void));
void call_on_stack(uintptr_t value, void (*function)(void), void *top);
__asm__(".text\n"
        "call_with_frame_pointer:\n\t"
        "pushq %rbp\n\tmovq %rdi, %rbp\n\tcall *%rsi\n\tpopq %rbp\n\tret\n"
        "call_on_stack:\n\t"
        "pushq %rbp\n\tpushq %rbx\n\tmovq %rsp, %rbx\n\tmovq %rdi, %rbp\n\tmovq %rdx, %rsp\n\t"
        "call *%rsi\n\tmovq %rbx, %rsp\n\tpopq %rbx\n\tpopq %rbp\n\tret\n");

static void invalid_frame_pointers_end_the_walk(void **state) {
    (void)state;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    char *unmapped = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const uintptr_t bad[] = {1,
                             8,
                             4096,
                             here + 4,
                             here - 4096,
                             UINTPTR_MAX,
                             (uintptr_t)-8,
                             (uintptr_t)-16,
                             (uintptr_t)INTPTR_MIN,
                             (uintptr_t)unmapped,
                             (uintptr_t)walk,
                             (uintptr_t)&ended};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        call_with_frame_pointer(bad[i], walk);
        assert_int_equal(ended, WALK_LOST);
        assert_in_range(count, 2, MOST);
    }
    call_with_frame_pointer(0, walk);
    assert_int_equal(ended, WALK_OUTERMOST);
    assert_int_equal(count, 2);
    munmap(unmapped, 4096);
}

static void a_frame_pointer_is_followed(void **state) {
    (void)state;
    uintptr_t code = (uintptr_t)call_with_frame_pointer, frame[4] = {0, code + 1, 0, code + 2};
    frame[0] = (uintptr_t)&frame[2];
    call_with_frame_pointer((uintptr_t)frame, walk);
    assert_int_equal(count, 4);
    assert_int_equal((uintptr_t)frames[2], frame[1]);
    assert_int_equal((uintptr_t)frames[3], frame[3]);
    assert_int_equal(ended, WALK_OUTERMOST);
}

static void pointers_to_data_are_no_callers(void **state) {
    (void)state;
    uintptr_t frame[2] = {0, (uintptr_t)&ended + 16};
    call_with_frame_pointer((uintptr_t)frame, walk);
    assert_int_equal(count, 2);
    assert_int_equal(ended, WALK_LOST);
}

static void frames_that_go_in_circles_end(void **state) {
    (void)state;
    uintptr_t frame[4] = {0, (uintptr_t)call_with_frame_pointer + 1, 0,
                          (uintptr_t)call_with_frame_pointer + 1};
    frame[0] = (uintptr_t)&frame[2];
    frame[2] = (uintptr_t)frame;
    call_with_frame_pointer((uintptr_t)frame, walk);
    assert_int_equal(ended, WALK_LOST);
    assert_int_equal(count, 4);
}

// ---- stacks that end ----

enum { PAGE = 4096, STACK = 8 * PAGE };

// A stack that ends where readable memory does.
static char *make_stack(void) {
    char *memory = mmap(NULL, STACK + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    assert_int_equal(mprotect(memory + STACK, PAGE, PROT_NONE), 0);
    return memory;
}

static void nothing_is_read_beyond_the_end_of_a_stack(void **state) {
    (void)state;
    char *memory = make_stack();
    uintptr_t end = (uintptr_t)memory + STACK;
    for (uintptr_t at = end - 64; at <= end + 64; at += 8) {
        memset(memory, 0, STACK);
        call_on_stack(at, walk, memory + STACK - 128);
        assert_in_range(ended, WALK_OUTERMOST, WALK_LOST);
        assert_in_range(count, 2, 3);
    }
    munmap(memory, STACK + PAGE);
}

static uintptr_t seed = 1;

static uintptr_t random_word(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

// Random words like those on stacks.
static uintptr_t plausible_word(uintptr_t stack) {
    static const uintptr_t addresses[] = {
        (uintptr_t)walk,  (uintptr_t)deep, (uintptr_t)call_on_stack, (uintptr_t)qsort,
        (uintptr_t)raise, (uintptr_t)mmap, (uintptr_t)&ended,        0};
    uintptr_t random = random_word();
    switch (random % 4) {
    case 0:
        return addresses[random / 4 % 8] + random / 64 % 256;
    case 1:
        return stack + random / 4 % (STACK + PAGE);
    case 2:
        return stack + random / 4 % (STACK + PAGE) / 8 * 8;
    default:
        return random;
    }
}

static void disorder_does_no_harm(void **state) {
    (void)state;
    char *memory = make_stack();
    uintptr_t *words = (uintptr_t *)memory;
    size_t longest = 0;
    for (int round = 0; round < 20000; round++) {
        size_t from = STACK / sizeof *words - 1 - random_word() % 2000;
        for (size_t i = from - 64; i < STACK / sizeof *words; i++)
            words[i] = plausible_word((uintptr_t)memory);
        call_on_stack(plausible_word((uintptr_t)memory), walk, words + (from & ~(size_t)1));
        longest = count > longest ? count : longest;
    }
    assert_in_range(longest, 5, MOST); // some walk succeeded
    munmap(memory, STACK + PAGE);
}

static unsigned signal_frames(void) {
    unsigned found = 0;
    for (size_t i = 0; i < count; i++)
        found += rule_is_signal(rule_at((uintptr_t)frames[i]));
    return found;
}

static void raise_another(int number) {
    if (number == SIGUSR1)
        raise(SIGUSR2);
    else
        walk();
}

static void a_signal_does_not_make_a_walk_hard(void **state) {
    (void)state;
    struct sigaction action = {.sa_handler = raise_another};
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    assert_int_equal(sigaction(SIGUSR2, &action, NULL), 0);
    raise(SIGUSR1);
    assert_int_equal(ended, WALK_OUTERMOST);
    assert_int_equal(signal_frames(), 2);
    for (size_t i = 0; i < count; i++)
        assert_int_not_equal(rule_at((uintptr_t)frames[i]), RULE_MAKE(RULE_HARD, 0, 0));
}

// A signal frame with arbitrary registers.
static ucontext_t *interrupted;

static void on_signal(int number, siginfo_t *info, void *context) {
    (void)number;
    (void)info;
    interrupted = context;
    greg_t *registers = interrupted->uc_mcontext.gregs,
           kept[3] = {registers[REG_RSP], registers[REG_RIP], registers[REG_RBP]};
    for (int i = 0; i < 2000; i++) {
        registers[REG_RSP] = (greg_t)plausible_word((uintptr_t)&i);
        registers[REG_RIP] = (greg_t)plausible_word((uintptr_t)&i);
        registers[REG_RBP] = (greg_t)plausible_word((uintptr_t)&i);
        walk();
    }
    registers[REG_RSP] = kept[0];
    registers[REG_RIP] = kept[1];
    registers[REG_RBP] = kept[2];
    walk();
}

static void registers_of_a_signal_in_disorder_do_no_harm(void **state) {
    (void)state;
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    assert_int_equal(sigaction(SIGUSR2, &action, NULL), 0);
    raise(SIGUSR2);
    assert_int_equal(ended, WALK_OUTERMOST);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_more_than_asked_for),
        cmocka_unit_test(walks_are_alike_when_rules_are_kept_and_forgotten),
        cmocka_unit_test(invalid_frame_pointers_end_the_walk),
        cmocka_unit_test(a_frame_pointer_is_followed),
        cmocka_unit_test(pointers_to_data_are_no_callers),
        cmocka_unit_test(frames_that_go_in_circles_end),
        cmocka_unit_test(nothing_is_read_beyond_the_end_of_a_stack),
        cmocka_unit_test(disorder_does_no_harm),
        cmocka_unit_test(a_signal_does_not_make_a_walk_hard),
        cmocka_unit_test(registers_of_a_signal_in_disorder_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
