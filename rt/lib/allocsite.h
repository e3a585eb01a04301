/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite: exact allocation counts for each call site. The interface for programs that are profiled.
 *
 * A program needs nothing of this: compiled with the plugin and linked with -lallocsite it is counted. This
 * header is for programs that want to look at what was counted, divide it, or test it, and for those that
 * bring their own options. It needs no library: where the runtime is absent every function does nothing and
 * costs a test of an address; where it is off (enabled=0) every function does nothing.
 *
 * Unless said otherwise all functions may be called from any thread at any time, change neither errno nor any
 * counter, and allocate nothing that is counted. Those marked "signal-safe" may be called in a signal
 * handler. Functions that return int return 0 or an error number of <errno.h>: ENOSYS where the runtime is
 * absent or off, EINVAL for a NULL that is not allowed and for a name that is not known.
 *
 * Names and words (site, owner, live, peak, phase) are those of allocsite(7). */
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

/* To be defined by the program, if it likes to: returns the options that hold where the environment variable
 * ALLOCSITE_OPTIONS does not say otherwise, in the same form: "key=value:key=value". allocsite.7 lists the
 * keys. NULL means none.
 *
 * Called once per process, possibly before main and before any constructor has run, from whichever
 * thread allocates first: it should just return a string literal. The string stays the program's and must
 * stay valid. It must not throw. In a shared library or an executable it needs default visibility. A
 * set-user-id program ignores the environment, but not this function.
 */
const char *__allocsite_default_options(void);

/* Sums over all sites and unsited allocations of the process, or what one thread did. The fields are those of
 * "totals" in the JSON report: calls and blocks are counts, the rest is bytes as the program asked for them.
 * With the option owners=0 nothing is known to be freed, so all that came is live. */
struct allocsite_totals {
    uint64_t allocs, alloc_bytes;
    uint64_t reallocs, realloc_bytes, realloc_old_bytes;
    uint64_t frees, freed_bytes;
    uint64_t moved, moved_bytes;
    uint64_t failed;
    int64_t live_blocks,
        live_bytes; /* of one thread: what it allocated less what it freed, which may be negative */
    uint64_t peak_blocks, peak_bytes; /* of one thread: 0 */
};

/* A region of code that is checked: see allocsite_check_begin. Its fields are the runtime's. */
struct allocsite_check {
    void *state;
    size_t size;
};

/* What happened to a block. The struct and its texts are there for the call alone; later versions may have
 * more at its end. NULL and 0: not known. */
enum allocsite_event_kind {
    ALLOCSITE_EVENT_ALLOC = 1,
    ALLOCSITE_EVENT_REALLOC = 2,
    ALLOCSITE_EVENT_FREE = 4
};
struct allocsite_event {
    int kind;          /* enum allocsite_event_kind */
    const void *block; /* of a free it is still there */
    size_t size;
    size_t old_size; /* of a realloc */
    uint64_t site;   /* the id of the block's owner; of unsited ones 0 */
    const char *function, *file;
    unsigned line, column;
    const char *callee, *type, *module;
    uint64_t address; /* of unsited ones: where they return to, as the module's file has it */
    uint64_t allocs;  /* with reallocations, of the owner so far; of a free before it */
    uint64_t live_blocks, live_bytes;
};
typedef void allocsite_event_function(const struct allocsite_event *, void *data);

/* Entry points by which the functions below reach the runtime: not to be used. */
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

/* Stops counting in all threads: blocks that are allocated from here on are in no report, now or later.
 * Blocks that were counted before are still counted when they are freed, so that what is live stays right.
 * Calls that are under way in other threads may be counted still. A realloc of a counted block is its free.
 * Signal-safe. EALREADY: they have been stopped. ENOSYS: there is no runtime, or it is off. */
static inline int allocsite_stop(void) {
    return __allocsite_api_v1_stop ? __allocsite_api_v1_stop() : ENOSYS;
}

