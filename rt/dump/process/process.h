/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Processes of this machine. */
#ifndef ALLOCSITE_DUMP_PROCESS_PROCESS_H
#define ALLOCSITE_DUMP_PROCESS_PROCESS_H

#include "dump/base/terminal.h"
#include "profile.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* True if the process still runs. Excludes a process that reused its id, and processes of another host.
 * start_time: in clock ticks since boot. */
bool process_runs(uint64_t pid, uint64_t start_time, const char *host);

/* False if the thread has begun to end. */
bool process_thread_runs(uint64_t id);

/* In clock ticks since boot; 0: no such process. */
uint64_t process_start_time(uint64_t pid);

/* The process's id in its own pid namespace; 0: no such process. */
uint64_t process_inner_id(uint64_t pid);

/* True if system calls of the thread may be filtered (seccomp(2)). */
bool process_filters_calls(uint64_t id);

/* True if the process ignores the signal. */
bool process_ignores(uint64_t id, int signal);

/* Bytes of memory in use, including swap; 0: unknown. */
uint64_t process_memory(uint64_t pid);

/* Bytes of resident memory. */
uint64_t process_resident(uint64_t pid);

/* Sets *why to the reason why the kernel denies access to the process's memory, and what helps. Always
 * false. */
bool process_refuses(uint64_t pid, struct reason *why);

/* Makes the process the first choice of the OOM killer. */
void process_prefer_oom_kill(uint64_t pid);

/* ---- The mappings of a process. */

struct process_mapping {
    uint64_t start, end, offset; /* offset: in the file */
    uint64_t inode;              /* 0: no file */
    char flags[5];               /* "r-xp" */
    const char *path;            /* in the process's mount namespace; valid until the next call */
};

struct process_maps {
    FILE *file;
    char *line;
    size_t size;
};

/* False: *why has the reason, and there is nothing to close. */
bool process_maps_open(struct process_maps *, unsigned pid, struct reason *why);
bool process_maps_next(struct process_maps *, struct process_mapping *);
void process_maps_close(struct process_maps *);

/* ---- The file in which a process counts (profile.h). An open file stays readable after the process has
 * ended or executed another program. Opening needs permission to inspect the process (ptrace(2),
 * PTRACE_MODE_READ), but not to stop it or to read its memory. */

struct process_counters {
    int fd;
    struct profile_header header; /* read when the file was opened */
    uint64_t start_time;          /* of the process */
    bool has_others;              /* the process contains another runtime that counts, too */
};

/* Opens the file; the caller closes the descriptor. False: *why has the reason. */
bool process_counters_open(struct process_counters *, unsigned pid, bool is_to_write, struct reason *why);

/* The same for repeated reading. The file is kept open and remains the file of the first program that had the
 * id. NULL: *why has the reason. */
const struct process_counters *process_counters_follow(unsigned pid, struct reason *why);

/* True if the process is known to have executed another program since it wrote a profile of `program`, begun
 * at that time. It keeps its id and start time. A copied or deleted profile is still of the same program. */
bool process_has_executed(unsigned pid, const char *program, uint64_t begun);

/* ---- Starting and stopping the counting in a process from outside. */

enum control { CONTROL_START, CONTROL_STOP, CONTROL_RESET };

/* Does what allocsite_start, allocsite_stop and allocsite_reset do, by requests in the header of the
 * process's file (profile.h). No thread is stopped and no signal is sent. A stop and a reset make all threads
 * leave the hot path, which requires write access to their memory. The next thread that counts something
 * performs a reset. False: *why has the reason, also if no thread has performed the reset yet. */
bool control_process(unsigned pid, enum control, struct reason *why);

#endif
