/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Accuracy gaps: reasons why numbers are not exact. The runtime sets them, the reader finds them in
 * profiles. */
#ifndef ALLOCSITE_MODEL_GAPS_H
#define ALLOCSITE_MODEL_GAPS_H

/* Profiles contain these numbers, so new ones are added at the end. */
enum gap {
    GAP_MEMORY,         /* out of memory for the runtime's own tables */
    GAP_FORK,           /* the kernel cannot wipe on fork */
    GAP_INTERPOSITION,  /* another malloc precedes ours */
    GAP_PAST,           /* another malloc preceded ours, and some calls still reach it */
    GAP_UNWRAPPED,      /* static runtime without --wrap */
    GAP_VERSION,        /* a descriptor of another format version */
    GAP_SECOND_RUNTIME, /* another copy of the runtime counts too */
    GAP_LIBRARIES,      /* static runtime in a process that has shared libraries */
    GAP_OWNERS,         /* no memory for the shadow table */
    GAP_PEAK,           /* more peaks than can be distinguished */
    GAP_BARRIER,        /* no memory barrier for all threads */
    GAP_THREADS,        /* a thread was started without the runtime's knowledge */
    GAP_MARK,           /* allocsite_mark got a block that the shadow table cannot hold */
    GAP_PHASES,         /* more phases than are supported */
    GAP_CUSTOM,         /* a custom allocator's block that its table cannot hold */
    GAP_ARENA,          /* a release to an unknown mark, or to an arena that was being used in this thread */
    GAP_UNOWNED,        /* the option owners=0 */
    GAP_TORN,           /* an event was counted only partly */
    GAP_CONTEXTS,       /* one calling context represents two stacks */
    GAP_FREES,          /* frees without a site are not seen */
    GAP_ELSEWHERE,      /* an unknown block was freed that the allocator may have returned unseen */
    GAP_NAMESPACE,      /* modules in a namespace of dlmopen without the runtime */
    GAP_COUNT
};

#define GAP_TEXT_SIZE 512

/* The text for people. other_malloc: for the gaps that name one, its module's path, or the name of a
 * sanitizer; NULL: not known. */
void gap_text(char text[GAP_TEXT_SIZE], enum gap, const char *other_malloc);

#endif
