/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Operating-system calls: memory, threads, signals, clocks, a line on stderr. None of them allocates or takes
 * a lock, all may be used in a signal handler. They may change errno; who calls them on the program's way
 * restores it. */
#ifndef ALLOCSITE_LIB_BASE_OS_H
#define ALLOCSITE_LIB_BASE_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum os_fork { OS_FORK_KEEPS, OS_FORK_WIPES };

/* Zeroed memory whose pages cost nothing until they are touched. With OS_FORK_WIPES it reads as zero in
 * a forked child. NULL when there is none. Lives until os_unmap. */
void *os_map(size_t size, enum os_fork);

/* Address space for os_map when there is none left. */
void os_reserve(size_t size);

void os_unmap(void *, size_t size);

/* Whole pages of it read as zero from now on, and cost nothing until they are touched again. Keeps errno. */
void os_empty(void *, size_t size);

/* The same between two pages that cannot be read: the kernel makes one mapping of what lies side by side, and
 * whoever searches a stack does so to the end of its mapping. */
void *os_map_apart(size_t size, enum os_fork);
void os_unmap_apart(void *, size_t size);

/* As os_map, in the place of what is mapped at address. False: it is as it was. */
bool os_map_over(void *address, size_t size, enum os_fork);

/* os_map without os_own_note. */
void *os_map_unnoted(size_t size, enum os_fork);

/* Memory of os_map comes, or goes. */
void os_own_note(const void *memory, size_t size, enum os_fork);
void os_own_forget(const void *memory);

/* From here on a child of fork(3) sees to it that such memory is empty, whatever the kernel does. Once. */
void os_fork_watch(void);

/* Whether the kernel refused to wipe memory of os_map (before Linux 4.14). */
bool os_fork_refused(void);

/* Whether this process is a forked child that goes on from its parent's numbers: the kernel does not empty
 * memory, and the child was forked by a system call of the program's own. */
bool os_fork_failed(void);

/* How much address space the process may use for memory of its own, in bytes. */
uint64_t os_address_space(void);

/* How much of it the runtime has. */
extern uint64_t os_mapped;

/* Writes of every thread of the process so far are seen by this one, and the reverse: a memory barrier in all
 * of them, which costs them nothing until then. os_barriers first, once. False: the kernel has none (before
 * Linux 4.14), or does not let us. */
bool os_barriers(void);
void os_barrier(void);

/* Whether valgrind runs the process, which has no general clone. */
bool os_is_simulated(void);

/* Whether the word at address can be read. Keeps errno. */
bool os_can_read(const void *address);

/* Reads it. False: it cannot be. Keeps errno. */
bool os_read(const void *address, uintptr_t *word);

/* Lets another thread run. */
void os_yield(void);

/* Of less than a second. */
void os_sleep(long nanoseconds);

/* Between two tries to get what another thread has: lets it run, after many tries even if it is of a lower
 * priority than this one, for which a real-time thread must sleep. */
void os_wait(uint32_t tries);

/* A lock that is 0 while it is free, for work that may block. A thread that was cancelled, or was left behind
 * by fork, holds it no longer. EBUSY: this thread holds it, and runs a signal handler now. */
int os_lock(int32_t *holder);
void os_unlock(int32_t *holder);

/* Keeps all signals from being handled in this thread; returns what os_signals_release needs. */
uint64_t os_signals_hold(void);
void os_signals_release(uint64_t before);

/* The same, but a SIGPIPE or SIGXFSZ that writing brings upon the thread meanwhile is thrown away: what the
 * runtime writes must not kill the program. Fill before and hand it back. */
struct os_writing {
    uint64_t mask;
    uint64_t pending;
};
void os_writing_begin(struct os_writing *before);
void os_writing_end(const struct os_writing *before);

/* Descriptors 1 and 2 are the program's, which may close them and get them again for a file that it reads and
 * writes: the runtime has nothing to say there. Notes what they are when the process begins. */
void os_note_standard(void);
bool os_may_write(int fd);

/* os_say(part, ...): "allocsite: " and the parts as one line on stderr, in one write. */
#define os_say(...) os_say_parts((const char *const[]){__VA_ARGS__, NULL})
void os_say_parts(const char *const *parts);

