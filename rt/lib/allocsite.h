/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite: exact allocation counts for each call site. The interface for programs that are profiled.
 *
 * A program is counted without this header, if it is compiled with the plugin and linked with -lallocsite.
 * The functions let a program read its counts, divide them, test them, or set its own options. They need no
 * library: if the runtime is absent, each function does nothing and costs a test of an address. If the
 * runtime is off (enabled=0), each function does nothing.
 *
 * Unless said otherwise, functions may be called from any thread at any time, change neither errno nor any
 * counter, and allocate nothing that is counted. Functions marked "signal-safe" may be called in a signal
 * handler. Functions that return int return 0 or an error number of <errno.h>: ENOSYS if the runtime is
 * absent or off, EINVAL for a NULL that is not allowed and for an unknown name.
 *
 * allocsite(7) explains the words site, owner, live, peak and phase. */
#ifndef ALLOCSITE_H
#define ALLOCSITE_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#define ALLOCSITE_VERSION_MAJOR 0
#define ALLOCSITE_VERSION_MINOR 1
#define ALLOCSITE_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/* A program may define this function. It returns default options, "key=value:key=value", or NULL for none.
 * The environment variable ALLOCSITE_OPTIONS takes precedence. allocsite(7) lists the keys.
 *
 * The runtime calls it once per process, possibly before main and before any constructor, from the thread
 * that allocates first, so it should just return a string literal. The program keeps ownership of the string,
 * which must stay valid. The function must not throw, and needs default visibility. A set-user-id program
 * ignores the environment, but not this function.
 */
const char *__allocsite_default_options(void);

/* Sums over all sites and unsited allocations of the process, or over the events of one thread. The fields
 * are those of "totals" in the JSON report: numbers of calls and blocks, and requested bytes. The option
 * owners=0 counts no frees, so everything that was allocated is live. */
struct allocsite_totals {
    uint64_t allocs, alloc_bytes;
    uint64_t reallocs, realloc_bytes, realloc_old_bytes;
    uint64_t frees, freed_bytes;
    uint64_t moved, moved_bytes;
    uint64_t failed;
    int64_t live_blocks, live_bytes;  /* of one thread: allocated minus freed, may be negative */
    uint64_t peak_blocks, peak_bytes; /* of one thread: 0 */
};

/* A region of code that is checked; see allocsite_check_begin. Only the runtime uses the fields. */
struct allocsite_check {
    void *state;
    size_t size;
};

/* An event of a block. The struct and its strings are valid during the call only. Later versions may append
 * fields. NULL and 0 mean unknown. */
enum allocsite_event_kind {
    ALLOCSITE_EVENT_ALLOC = 1,
    ALLOCSITE_EVENT_REALLOC = 2,
    ALLOCSITE_EVENT_FREE = 4
};
struct allocsite_event {
    int kind;          /* enum allocsite_event_kind */
    const void *block; /* still allocated at a free */
    size_t size;
    size_t old_size; /* of a realloc */
    uint64_t site;   /* the id of the block's owner; 0 if unsited */
    const char *function, *file;
    unsigned line, column;
    const char *callee, *type, *module;
    uint64_t address; /* if unsited: the return address in the module's file */
    uint64_t allocs;  /* of the owner so far, with reallocations; at a free: before it */
    uint64_t live_blocks, live_bytes;
};
typedef void allocsite_event_function(const struct allocsite_event *, void *data);

