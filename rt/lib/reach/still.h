/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Looking at the process while all its threads stand still.
 *
 * ptrace stops only threads of another process. So a second one is started that shares this one's memory, as
 * vfork does, but has a stack of its own; the caller waits in the kernel until it is done. It stops the other
 * threads, looks, and lets them run on. If it meets memory that cannot be read against expectation, it ends
 * and the program does not. */
#ifndef ALLOCSITE_LIB_REACH_STILL_H
#define ALLOCSITE_LIB_REACH_STILL_H

#include "lib/reach/roots.h"

struct still {
    struct modules_data modules;
    struct stop stop;
    struct caller caller;
    const struct module *loader;
    uint64_t begun; /* by os_monotonic */
    const char *(*look)(struct still *);
    void *context;
    const char *reason; /* why there is no answer; NULL: there is one */
};

/* Has look called in the second process, with context in the struct. NULL, or what it returned, or why it was
 * not called: the string lives as long as the process. All of still but memory of look's own is given back.
 * What look keeps addresses of blocks in must not be on the stack, where they would count as pointers.
 * Not for signal handlers but on a stack of their own, and while no lock of the dynamic loader is held. */
const char *still_look(struct still *, const char *(*look)(struct still *), void *context);

/* What of the roots does not hang on what look finds itself. */
struct roots still_roots(const struct still *);

#endif