/* The same line to a file. 0 or errno. */
int os_say_to(int fd, const char *const *parts);

/* Nanoseconds since 1970-01-01 UTC. */
uint64_t os_now(void);

/* Nanoseconds of a clock that nobody sets. */
uint64_t os_monotonic(void);

/* ---- The runtime's files. None of the calls allocates or takes a lock, all may be used in
 * a signal handler. They may change errno unless they say otherwise. */

/* A file that is kept open in a process which does not know of it, and may close what it has not opened. */
struct os_file {
    int fd;
    uint64_t device, inode;
};

/* An empty file without a name, in memory (memfd_create). A descriptor, or -1 with errno. os_memory_reach
 * makes it reach to `end` at least, in steps of 1 MiB; its pages cost nothing until they are touched, but for
 * one of each step. 0 or errno. */
int os_memory_file(void);
int os_memory_reach(int fd, uint64_t end);

/* Keeps fd, out of the way of the program's own descriptors. */
void os_file_note(struct os_file *, int fd);

/* Whether the descriptor still is that file's; and to get one if it is not. */
bool os_file_is_open(const struct os_file *);
bool os_file_reopen(struct os_file *, const char *path);

/* Whether nothing names it any more. False if that is not known, for the descriptor is closed. */
bool os_file_is_removed(const struct os_file *);

/* Closes the descriptor if it is the file's. */
void os_file_close(struct os_file *);

/* Space of the disk for a part of the file, which then holds zeros, or for bytes, which are written there.
 * None of them is a point where a thread can be cancelled. 0 or errno. */
int os_allocate(int fd, uint64_t offset, size_t size);
int os_write(int fd, const void *bytes, size_t size);
int os_write_at(int fd, const void *bytes, size_t size, uint64_t offset);

/* Maps a part of the file, shared, in the place of what is mapped at address. False: it is as it was, see
 * errno. */
bool os_map_file(void *address, size_t size, int fd, uint64_t offset);

/* Reads the beginning of the file. The number of bytes, below 0: none, see errno. */
long os_read_file(const char *path, char *bytes, size_t size);

/* None of the calls here is a point where a thread can be cancelled. Keeps errno. */
void os_close(int fd);

/* A copy of a descriptor, out of the way of the program's own. -1 with errno. */
int os_keep(int fd);

/* ---- What the system tells of a process. None of the calls allocates or takes a lock, all may be used in
 * a signal handler. They may change errno unless they say otherwise. */

/* Path of the executable, NUL-terminated and cut to size; as_argument: of the one that the dynamic loader was
 * given as an argument. */
void os_program_path(char *path, size_t size, bool as_argument);

/* The number of this process. The C library's getpid is nowhere near what else is called here: around a page
 * that is needed the kernel maps 60 KiB, which count as the program's. Where a sandbox refuses the call /proc
 * tells it. */
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

/* How many threads the process has; 0: that cannot be told. */
uint32_t os_threads(void);

/* The largest resident set that this process had, in bytes; 0: not known. */
uint64_t os_resident(void);

/* Its command line, NUL-terminated and cut to size; empty: not known. */
void os_command(char *text, size_t size);

/* ---- Which memory of the process can be read, for walking the table of blocks. */

struct span {
    uintptr_t begin, end;
};

struct maps {
    struct span *spans; /* readable, in ascending order, one for each mapping */
    size_t count;
};

/* Reads /proc/self/maps. NULL, or why not. Memory that is mapped later is not in it. */
const char *maps_read(struct maps *);
void maps_release(struct maps *);

/* ---- Pages of the process that were ever touched. */

#define PAGES_KNOWN 512

/* The pages that were asked for last. All zero at first. */
struct pages {
    uint64_t first; /* the page whose bits come first in touched */
    size_t count;
    uint64_t touched[PAGES_KNOWN];
};

/* A descriptor of the kernel's page map; -1: it cannot be read, and every page may have been touched. */
int pages_open(void);
bool pages_touched(struct pages *, int pagemap, uintptr_t address);

#endif