/* Entry points into the runtime, for the functions below only. */
#define ALLOCSITE_WEAK __attribute__((weak))
int __allocsite_api_v1_start(void) ALLOCSITE_WEAK;
int __allocsite_api_v1_start_profile(const char *) ALLOCSITE_WEAK;
int __allocsite_api_v1_stop(void) ALLOCSITE_WEAK;
int __allocsite_api_v1_is_counting(void) ALLOCSITE_WEAK;
void __allocsite_api_v1_reset(void) ALLOCSITE_WEAK;
int __allocsite_api_v1_report(const char *, const char *) ALLOCSITE_WEAK;
int __allocsite_api_v1_report_fd(int, const char *) ALLOCSITE_WEAK;
int __allocsite_api_v1_report_to(int, const char *) ALLOCSITE_WEAK;
int __allocsite_api_v1_profile(const char *) ALLOCSITE_WEAK;
int __allocsite_api_v1_profile_fd(int) ALLOCSITE_WEAK;
int __allocsite_api_v1_graph(const char *) ALLOCSITE_WEAK;
size_t __allocsite_api_v1_deep_size(const void *) ALLOCSITE_WEAK;
int __allocsite_api_v1_totals(struct allocsite_totals *) ALLOCSITE_WEAK;
int __allocsite_api_v1_thread_totals(struct allocsite_totals *) ALLOCSITE_WEAK;
int __allocsite_api_v1_register_root(const void *, size_t) ALLOCSITE_WEAK;
int __allocsite_api_v1_unregister_root(const void *, size_t) ALLOCSITE_WEAK;
void __allocsite_api_v1_phase_push(const char *) ALLOCSITE_WEAK;
void __allocsite_api_v1_phase_pop(void) ALLOCSITE_WEAK;
void allocsite_mark_block(const void *, size_t) ALLOCSITE_WEAK;
void allocsite_unmark_block(const void *) ALLOCSITE_WEAK;
int __allocsite_api_v1_on_event(allocsite_event_function *, void *, const char *) ALLOCSITE_WEAK;
int __allocsite_api_v1_off_event(allocsite_event_function *, void *) ALLOCSITE_WEAK;
int __allocsite_api_v1_check_begin(struct allocsite_check *) ALLOCSITE_WEAK;
size_t __allocsite_api_v1_check_end(struct allocsite_check *, char *, size_t) ALLOCSITE_WEAK;

/* ---- Counting, or not ---- */

/* Stops counting in all threads: no report has blocks that are allocated from here on. The free of a block
 * that was counted before is still counted, so that live blocks stay correct; a realloc of it counts as its
 * free. Other threads may still count the calls that they are in. Signal-safe. EALREADY: counting is stopped.
 * ENOSYS: there is no runtime, or it is off. */
static inline int allocsite_stop(void) {
    return __allocsite_api_v1_stop ? __allocsite_api_v1_stop() : ENOSYS;
}

/* Starts counting again. Calls of stop and start do not nest. Signal-safe. With enabled=0 this starts
 * counting, and the report at exit, in a dynamic executable that calls this function itself or in its
 * libraries. EALREADY: threads are counting. ENOSYS: as above. */
static inline int allocsite_start(void) {
    return __allocsite_api_v1_start ? __allocsite_api_v1_start() : ENOSYS;
}

/* Starts counting, if it is stopped, and counts into a profile from here on, like the option profile: path
 * has the same patterns, and forked children get their own profiles. The profile includes earlier counts.
 * Needs a process with one thread; not signal-safe. EALREADY: there is a profile. EBUSY: there are other
 * threads. EIO: the file cannot be made, and standard error has the reason. ENOSYS: as above. */
static inline int allocsite_start_profile(const char *path) {
    return __allocsite_api_v1_start_profile ? __allocsite_api_v1_start_profile(path) : ENOSYS;
}

/* Returns 1 if the runtime is present, on, and not stopped, else 0. Signal-safe. */
static inline int allocsite_is_counting(void) {
    return __allocsite_api_v1_is_counting ? __allocsite_api_v1_is_counting() : 0;
}

/* Sets all counters to zero, pairs and sizes too. Blocks that are live become "inherited", as in a forked
 * child, so that live and peak stay correct. An event that another thread is counting goes to either side,
 * completely or in part. Not signal-safe. */
static inline void allocsite_reset(void) {
    if (__allocsite_api_v1_reset)
        __allocsite_api_v1_reset();
}

/* ---- Reading the counts ---- */

/* Writes a report of the counts so far, with "finished" false. format is a format of allocsite-dump report,
 * such as "json", or NULL for the option format; the other options of a report hold as well. path has the
 * patterns of the option report. The file is created for its owner alone, never through a symbolic link, and
 * gets its name when it is complete. The call waits for allocsite-dump, which writes the report. Signal-safe.
 * EINVAL: unknown format. EBADF, EIO, ENOENT, EPERM and others: allocsite-dump could not be started or could
 * not write. Standard error has the reason. */
static inline int allocsite_report(const char *path, const char *format) {
    return __allocsite_api_v1_report ? __allocsite_api_v1_report(path, format) : ENOSYS;
}

/* Like allocsite_report, to a descriptor, which stays open. */
static inline int allocsite_report_fd(int fd, const char *format) {
    return __allocsite_api_v1_report_fd ? __allocsite_api_v1_report_fd(fd, format) : ENOSYS;
}

