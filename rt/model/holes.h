/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Accuracy gaps: reasons why numbers are not exact. The runtime sets them, the reader finds them in
 * profiles. */
#ifndef ALLOCSITE_MODEL_HOLES_H
#define ALLOCSITE_MODEL_HOLES_H

/* Profiles contain these numbers, so new ones are added at the end. */
enum hole {
    HOLE_MEMORY,         /* out of memory for the runtime's own tables */
    HOLE_FORK,           /* the kernel cannot wipe on fork */
    HOLE_INTERPOSITION,  /* another malloc precedes ours */
    HOLE_PAST,           /* another one did, and some calls still reach it */
    HOLE_UNWRAPPED,      /* static runtime without --wrap */
    HOLE_VERSION,        /* a descriptor of another format version */
    HOLE_SECOND_RUNTIME, /* another copy of the runtime counts too */
    HOLE_LIBRARIES,      /* static runtime in a process that has shared libraries */
    HOLE_OWNERS,         /* no memory for the shadow table */
    HOLE_PEAK,           /* more peaks than can be distinguished */
    HOLE_BARRIER,        /* no memory barrier for all threads */
    HOLE_THREADS,        /* a thread was started without the runtime's knowledge */
    HOLE_MARK,           /* allocsite_mark on a block that the shadow table cannot hold */
    HOLE_PHASES,         /* more phases than are supported */
    HOLE_CUSTOM,         /* a custom allocator's block that its table cannot hold */
    HOLE_ARENA,          /* a release to an unknown mark, or to an arena that was being used in this thread */
    HOLE_UNOWNED,        /* the option owners=0 */
    HOLE_TORN,           /* an event was counted only partly */
    HOLE_CONTEXTS,       /* one calling context represents two stacks */
    HOLE_FREES,          /* frees without a site are not seen */
    HOLE_ELSEWHERE,      /* an unknown block was freed that the allocator may have returned unseen */
    HOLE_NAMESPACE,      /* modules in a namespace of dlmopen without the runtime */
    HOLE_COUNT
};

#define HOLE_TEXT_SIZE 512

/* The text for people. other_malloc: for the holes that name one, its module's path, or the name of a
 * sanitizer; NULL: not known. */
void hole_text(char text[HOLE_TEXT_SIZE], enum hole, const char *other_malloc);

#endif
