/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls of functions in a running process: in one of its threads, while the others run. */
#ifndef ALLOCSITE_DUMP_RUN_TARGET_H
#define ALLOCSITE_DUMP_RUN_TARGET_H

#include "dump/capture/capture.h"

/* Code that may hold a lock of the C library, the allocator or the dynamic loader. */
struct locked_code {
    uint64_t begin, end;
};

struct target {
    unsigned pid;
    struct remote_memory memory;
    struct capture_maps maps;
    struct capture_walk *walk;
    const struct capture_module *libc;
    struct locked_code *locked;
    size_t locked_count, locked_capacity;
    uint64_t errno_location, dlopen, dlerror; /* dlerror 0: unknown */
    uint64_t dlopen_flags;
    bool has_own_malloc; /* the executable defines malloc */

    struct stop stop; /* the thread that makes the calls */
    struct injection injection;
    uint64_t errno_address;
    int error; /* the thread's errno */
};

/* False: *why has the reason, and there is nothing to close. */
bool target_open(struct target *, unsigned pid, struct reason *why);
void target_close(struct target *);

/* Stops a thread at a moment when it holds none of these locks. Tries for ten seconds. False: *why has the
 * reason. */
bool target_hold(struct target *, struct reason *why);
void target_release(struct target *);

/* Calls a function in the held thread, with a text or NULL as its first argument. */
bool target_call(struct target *, uint64_t function, const char *text, uint64_t second, uint64_t *result,
                 struct reason *why);

/* Reads a text of the process; cut after 200 bytes. Always false. */
bool target_reason(struct target *, uint64_t text, struct reason *why);

/* Calls a function that needs no lock, while all threads are stopped and none is in the code of a module.
 * Waits for such a moment for ten seconds. False: there was none. */
bool target_call_quiet(struct target *, uint64_t function, uint64_t in_module);

#endif
