/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Preloaded into any program: walks at some of its allocations, and compares with the compiler's unwinder.
#include "lib/walk/walk.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

enum { MOST = 256 };

extern void *__libc_malloc(size_t);

struct seen {
    const void *frames[MOST];
    size_t count;
};

static __thread struct seen walked, unwound;
static __thread bool busy;
static bool ready;
static unsigned long calls, every, walks, frames, different, lost;

static _Unwind_Reason_Code take(struct _Unwind_Context *context, void *unused) {
    (void)unused;
    int is_next = 0;
    uintptr_t address = _Unwind_GetIPInfo(context, &is_next);
    if (address && unwound.count < MOST)
        unwound.frames[unwound.count++] = (const void *)(address + (is_next ? 1 : 0));
    return _URC_NO_REASON;
}

// The first frame is this function's, at two addresses. The unwinder stops where tables are missing.
__attribute__((noinline)) static void compare(void) {
    enum walk_end end;
    walked.count = walk_stack(walked.frames, MOST, &end);
    unwound.count = 0;
    _Unwind_Backtrace(take, NULL);
    bool same =
        unwound.count >= 2 && walked.count >= unwound.count &&
        memcmp(walked.frames + 1, unwound.frames + 1, (unwound.count - 1) * sizeof *walked.frames) == 0;
    __atomic_add_fetch(&walks, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&frames, walked.count, __ATOMIC_RELAXED);
    __atomic_add_fetch(&different, !same, __ATOMIC_RELAXED);
    __atomic_add_fetch(&lost, end == WALK_LOST, __ATOMIC_RELAXED);
}

void *malloc(size_t size) {
    void *p = __libc_malloc(size);
    if (ready && !busy && __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED) % every == 0) {
        busy = true;
        compare();
        busy = false;
    }
    return p;
}

__attribute__((constructor)) static void begin(void) {
    every = strtoul(getenv("EVERY"), NULL, 10);
    busy = true;
    _Unwind_Backtrace(take, NULL); // loads its library on first use
    busy = false;
    ready = true;
}

__attribute__((destructor)) static void end(void) {
    char line[128];
    int size = snprintf(line, sizeof line, "walks %lu frames %lu different %lu lost %lu\n", walks, frames,
                        different, lost);
    ready = false;
    if (write(2, line, (size_t)size) != size)
        abort();
}