/* Writes a report with the given options, "key=value:key=value", instead of those of the process: format, by,
 * filter, depth, sort, top, min_bytes, min_allocs, leaks, suppress, pairs, sizes and names of allocsite(7).
 * Example, live objects of at least 1 KiB by type: "format=markdown:by=type:leaks=1:min_bytes=1KiB". EINVAL:
 * an option is wrong, or its counts are missing; standard error has the reason. */
static inline int allocsite_report_to(int fd, const char *options) {
    return __allocsite_api_v1_report_to ? __allocsite_api_v1_report_to(fd, options) : ENOSYS;
}

/* Writes a profile of the counts so far (allocsite-profile(5)), in addition to a profile of the option
 * profile. path has the patterns of that option. An existing profile is replaced. */
static inline int allocsite_profile(const char *path) {
    return __allocsite_api_v1_profile ? __allocsite_api_v1_profile(path) : ENOSYS;
}

/* Like allocsite_profile, to a descriptor, which may be a pipe and stays open. */
static inline int allocsite_profile_fd(int fd) {
    return __allocsite_api_v1_profile_fd ? __allocsite_api_v1_profile_fd(fd) : ENOSYS;
}

/* Writes a snapshot of the pointers between blocks for allocsite-dump graph, like the option graph at exit.
 * path has the patterns of that option. This thread waits for allocsite-dump and handles no signal meanwhile;
 * all other threads are stopped while the heap is copied. Not signal-safe. EIO: the file cannot be made, and
 * standard error has the reason. ENOSYS: as above. */
static inline int allocsite_graph(const char *path) {
    return __allocsite_api_v1_graph ? __allocsite_api_v1_graph(path) : ENOSYS;
}

/* Returns the bytes of the block that p points to, or into, and of all blocks that can be reached from it,
 * each once. Any aligned word with an address in a block leads there. So the result is too large if a number
 * looks like an address, and includes shared objects, such as the other members of a list. This thread waits
 * for allocsite-dump and handles no signal meanwhile; all other threads are stopped while memory is copied:
 * some 10 ms, and half a second for each GiB. Not signal-safe. Returns 0 if p leads to no live block, if
 * there is no runtime or no reader, if ptrace is forbidden, or under valgrind. */
static inline size_t allocsite_deep_size(const void *p) {
    return __allocsite_api_v1_deep_size ? __allocsite_api_v1_deep_size(p) : 0;
}

/* Registers size bytes of memory at p as a root: pointers there keep blocks from being leaked, for the option
 * reach, allocsite_graph and allocsite-dump graph. Use it for memory that the program mapped itself, such as
 * an arena or the stack of a coroutine, which otherwise makes these blocks possibly leaked. The memory is
 * read at each search for leaked blocks; it may be unmapped and mapped again. A registration before counting
 * begins (enabled=0) is kept for later. A search costs time in proportion to the registered bytes.
 * Signal-safe. ENOSPC: 65,536 regions are registered. ENOMEM: no memory for the list. */
static inline int allocsite_register_root(const void *p, size_t size) {
    return __allocsite_api_v1_register_root ? __allocsite_api_v1_register_root(p, size) : ENOSYS;
}

/* Removes one registration of the same memory. Signal-safe. ENOENT: there is none. */
static inline int allocsite_unregister_root(const void *p, size_t size) {
    return __allocsite_api_v1_unregister_root ? __allocsite_api_v1_unregister_root(p, size) : ENOSYS;
}

/* The function has the name of its struct, like stat(2); g++ warns about that with -Wshadow. */
#if defined __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif

/* Reads the counts of the process so far, in time proportional to sites x threads. Signal-safe. */
static inline int allocsite_totals(struct allocsite_totals *totals) {
    return __allocsite_api_v1_totals ? __allocsite_api_v1_totals(totals) : ENOSYS;
}

#if defined __GNUC__
#pragma GCC diagnostic pop
#endif

/* Reads the counts of this thread, in time proportional to sites. Only the difference of two readings is
 * meaningful, because a thread may take over the counters of a thread that ended. Signal-safe. */
static inline int allocsite_thread_totals(struct allocsite_totals *totals) {
    return __allocsite_api_v1_thread_totals ? __allocsite_api_v1_thread_totals(totals) : ENOSYS;
}

/* ---- Phases ---- */

/* Counts the events of this thread for the phase, too, until the matching pop (allocsite-dump report
 * --by=phase). name is copied. Equal names are one phase, and NULL is no phase. Phases nest: the innermost
 * one counts. A thread starts outside of all phases, and leaves its phases when it ends. Calls in between
 * cost nothing more. In a process with phases, max_live_blocks and peak have a bound, as with several
 * threads. */
