/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Records of active calls: each function records its own return address.
#pragma once
extern "C" {
#include "lib/walk/walk.h"
}

#include <stdio.h>

// Functions that record. Other frames on a stack (libraries, templates) are not compared.
#define OURS  __attribute__((noinline, section("ours")))
#define NOTED Noted noted(__builtin_return_address(0))

extern const char ours_begin[] __asm__("__start_ours"), ours_end[] __asm__("__stop_ours");

static inline bool is_ours(const void *address) {
    return address > (const void *)ours_begin && address <= (const void *)ours_end;
}

struct Notes {
    const void *back[1024];
    size_t depth;
};
static thread_local Notes notes;

struct Noted {
    explicit Noted(const void *back) {
        notes.back[notes.depth++] = is_ours(back) ? back : nullptr;
    }
    ~Noted() {
        notes.depth--;
    }
};

enum { FRAMES_MOST = 1024 };

struct Walked {
    const void *frames[FRAMES_MOST];
    size_t count;
    walk_end end;
};
static thread_local Walked walked;
static unsigned checks;
static bool failed;

static void fail(const char *what, const char *why) {
    static const char *const ends[] = {"full", "outermost", "lost"};
    failed = true;
    printf("%s: %s, end: %s\n", what, why, ends[walked.end]);
    for (size_t i = 0; i < walked.count; i++)
        printf("  %p%s\n", walked.frames[i], is_ours(walked.frames[i]) ? " ours" : "");
    for (size_t i = notes.depth; i--;)
        printf("  noted %p\n", notes.back[i]);
}

// Returns the next recorded frame inwards.
static const void *next_ours(size_t *at) {
    while (*at && !is_ours(walked.frames[*at - 1]))
        --*at;
    return *at ? walked.frames[--*at] : nullptr;
}

// Compares from the outermost frame inwards. A function called by a library follows our call of the library.
static size_t compare(const char *what) {
    size_t at = walked.count;
    for (size_t i = 0; i < notes.depth; i++) {
        if (!notes.back[i] && i == 0)
            continue;
        const void *frame = next_ours(&at);
        if (!frame || (notes.back[i] && frame != notes.back[i])) {
            fail(what, "another caller");
            break;
        }
    }
    return at;
}

// more: number of our frames on top without a record; -1: any number.
static void compare_all(const char *what, int more) {
    checks++;
    size_t at = compare(what), left = 0;
    for (size_t i = 0; i < at; i++)
        left += is_ours(walked.frames[i]);
    if (more >= 0 && left != (size_t)more)
        fail(what, "frames that were not noted");
    if (walked.end != WALK_OUTERMOST)
        fail(what, "not to the end");
}

OURS static void check(const char *what) {
    NOTED;
    walked.count = walk_stack(walked.frames, FRAMES_MOST, &walked.end);
    if (!is_ours(walked.frames[0]))
        fail(what, "not the caller on top");
    compare_all(what, 1);
}
