/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Processes of this machine. */
#ifndef ALLOCSITE_DUMP_PROCESS_PROCESS_H
#define ALLOCSITE_DUMP_PROCESS_PROCESS_H

#include "dump/base/terminal.h"
#include "dump/profile/image.h"

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

/* Whether its memory can still be found: that goes some time before the process, and with the main thread if
 * others outlive it. */
bool process_has_memory(uint64_t pid, uint64_t start_time);

/* As above; 0: there is no such process. */
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

/* ---- The profile that a process writes. */

/* Where a path of a process is seen from here, through /proc if need be. */
#define PROCESS_PATH_SIZE (PATH_MAX + 32)

/* Writes the path of the profile that the process has mapped. False: there is none that can be read. */
bool process_profile(unsigned pid, char path[PROCESS_PATH_SIZE]);

/* Whether the process, which wrote a profile of that program that began then, is known to have executed
 * another one since: it keeps its number and the time of its start. A profile that was copied or deleted is
 * still of the same program. */
bool process_has_executed(unsigned pid, const char *program, uint64_t begun);

/* ---- The profile that a process would have, from its memory (memory.h). */

/* To be freed with profile_image_free. A part that is not as it should be is a reason in it why the numbers
 * are not exact. False: *why says why, and there is nothing to free. */
bool remote_profile(struct profile_image *, unsigned pid, struct reason *why);

/* ---- Having a running process count or not, from outside. */

enum control { CONTROL_START, CONTROL_STOP, CONTROL_RESET };

/* What allocsite_start, allocsite_stop and allocsite_reset do there, by the words in memory that these write
 * (root.h): no thread is stopped, and no signal is sent. A reset is done by the next thread that counts
 * something; that none has so far is told as well. False: *why says why. */
bool control_process(unsigned pid, enum control, struct reason *why);

#endif
