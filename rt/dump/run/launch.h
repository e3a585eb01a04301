/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A command with the runtime preloaded into all its processes. */
#ifndef ALLOCSITE_DUMP_RUN_LAUNCH_H
#define ALLOCSITE_DUMP_RUN_LAUNCH_H

#include "dump/base/terminal.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What nobody but env(1) and its like ends with: they could not start the command, or it is not there. */
enum { LAUNCH_FAILED = 125, LAUNCH_DENIED = 126, LAUNCH_NOT_FOUND = 127 };

struct launch {
    char directory[PATH_MAX]; /* of the profiles of all processes, for the user alone */
    uint64_t stacks;          /* frames that are kept; 0: as the user's options say */
    bool wants_lost;          /* lost blocks are told from reachable ones */
    bool is_aside;            /* the terminal is wanted for something else: */
    int output;               /* what the command writes to it is kept in a file without a name */
    pid_t pid;
};

/* Makes the directory, and preloads from here on. False: what is wrong has been told. */
bool launch_prepare(struct launch *);

/* 0, or an exit status, with which what is wrong has been told. */
int launch_start(struct launch *, char **command);

/* Whether the command, which has not been waited for, runs still. */
bool launch_runs(const struct launch *);

/* Waits for the command and for all that it has started, for these until the user interrupts. Interrupts are
 * the command's from the start on, and those to end are sent on to it. Returns the command's status, or 128
 * and the number of the signal that ended it. */
int launch_wait(const struct launch *);

/* Whether the command itself left a profile. */
bool launch_was_counted(const struct launch *);

/* How many processes executed a last program that has no profile among these. */
size_t launch_unseen(char **profiles, size_t count);

/* Removes the profiles. */
void launch_clean(const struct launch *);

/* ---- What a command is. */

/* Looks at the file that the command is, found as execvp(3) does, and at the interpreters of scripts. True:
 * nothing can be preloaded into it, *why says why. */
bool program_refuses(const char *command, struct reason *why);

#endif
