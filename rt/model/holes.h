/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Why numbers are not exact. Pure: the runtime sets them, the reader finds them in profiles. */
#ifndef ALLOCSITE_MODEL_HOLES_H
#define ALLOCSITE_MODEL_HOLES_H

/* Their numbers stand in profiles: new ones come at the end. */
enum hole {
    HOLE_MEMORY,         /* out of memory for the runtime's own tables */
    HOLE_FORK,           /* the kernel cannot wipe on fork */
    HOLE_INTERPOSITION,  /* another malloc stands before ours */
    HOLE_PAST,           /* one did, and some calls reach it still */
    HOLE_UNWRAPPED,      /* static runtime without --wrap */
    HOLE_VERSION,        /* a descriptor of another format version */
    HOLE_SECOND_RUNTIME, /* another copy of the runtime counts too */
    HOLE_LIBRARIES,      /* static runtime in a process that has shared libraries */
    HOLE_OWNERS,         /* no memory for the shadow table */
    HOLE_PEAK,           /* more peaks than can be told apart */
    HOLE_BARRIER,        /* no memory barrier for all threads */
    HOLE_THREADS,        /* a thread was started past the runtime */
    HOLE_MARK,           /* allocsite_mark of what the shadow table cannot hold */
    HOLE_PHASES,         /* more phases than are kept apart */
    HOLE_CUSTOM,         /* a custom allocator's block that the table of these cannot hold */
    HOLE_ARENA,     /* a release to a mark that is not known, or an arena that was under way in this thread */
    HOLE_UNOWNED,   /* the option owners=0 */
    HOLE_TORN,      /* an event was counted in part and left */
    HOLE_CONTEXTS,  /* one calling context stood for two stacks */
    HOLE_FREES,     /* frees that pass no site are not seen */
    HOLE_ELSEWHERE, /* a live block of the allocator's was freed that no call seen here had given */
    HOLE_COUNT
};

#define HOLE_TEXT_SIZE 512

/* The text for people. other_malloc: for the holes that name one, its module's path, or the name of a
 * sanitizer; NULL: not known. */
void hole_text(char text[HOLE_TEXT_SIZE], enum hole, const char *other_malloc);

#endif
