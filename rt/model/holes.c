/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Texts for the reasons why numbers are not exact. */
#include "model/holes.h"

#include "base/arrays.h"

#include <stdbool.h>
#include <string.h>

/* @ is replaced by the module of the other malloc. */
static const char *const texts[] = {
    [HOLE_MEMORY] = "out of memory for the runtime's own tables: some allocations are not counted",
    [HOLE_FORK] = "the kernel does not wipe memory on fork (it is older than Linux 4.14, or an emulator), "
                  "and the process was "
                  "forked by a system call of the program's own: it counts its parent's allocations too",
    [HOLE_INTERPOSITION] =
        "the malloc of @ stands before allocsite's: calls that pass a site are counted, others only if that "
        "malloc passes them on, with the size that it asks for then",
    [HOLE_PAST] = "some calls may have reached the malloc of @ past allocsite's: they are not counted",
    [HOLE_UNWRAPPED] = "linked statically without --wrap: calls that pass a site are counted, others are not",
    [HOLE_VERSION] = "some code was compiled by a plugin of another format version: its sites are counted as "
                     "unsited",
    [HOLE_SECOND_RUNTIME] =
        "a second copy of the runtime counts in this process too (a static liballocsite.a "
        "beside the shared one?)",
    [HOLE_LIBRARIES] = "the runtime is linked statically into a process that has shared libraries: their "
                       "allocations are not counted",
    [HOLE_OWNERS] = "no memory for the owners of blocks (a limit on address space below 1 GiB?): what was "
                    "freed and what is live is not known",
    [HOLE_PEAK] = "the peak rose too often for the sites' shares in it to be told apart",
    [HOLE_BARRIER] =
        "the kernel does not offer membarrier(2): with several threads what was live at the peak "
        "is not within the bound that is told",
    [HOLE_THREADS] =
        "a thread was started by a system call, or before the runtime was opened: what was live at the "
        "peak is not exact",
    [HOLE_MARK] =
        "a block could not be marked: its address is no multiple of 8, or a large one begins less than 1 "
        "KiB from another",
    [HOLE_PHASES] =
        "there are more phases than are kept apart: what came in some of them is told outside of all",
    [HOLE_UNOWNED] = "owners=0: frees were not counted, so what is live and the peak are not known",
    [HOLE_CUSTOM] = "a custom allocator handed out a block whose owner could not be noted: it is not counted",
    [HOLE_ARENA] =
        "a release of an arena went to what was neither marked nor a block of it, or a signal handler "
        "or a fork came while an arena was in use: blocks that were given back are told as live",
    [HOLE_TORN] =
        "a signal handler or a cancellation ended a call of the allocator that was counted in part: that "
        "call's block, and what was live at the peak, are not exact",
    [HOLE_CONTEXTS] =
        "a calling context stood for two stacks (found by contexts_check=1): this report shows the "
        "stacks that were walked, others of this program may show a wrong one",
    [HOLE_FREES] = "frees that pass no site are not seen: what is live and the peak are not known",
    [HOLE_ELSEWHERE] =
        "a block was freed that came from the C library's malloc in a way that is not seen (a "
        "second copy of the library, for example): such blocks and their frees are not counted",
};

COVERS(texts, HOLE_COUNT);

static const char sanitized[] = "@ serves the heap of this program: calls that pass a site are counted, "
                                "allocations inside libraries are not";

static char *append(char *to, const char *end, const char *from, size_t length) {
    size_t room = (size_t)(end - to);
    length = length < room ? length : room;
    memcpy(to, from, length);
    return to + length;
}

void hole_text(char text[HOLE_TEXT_SIZE], enum hole hole, const char *other_malloc) {
    const char *end = text + HOLE_TEXT_SIZE - 1, *name = other_malloc ? other_malloc : "another module";
    bool is_sanitizer = other_malloc && !strchr(other_malloc, '/');
    const char *from = hole == HOLE_INTERPOSITION && is_sanitizer ? sanitized : texts[hole];
    const char *at = strchr(from, '@');
    if (at) {
        text = append(text, end, from, (size_t)(at - from));
        text = append(text, end, name, strlen(name));
        from = at + 1;
    }
    *append(text, end, from, strlen(from)) = '\0';
}
