/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the system tells of a process. None of the calls allocates or takes a lock, all may be used in
 * a signal handler. They may change errno unless they say otherwise. */
#ifndef ALLOCSITE_LIB_BASE_OS_PROCESS_H
#define ALLOCSITE_LIB_BASE_OS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Path of the executable, NUL-terminated and cut to size; as_argument: of the one that the dynamic loader was
 * given as an argument. */
void os_program_path(char *path, size_t size, bool as_argument);

/* The number of this process. The C library's getpid is nowhere near what else is called here: around a page
 * that is needed the kernel maps 60 KiB, which count as the program's. */
int32_t os_process(void);

/* The number of this thread, and whether the process has the one with that number. */
int32_t os_thread(void);
bool os_thread_exists(int32_t thread);

void os_host_name(char *name, size_t size);

/* When a process started, in clock ticks since the machine did; 0: there is no such process, or it cannot be
 * told. */
uint64_t os_start_time(uint64_t pid);

/* Inode number of the namespace that process ids are of; 0: not known. */
uint64_t os_pid_namespace(void);

/* When this process was started or forked, as os_now; 0: it cannot be told. */
uint64_t os_started(void);

/* How many threads the process has; 0: that cannot be told. */
uint32_t os_threads(void);

/* The largest resident set that this process had, in bytes; 0: not known. */
uint64_t os_resident(void);

/* Its command line, NUL-terminated and cut to size; empty: not known. */
void os_command(char *text, size_t size);

#endif