static inline void allocsite_phase_push(const char *name) {
    if (__allocsite_api_v1_phase_push)
        __allocsite_api_v1_phase_push(name);
}

static inline void allocsite_phase_pop(void) {
    if (__allocsite_api_v1_phase_pop)
        __allocsite_api_v1_phase_pop();
}

/* ---- Events ---- */

/* Calls the function, in the thread of the event, after a block was allocated or reallocated, and before one
 * is freed. filter is "key=value;key=value", or NULL for all events:
 *
 *     events=alloc,realloc,free   only these
 *     site=GLOB, type=GLOB        only owners that match, as in the option filter: "site=parse.c:*"
 *     min_size=1MiB, max_size=N   only blocks of such a size
 *     every=N                     every Nth event that matches
 *
 * The function may allocate and free; its allocations are not counted and call no function. Signals wait
 * meanwhile. The function must return. As long as one is set, every event takes the slow path; otherwise
 * events cost nothing more. EINVAL: the filter is wrong. ENOSPC: 64 pairs of function and data were set since
 * the start, including removed ones, because a thread may still be in one. ENOSYS: as above. */
static inline int allocsite_on_event(allocsite_event_function *function, void *data, const char *filter) {
    return __allocsite_api_v1_on_event ? __allocsite_api_v1_on_event(function, data, filter) : ENOSYS;
}

/* Removes the function with this data. The function itself may call this. Calls in other threads may still be
 * running. ENOENT: the pair is not set. */
static inline int allocsite_off_event(allocsite_event_function *function, void *data) {
    return __allocsite_api_v1_off_event ? __allocsite_api_v1_off_event(function, data) : ENOSYS;
}

/* ---- Memory of unknown allocators ---- */

/* Counts size bytes at p as a block of the line of this call, as if malloc had returned it. Use it for memory
 * of mmap, of a device, or of an unknown allocator. p is a multiple of 8. Nothing is counted if p is a live
 * block already. The memory is not touched. If two live blocks of 1024 bytes and more, marked or not, begin
 * in the same aligned 1024 bytes, only the first is counted, and the report says that it is not exact. This
 * is a macro, so that the line is the caller's. */
#define allocsite_mark(p, size) (allocsite_mark_block ? allocsite_mark_block((p), (size)) : (void)0)

/* Counts the block as freed. A block that was not marked is a fault of the program, as with free. NULL does
 * nothing. */
#define allocsite_unmark(p) (allocsite_unmark_block ? allocsite_unmark_block((p)) : (void)0)

/* ---- Custom allocators ---- */

/* Declares that a function hands out, or takes back, memory that it manages itself. what is "KIND [size=N]
 * ...", the right side of a line of a list; see allocsite-list(5):
 *
 *     ALLOCSITE_ALLOCATOR("alloc size=2") void *arena_alloc(struct arena *, size_t);
 *
 * The plugin needs it where the function is defined, so the definition must see this declaration. It has no
 * effect in other compilers. */
#if defined __clang__
#define ALLOCSITE_ALLOCATOR(what) __attribute__((annotate("allocsite:" what)))
#else
#define ALLOCSITE_ALLOCATOR(what)
#endif

/* ---- Tests ---- */

/* Begins a region whose allocations by this thread are counted. Regions may nest. Each must end in the same
 * thread; the caller owns the struct. Returns 0 or EINVAL, ENOMEM or ENOSYS. After an error the end returns
 * 0, so a test that must not pass then calls allocsite_is_counting first. */
static inline int allocsite_check_begin(struct allocsite_check *check) {
    if (!check)
        return EINVAL;
    check->state = NULL;
    check->size = 0;
    return __allocsite_api_v1_check_begin ? __allocsite_api_v1_check_begin(check) : ENOSYS;
}

/* Ends the region and returns the number of allocations and reallocations that this thread made in it. Writes
 * their sites to text, the most frequent first, NUL-terminated and cut to size bytes. A line looks like
 * "3 of 96 B  parse json.c:12:7 malloc". text may be NULL. Returns 0 for a region that was not begun or has
 * ended. */
static inline size_t allocsite_check_end(struct allocsite_check *check, char *text, size_t size) {
    if (text && size)
        *text = '\0';
    return __allocsite_api_v1_check_end ? __allocsite_api_v1_check_end(check, text, size) : 0;
}

#ifdef __cplusplus
}
#endif

#endif