/* Goes on. Calls of stop and start do not nest. Signal-safe. With enabled=0, in a dynamic executable that has
 * this call itself or in its libraries, counting begins here, and a report comes if it has. EALREADY: they
 * are counting. ENOSYS: as above. */
static inline int allocsite_start(void) {
    return __allocsite_api_v1_start ? __allocsite_api_v1_start() : ENOSYS;
}

/* Goes on, or has been counting already, from here on in a profile, as if the option profile had been given:
 * path is as there, and forked children get profiles of their own. What was counted before is in it as well;
 * with the option stopped=1 that is nothing. While the process has one thread; not signal-safe. EALREADY:
 * there is a profile. EBUSY: there are other threads. EIO: it cannot be made, and standard error tells why.
 * ENOSYS: as above. */
static inline int allocsite_start_profile(const char *path) {
    return __allocsite_api_v1_start_profile ? __allocsite_api_v1_start_profile(path) : ENOSYS;
}

/* 1: the runtime is there, on, and not stopped. Signal-safe. */
static inline int allocsite_is_counting(void) {
    return __allocsite_api_v1_is_counting ? __allocsite_api_v1_is_counting() : 0;
}

/* Starts all counters afresh. Blocks that are live then are "inherited" by what follows, as by a forked
 * child, so that live and peak stay right. Counts of other threads that are under way go to either side, each
 * whole or in part. Pairs and sizes start afresh too. Not signal-safe. */
static inline void allocsite_reset(void) {
    if (__allocsite_api_v1_reset)
        __allocsite_api_v1_reset();
}

/* ---- Getting at what was counted ---- */

/* Writes a report of what was counted so far: "finished" is false. format: any of
 * allocsite-dump report, "json" for one; NULL: as the options say, which also hold for the rest. path: with
 * the patterns of the option report; the file is made for its owner alone and has its name when it is whole,
 * never through a symbolic link. allocsite-dump writes it, and this call waits for that. Signal-safe. EINVAL:
 * there is no such format, which is told on standard error. EBADF, EIO, ENOENT, EPERM and others: it could
 * not be started, or could not write, and standard error tells why. */
static inline int allocsite_report(const char *path, const char *format) {
    return __allocsite_api_v1_report ? __allocsite_api_v1_report(path, format) : ENOSYS;
}

/* The same to a descriptor, which stays open. */
static inline int allocsite_report_fd(int fd, const char *format) {
    return __allocsite_api_v1_report_fd ? __allocsite_api_v1_report_fd(fd, format) : ENOSYS;
}

/* Writes a report with options of its own, "key=value:key=value", whatever those of the process say: format,
 * by, filter, depth, sort, top, min_bytes, min_allocs, leaks, suppress, pairs, sizes and names of
 * allocsite(7). The live objects of each type, of at least 1 KiB:
 * "format=markdown:by=type:leaks=1:min_bytes=1KiB". EINVAL: an option is wrong, or what it shows is not
 * counted; which is told on standard error. */
static inline int allocsite_report_to(int fd, const char *options) {
    return __allocsite_api_v1_report_to ? __allocsite_api_v1_report_to(fd, options) : ENOSYS;
}

/* Writes a profile of what was counted so far (allocsite-profile(5)), whether or not there is one by the
 * option profile. path: with the patterns of that option; a profile that is there is replaced. */
static inline int allocsite_profile(const char *path) {
    return __allocsite_api_v1_profile ? __allocsite_api_v1_profile(path) : ENOSYS;
}

/* The same to a descriptor, which may be a pipe and stays open. */
static inline int allocsite_profile_fd(int fd) {
    return __allocsite_api_v1_profile_fd ? __allocsite_api_v1_profile_fd(fd) : ENOSYS;
}

/* Writes a snapshot of which blocks point to which, for allocsite-dump graph, as the option graph does at
 * exit: path is as there. allocsite-dump writes it: this thread waits for that and handles no signal, and all
 * others stand still while the heap is copied. Not signal-safe. EIO: it cannot be made, and standard error
 * tells why. ENOSYS: as above. */
