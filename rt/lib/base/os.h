/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Operating-system calls: memory, threads, signals, clocks, a line on stderr. None of them allocates or takes
 * a lock, and all may be called in signal handlers. They may change errno unless they say otherwise;
 * functions that the program calls restore it. */
#ifndef ALLOCSITE_LIB_BASE_OS_H
#define ALLOCSITE_LIB_BASE_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum os_fork { OS_FORK_KEEPS, OS_FORK_WIPES };

/* Returns zeroed memory, whose pages cost nothing until they are touched; NULL if there is none. With
 * OS_FORK_WIPES a forked child reads zeros. Freed by os_unmap. */
void *os_map(size_t size, enum os_fork);

/* The size in whole pages of 4 KiB, in bytes. */
size_t os_whole_pages(size_t size);

/* Maps writable memory as mmap does, by a system call, because the runtime interposes mmap. */
void *os_mmap(void *address, size_t size, int flags, int fd, uint64_t offset);

/* Reserves address space for os_map, which uses it when the process has no more. */
void os_reserve(size_t size);

void os_unmap(void *, size_t size);

/* Makes whole pages read as zeros, and cost nothing until they are touched again. Keeps errno. */
void os_empty(void *, size_t size);

/* Like os_map, between two unreadable pages. The kernel would otherwise merge adjacent mappings, and programs
 * that search a stack do so to the end of its mapping. */
void *os_map_apart(size_t size, enum os_fork);
void os_unmap_apart(void *, size_t size);

/* Like os_map, replacing the mapping at address. Returns false, and changes nothing, if that fails. */
bool os_map_over(void *address, size_t size, enum os_fork);

/* Like os_map, without os_note_mapping. */
void *os_map_unnoted(size_t size, enum os_fork);

/* Records, or forgets, memory of os_map as the runtime's own. */
void os_note_mapping(const void *memory, size_t size, enum os_fork);
void os_forget_mapping(const void *memory);

/* Makes a child of fork(3) empty OS_FORK_WIPES memory if the kernel has not. Called once. */
void os_fork_watch(void);

/* Returns whether the kernel refused MADV_WIPEONFORK (before Linux 4.14). */
bool os_fork_refused(void);

/* Returns whether this process is a forked child whose counters still have its parent's values. This happens
 * if the kernel does not wipe memory on fork, and the program forked by a direct system call. */
bool os_fork_failed(void);

/* Returns whether another thread may have held the dynamic loader's lock when this process was forked. In
 * that case no thread releases the lock, and dl_iterate_phdr and dlsym never return. */
bool os_loader_may_block(void);

/* Returns how much address space the process may use for private memory, in bytes. */
uint64_t os_address_space(void);

/* Bytes of address space that the runtime uses. */
extern uint64_t os_mapped;

/* os_barrier is a memory barrier in every thread of the process, which costs the other threads nothing
 * otherwise. os_barriers must be called once before. It returns false if the kernel has no such barrier
 * (before Linux 4.14) or does not permit it. */
bool os_barriers(void);
void os_barrier(void);

/* Returns whether the process runs under valgrind, which has no general clone. */
bool os_is_simulated(void);

/* Returns whether the word at address is readable. Keeps errno. */
bool os_can_read(const void *address);

/* Reads the word at address. Returns false if it is not readable. Keeps errno. */
bool os_read(const void *address, uintptr_t *word);

/* Lets another thread run. */
void os_yield(void);

/* For less than a second. */
void os_sleep(long nanoseconds);

/* Waits between two attempts to get what another thread holds. After many attempts it sleeps, so that a
 * real-time thread lets threads of lower priority run. */
void os_wait(uint32_t tries);

/* A lock, which is 0 while it is free, for work that may block. A thread that was cancelled, or was left in
 * the parent by fork, loses it. os_lock returns 0, or EBUSY if this thread holds the lock and now runs a
 * signal handler. */
int os_lock(int32_t *holder);
void os_unlock(int32_t *holder);

/* Blocks all signals in this thread. Returns the previous mask for os_signals_release. */
uint64_t os_signals_hold(void);
void os_signals_release(uint64_t before);

/* Blocks SIGPIPE and SIGXFSZ in this thread, and discards those that writing has raised: the runtime's writes
 * must not kill the program. os_writing_begin fills `before` for os_writing_end. */
struct os_writing {
    uint64_t mask;
    uint64_t pending;
};
void os_writing_begin(struct os_writing *before);
void os_writing_end(const struct os_writing *before);

/* os_may_write returns false if the program has closed descriptor 1 or 2 and now uses the number for a file
 * that it reads and writes. os_note_standard notes the files of both when the process begins. */
void os_note_standard(void);
bool os_may_write(int fd);

