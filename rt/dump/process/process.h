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

/* Whether the process still runs; not another one that got its number, nor one of another host. start_time:
 * in clock ticks since the machine was started. */
bool process_runs(uint64_t pid, uint64_t start_time, const char *host);

/* Whether the thread has not begun to end. */
bool process_thread_runs(uint64_t id);

/* In clock ticks since the machine was started; 0: there is no such process. */
uint64_t process_start_time(uint64_t pid);

/* Its number as it sees it itself, which in a container is another one; 0: there is no such process. */
uint64_t process_own_pid(uint64_t pid);

/* Whether system calls of the thread may be refused (seccomp(2)). */
bool process_filters_calls(uint64_t id);

/* How much memory it has in bytes, swapped out or not; 0: that cannot be told. */
uint64_t process_memory(uint64_t pid);

/* How much of that is in memory. */
uint64_t process_resident(uint64_t pid);

/* Always false: *why says that the kernel does not let its memory be read, and what helps. */
bool process_refuses(uint64_t pid, struct reason *why);

/* Where memory is short it goes before anything else does. */
void process_offer(uint64_t pid);

/* ---- The mappings of a process. */

struct process_mapping {
    uint64_t start, end, offset; /* offset: in the file */
    uint64_t inode;              /* 0: of no file */
    char flags[5];               /* "r-xp" */
    const char *path;            /* as the process sees it; until the next one is read */
};

struct process_maps {
    FILE *file;
    char *line;
    size_t size;
};

/* False: *why says why, and there is nothing to close. */
bool process_maps_open(struct process_maps *, unsigned pid, struct reason *why);
bool process_maps_next(struct process_maps *, struct process_mapping *);
void process_maps_close(struct process_maps *);

/* ---- The file that a process counts in (profile.h). It stays readable while it is open, also after the
 * process has ended or executed another program. Needs the permission to look at the process (ptrace(2),
 * PTRACE_MODE_READ), but none to stop it or to read its memory. */

struct process_counters {
    int fd;
    struct profile_header header; /* as it was when the file was opened */
    uint64_t start_time;          /* of the process */
    bool has_others;              /* there is another runtime in the process, which counts as well */
};

/* Opens it; the caller closes the descriptor. False: *why says why. */
bool process_counters_open(struct process_counters *, unsigned pid, bool is_to_write, struct reason *why);

/* The same for whoever reads it again and again: the file stays that of the program which had the number
 * first, and open. NULL: *why says why. */
const struct process_counters *process_counters_follow(unsigned pid, struct reason *why);

/* Whether the process, which wrote a profile of that program that began then, is known to have executed
 * another one since: it keeps its number and the time of its start. A profile that was copied or deleted is
 * still of the same program. */
bool process_has_executed(unsigned pid, const char *program, uint64_t begun);

/* ---- Having a running process count or not, from outside. */

enum control { CONTROL_START, CONTROL_STOP, CONTROL_RESET };

/* What allocsite_start, allocsite_stop and allocsite_reset do there, by requests in the header of its file
 * (profile.h): no thread is stopped, and no signal is sent. To stop and to reset, all threads are made to
 * leave the hot path, for which their memory must be writable. A reset is done by the next thread that counts
 * something; that none has so far is told as well. False: *why says why. */
bool control_process(unsigned pid, enum control, struct reason *why);

#endif