static inline int allocsite_graph(const char *path) {
    return __allocsite_api_v1_graph ? __allocsite_api_v1_graph(path) : ENOSYS;
}

/* Bytes of the block that p points to, or into, and of all blocks that can be reached from it, each once:
 * what an object takes with all that it leads to. Any aligned word with an address in a block leads there, so
 * it is too much where a number looks like one, and where an object leads to what others have too, a list's
 * other members for one. allocsite-dump, which this thread waits for and handles no signal meanwhile, copies
 * all memory while the other threads stand still: some 10 ms, and half a second for each GiB. Not
 * signal-safe. 0: p leads to no live block; or it cannot be told, where there is no runtime or no reader,
 * ptrace is forbidden or valgrind runs the program. */
static inline size_t allocsite_deep_size(const void *p) {
    return __allocsite_api_v1_deep_size ? __allocsite_api_v1_deep_size(p) : 0;
}

/* Registers size bytes of memory at p as a root: blocks to which pointers there lead are not lost, for the
 * option reach, allocsite_graph and allocsite-dump graph. For memory that the program mapped itself, such as
 * an arena or the stack of a coroutine, which otherwise makes these blocks possibly lost. The memory is read
 * when blocks are searched for; it may be unmapped and mapped again. Before counting begins
 * (enabled=0) the registration is kept for later. Costs time in proportion to the registered bytes.
 * Signal-safe. ENOSPC: 65,536 regions are registered. ENOMEM: no memory for the list. */
static inline int allocsite_register_root(const void *p, size_t size) {
    return __allocsite_api_v1_register_root ? __allocsite_api_v1_register_root(p, size) : ENOSYS;
}

/* Takes back one registration of the same memory. Signal-safe. ENOENT: there is none. */
static inline int allocsite_unregister_root(const void *p, size_t size) {
    return __allocsite_api_v1_unregister_root ? __allocsite_api_v1_unregister_root(p, size) : ENOSYS;
}

/* It has the name of its struct, as stat(2) has, which g++ tells with -Wshadow. */
#if defined __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif

/* Counts of the process so far. Costs time in proportion to sites x threads. Signal-safe. */
static inline int allocsite_totals(struct allocsite_totals *totals) {
    return __allocsite_api_v1_totals ? __allocsite_api_v1_totals(totals) : ENOSYS;
}

#if defined __GNUC__
#pragma GCC diagnostic pop
#endif

/* Counts of this thread. It may have taken over the counters of a thread that ended, so only the difference
 * of two readings means anything. Costs time in proportion to sites. Signal-safe. */
static inline int allocsite_thread_totals(struct allocsite_totals *totals) {
    return __allocsite_api_v1_thread_totals ? __allocsite_api_v1_thread_totals(totals) : ENOSYS;
}

/* ---- Phases ---- */

/* Events that this thread counts from here to the matching pop belong to the phase as well as to its sites
 * (allocsite-dump report --by=phase). name is copied; equal names are one phase, and NULL is none. Phases
 * nest: the innermost one counts. A thread starts outside of all phases, and leaves those that it is in when
 * it ends. Costs nothing to calls in between; of a process with phases max_live_blocks and peak are told
 * within a bound, as with several threads. */
static inline void allocsite_phase_push(const char *name) {
    if (__allocsite_api_v1_phase_push)
        __allocsite_api_v1_phase_push(name);
}

static inline void allocsite_phase_pop(void) {
    if (__allocsite_api_v1_phase_pop)
        __allocsite_api_v1_phase_pop();
}

/* ---- Being told of events ---- */

