/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Texts for the reasons why numbers are not exact. */
#include "model/gaps.h"

#include "base/arrays.h"

#include <stdbool.h>
#include <string.h>

/* @ is replaced by the module of the other malloc. */
static const char *const texts[] = {
    [GAP_MEMORY] = "out of memory for the runtime's own tables: some allocations are not counted",
    [GAP_FORK] = "the kernel does not wipe memory on fork (it is older than Linux 4.14, or an emulator), "
                 "and the program forked by a system call of its own: parent and child are counted together",
    [GAP_INTERPOSITION] =
        "the malloc of @ comes before allocsite's: calls that pass a site are counted, others only if that "
        "malloc passes them on, with the size that it requests",
    [GAP_PAST] = "some calls may have reached the malloc of @ past allocsite's: they are not counted",
    [GAP_UNWRAPPED] = "linked statically without --wrap: calls that pass a site are counted, others are not",
    [GAP_VERSION] = "some code was compiled by a plugin of another format version: its sites are counted as "
                    "unsited",
    [GAP_SECOND_RUNTIME] = "a second copy of the runtime counts in this process too (a static liballocsite.a "
                           "beside the shared one?)",
    [GAP_LIBRARIES] = "the runtime is linked statically into a process that has shared libraries: their "
                      "allocations are not counted",
    [GAP_OWNERS] =
        "no memory for the owners of blocks (a limit on address space below 1 GiB?): frees and live "
        "blocks are unknown",
    [GAP_PEAK] = "the peak rose too often to know the sites' shares of it",
    [GAP_BARRIER] =
        "the kernel does not offer membarrier(2): with several threads the peak may be off by more than "
        "the stated bound",
    [GAP_THREADS] =
        "a thread was started by a system call, or before the runtime was opened: the peak is not exact",
    [GAP_MARK] =
        "a block could not be marked: its address is no multiple of 8, or a large one begins less than 1 "
        "KiB from another",
    [GAP_PHASES] = "there are more phases than can be counted: some are reported outside of all phases",
    [GAP_UNOWNED] = "owners=0: frees were not counted, so live blocks and the peak are unknown",
    [GAP_CUSTOM] =
        "a custom allocator returned a block, and its owner could not be recorded: it is not counted",
    [GAP_ARENA] =
        "an arena was released to an unknown place, or a signal handler or a fork interrupted its use: "
        "released blocks are reported as live",
    [GAP_TORN] =
        "a signal handler or a cancellation ended a call of the allocator that was counted in part: its "
        "block and the peak are not exact",
    [GAP_CONTEXTS] =
        "a calling context stood for two stacks (found by contexts_check=1): this report shows the "
        "stacks that were walked, others of this program may show a wrong one",
    [GAP_FREES] = "frees that pass no site are not seen: live blocks and the peak are unknown",
    [GAP_ELSEWHERE] =
        "a block was freed that came from the C library's malloc in a way that is not seen (a "
        "second copy of the library, for example), or was freed twice: such frees are not counted",
    [GAP_NAMESPACE] = "libraries were opened in a namespace of their own (dlmopen): the calls of their C "
                      "library's malloc are not counted",
};

COVERS(texts, GAP_COUNT);

static const char sanitized[] = "@ serves the heap of this program: calls that pass a site are counted, "
                                "allocations inside libraries are not";

static char *append_string(char *to, const char *end, const char *from, size_t length) {
    size_t capacity = (size_t)(end - to);
    length = length < capacity ? length : capacity;
    memcpy(to, from, length);
    return to + length;
}

void gap_text(char text[GAP_TEXT_SIZE], enum gap gap, const char *other_malloc) {
    const char *end = text + GAP_TEXT_SIZE - 1, *name = other_malloc ? other_malloc : "another module";
    bool is_sanitizer = other_malloc && !strchr(other_malloc, '/');
    const char *from = gap == GAP_INTERPOSITION && is_sanitizer ? sanitized : texts[gap];
    const char *at = strchr(from, '@');
    if (at) {
        text = append_string(text, end, from, (size_t)(at - from));
        text = append_string(text, end, name, strlen(name));
        from = at + 1;
    }
    *append_string(text, end, from, strlen(from)) = '\0';
}
