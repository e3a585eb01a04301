/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that are missing on a stack because they left by a tail call.
 *
 * Code that keeps calling contexts makes tail calls only where they may close a cycle
 * (plugin/emit/tail_calls.h). Suppose that a call instruction in such code calls f, but the frame below it
 * belongs to g. Then f has left by a tail call to g, perhaps through further functions. A call through a
 * pointer does not show which function it called. */
#ifndef ALLOCSITE_DUMP_LINE_TAIL_CALLS_H
#define ALLOCSITE_DUMP_LINE_TAIL_CALLS_H

#include "dump/elf/elf_file.h"

/* What the code around a return address shows; addresses of the module. */
struct tail_calls {
    uint64_t
        called; /* function that the call before the address calls; 0: unknown, or it keeps no contexts */
    const char *name;  /* of that function; NULL: unknown */
    uint64_t function; /* function that contains the address; 0: unknown, or it keeps no contexts */
};

/* Returns this without the name. */
struct tail_calls tail_calls_at(const struct elf_file *, const struct elf_functions *, uint64_t returns);

/* Returns whether a function is missing between a frame and its caller. Either may be NULL. */
static inline bool tail_calls_between(const struct tail_calls *frame, const struct tail_calls *caller) {
    return frame && caller && frame->function && caller->called && frame->function != caller->called;
}

#endif