/* Has the function called, by whatever thread it is, when a block has been allocated or reallocated, and
 * before one is freed, from here on. filter: "key=value;key=value", NULL for all events:
 *
 *     events=alloc,realloc,free   only these
 *     site=GLOB, type=GLOB        of owners that match, as the option filter has it: "site=parse.c:*"
 *     min_size=1MiB, max_size=N   of blocks of such a size
 *     every=N                     every Nth of what matches
 *
 * The function may allocate and free: what it allocates is not counted as the program's, and calls no
 * function. Signals wait meanwhile. It must return. While there is none, this costs nothing; as long as there
 * is one, every event takes the slow way. EINVAL: the filter is wrong. ENOSPC: 64 pairs of function and
 * data were set since the start, removed ones among them, for a thread may still be in one. ENOSYS: as
 * above. */
static inline int allocsite_on_event(allocsite_event_function *function, void *data, const char *filter) {
    return __allocsite_api_v1_on_event ? __allocsite_api_v1_on_event(function, data, filter) : ENOSYS;
}

/* No longer, for this function with this data, which may itself call it; calls that are under way in other
 * threads go on. ENOENT: it is not called. */
static inline int allocsite_off_event(allocsite_event_function *function, void *data) {
    return __allocsite_api_v1_off_event ? __allocsite_api_v1_off_event(function, data) : ENOSYS;
}

/* ---- Memory that no known allocator gave ---- */

/* Counts size bytes at p as a block of the line of this call, as if malloc had returned it: for memory of
 * mmap, of a device, of an allocator that allocsite does not know. p is a multiple of 8. A block that is live
 * already stays what it is, and nothing is counted. The memory is not touched. Of two live blocks of 1024
 * bytes and more, marked or not, that begin in the same aligned 1024 bytes, only the first can be counted;
 * the report then says that it is not exact. A macro, so that the line is the caller's. */
#define allocsite_mark(p, size) (allocsite_mark_block ? allocsite_mark_block((p), (size)) : (void)0)

/* Counts that block as freed. One that was not marked is a fault of the program, as with free; NULL is none.
 */
#define allocsite_unmark(p) (allocsite_unmark_block ? allocsite_unmark_block((p)) : (void)0)

/* ---- Custom allocators ---- */

/* Says of a function that it hands out, or takes back, memory that it manages itself: what = "KIND [size=N]
 * ..." as on the right side of a line of a list of allocators, see allocsite-list(5):
 *
 *     ALLOCSITE_ALLOCATOR("alloc size=2") void *arena_alloc(struct arena *, size_t);
 *
 * For the plugin where the function is defined, so the definition has to see this declaration. For a compiler
 * without the plugin it says nothing, and costs nothing. */
#if defined __clang__
#define ALLOCSITE_ALLOCATOR(what) __attribute__((annotate("allocsite:" what)))
#else
#define ALLOCSITE_ALLOCATOR(what)
#endif

/* ---- Tests ---- */

/* Begins a region in which the allocations of this thread are looked at. Regions may nest. Each needs its
 * end, in the same thread; the struct stays the caller's. 0 or an error number (EINVAL, ENOMEM, ENOSYS), with
 * which the end returns 0 as well: a test that must not pass then asks allocsite_is_counting first. */
static inline int allocsite_check_begin(struct allocsite_check *check) {
    if (!check)
        return EINVAL;
    check->state = NULL;
    check->size = 0;
    return __allocsite_api_v1_check_begin ? __allocsite_api_v1_check_begin(check) : ENOSYS;
}

/* Ends the region: how many allocations and reallocations this thread made in it. The sites that made them
 * are written to text, one line each, the most frequent first, NUL-terminated and cut to size bytes. A line
 * is as "3 of 96 B  parse json.c:12:7 malloc". text may be NULL. Returns 0 for a region that was not begun or
 * has ended. */
static inline size_t allocsite_check_end(struct allocsite_check *check, char *text, size_t size) {
    if (text && size)
        *text = '\0';
    return __allocsite_api_v1_check_end ? __allocsite_api_v1_check_end(check, text, size) : 0;
}

#ifdef __cplusplus
}
#endif

#endif