/* os_say(part, ...) writes "allocsite: " and the parts as one line to stderr, with one system call. */
#define os_say(...) os_say_parts((const char *const[]){__VA_ARGS__, NULL})
void os_say_parts(const char *const *parts);

/* Writes the same line to a file. Returns 0 or an errno. */
int os_say_to(int fd, const char *const *parts);

/* Returns nanoseconds since 1970-01-01 UTC. */
uint64_t os_now(void);

/* Like os_now, to some milliseconds and at a fifth of the cost. */
uint64_t os_now_coarse(void);

/* Returns nanoseconds of a clock that is never set. */
uint64_t os_monotonic(void);

/* ---- The runtime's files. */

/* A file that the runtime keeps open. The program does not know of its descriptor and may close it. */
struct os_file {
    int fd;
    uint64_t device, inode;
};

/* os_memory_file creates an empty file without a name, in memory (memfd_create), and returns its descriptor
 * or -1 with errno. os_memory_reach extends it to `end` at least, in steps of 1 MiB, of which only touched
 * pages and one page per step cost memory. Returns 0 or an errno. */
int os_memory_file(void);
int os_memory_reach(int fd, uint64_t end);

/* Takes over fd, and moves it to a number that the program is unlikely to use. */
void os_file_note(struct os_file *, int fd);

/* os_file_is_open returns whether the descriptor still belongs to that file. os_file_reopen opens the file
 * again at path; it returns false if it is gone. */
bool os_file_is_open(const struct os_file *);
bool os_file_reopen(struct os_file *, const char *path);

/* Returns whether the file has no name any more; false if that is unknown (descriptor closed). */
bool os_file_is_removed(const struct os_file *);

/* Closes the descriptor if it still belongs to the file. */
void os_file_close(struct os_file *);

/* os_allocate reserves disk space for a part of the file and fills it with zeros; the others write. Not
 * cancellation points. Return 0 or an errno. */
int os_allocate(int fd, uint64_t offset, size_t size);
int os_write(int fd, const void *bytes, size_t size);
int os_write_at(int fd, const void *bytes, size_t size, uint64_t offset);

/* Maps a part of the file, shared, over the mapping at address. Returns false with errno if that fails, and
 * leaves the memory as it was. */
bool os_map_file(void *address, size_t size, int fd, uint64_t offset);

/* Reads the start of the file. Returns the number of bytes, or -1 with errno. */
long os_read_file(const char *path, char *bytes, size_t size);

/* Closes fd. Not a cancellation point. Keeps errno. */
void os_close(int fd);

/* Returns a duplicate of the descriptor with a number that the program is unlikely to use; -1 with errno. */
int os_keep(int fd);

/* ---- Facts about a process. */

/* Writes the path of the executable, NUL-terminated and cut to size. as_argument: of the program that the
 * dynamic loader was given as an argument. */
void os_program_path(char *path, size_t size, bool as_argument);

/* Returns the id of this process. The C library's getpid would touch a page that is not needed otherwise, for
 * which the kernel maps 60 KiB that count as the program's. If a sandbox refuses the system call, /proc is
 * read. */
int32_t os_process(void);

/* Returns the id of this thread, and whether the process has a thread with an id. */
int32_t os_thread(void);
bool os_thread_exists(int32_t thread);

void os_host_name(char *name, size_t size);

/* Returns when the process started, in clock ticks since boot; 0 if it is unknown or there is none. */
uint64_t os_start_time(uint64_t pid);

/* Returns the inode number of the pid namespace; 0 if it is unknown. */
uint64_t os_pid_namespace(void);

/* Returns the number of threads of the process; 0 if it is unknown. */
uint32_t os_threads(void);

/* Returns the largest resident set size of this process so far, in bytes; 0 if it is unknown. */
uint64_t os_resident(void);

/* Writes the command line, NUL-terminated and cut to size; empty if it is unknown. */
void os_command(char *text, size_t size);

/* ---- The readable memory of the process, for walking the table of blocks. */

struct span {
    uintptr_t begin, end;
};

struct maps {
    struct span *spans; /* the readable mappings, in ascending order */
    size_t count;
};

/* Reads /proc/self/maps. Returns NULL, or the reason of a failure. Later mappings are missing. */
const char *maps_read(struct maps *);
void maps_release(struct maps *);

/* ---- The touched pages of the process. */

#define PAGES_KNOWN 512

/* A cache of the last pages that were looked up. All zero at first. */
struct pages {
    uint64_t first; /* number of the first page in `touched` */
    size_t count;
    uint64_t touched[PAGES_KNOWN];
};

/* pages_open returns a descriptor of the kernel's page map; -1 if it is not readable, and then pages_touched
 * returns true for every page. */
int pages_open(void);
bool pages_touched(struct pages *, int pagemap, uintptr_t address);

#endif
