/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs a command with the runtime preloaded into all its processes. */
#ifndef ALLOCSITE_DUMP_RUN_LAUNCH_H
#define ALLOCSITE_DUMP_RUN_LAUNCH_H

#include "dump/base/terminal.h"

#include <elf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Exit statuses that env(1) and similar programs use for a command that could not be started or was not
 * found. */
enum { LAUNCH_FAILED = 125, LAUNCH_DENIED = 126, LAUNCH_NOT_FOUND = 127 };

#define LAUNCH_STACKS_DEFAULT 16
#define LAUNCH_STACKS_MOST    64

struct launch {
    char directory[PATH_MAX]; /* private directory of all processes' profiles */
    uint64_t stacks;          /* frames to keep, unless the user's options say otherwise */
    bool are_stacks_chosen;   /* whatever they say */
    char options[PATH_MAX];   /* of ALLOCSITE_OPTIONS, before the user's, as the report needs them */
    const char *within;       /* directory in which to make it; NULL: TMPDIR */
    bool is_apart;            /* the command has its own process group, and its remaining processes are
                                 killed */
    unsigned patience;        /* seconds before that */
    bool keeps_output;        /* the terminal shows something else: */
    int output;               /* an unnamed file holds what the command writes to the terminal */
    pid_t pid;
};

/* The path of the runtime, relative to this program as built or as installed; the caller frees it. NULL after
 * an error message. */
char *launch_runtime(void);

/* Makes the directory and sets the environment for preloading. False after an error message. */
bool launch_prepare(struct launch *);

/* Returns 0, or an exit status after an error message. */
int launch_start(struct launch *, char **command);

/* True if the command still runs. Only before launch_wait. */
bool launch_runs(const struct launch *);

/* Waits for the command, and then for all processes that it started until the user interrupts. The command
 * gets interrupts from its start on, and SIGTERM and SIGHUP are passed on to it. Returns the command's exit
 * status, or 128 plus the number of the signal that ended it. */
int launch_wait(const struct launch *);

/* True if the command itself left a profile. */
bool launch_was_counted(const struct launch *);

/* The number of processes whose last program has no profile in the list. */
size_t launch_unseen(char **profiles, size_t count);

/* Removes the profiles and their directory. */
void launch_clean(const struct launch *);

/* Make and remove a private directory: in parent, or in /tmp if that is NULL or cannot be part of an option.
 * False after an error message. */
bool launch_folder(char path[PATH_MAX], const char *parent);
void launch_remove(const char *folder);

/* ---- Whether the runtime can be preloaded. */

/* Examines the file of the command, found as execvp(3) does, following the interpreters of scripts. True:
 * nothing can be preloaded into it, and *why has the reason. */
bool program_refuses(const char *command, struct reason *why);

/* Returns why no program with this file can load the runtime; NULL: it can. The header is the file's. */
const char *launch_unfit(int fd, const Elf64_Ehdr *header);

#endif
