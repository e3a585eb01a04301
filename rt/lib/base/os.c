/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The runtime's operating-system calls. */
#define _GNU_SOURCE
#include "lib/base/os.h"

#include "base/out.h"
#include "lib/base/macros.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>

static bool wipe_refused;

bool os_fork_refused(void) {
    return __atomic_load_n(&wipe_refused, __ATOMIC_RELAXED);
}

static void memory_advise(void *memory, size_t size, enum os_fork fork) {
    /* A huge page would cost 2 MiB for the few counters that a thread touches. */
    madvise(memory, size, MADV_NOHUGEPAGE);
    /* Otherwise terabytes that were never touched would count in the size of a core file. */
    madvise(memory, size, MADV_DONTDUMP);
    if (fork == OS_FORK_WIPES && madvise(memory, size, MADV_WIPEONFORK) != 0)
        __atomic_store_n(&wipe_refused, true, __ATOMIC_RELAXED);
}

void *os_mmap(void *address, size_t size, int flags, int fd, uint64_t offset) {
    return (void *)syscall(SYS_mmap, address, size, PROT_READ | PROT_WRITE, flags, fd, offset);
}

static void *memory_map(void *address, size_t size, int flags) {
    return os_mmap(address, size, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

#define PAGE ((size_t)4096)

size_t os_whole_pages(size_t size) {
    return (size + PAGE - 1) & -PAGE;
}

uint64_t os_mapped;

static void *memory_map_more(size_t size) {
    void *memory = memory_map(NULL, size, 0);
    if (memory != MAP_FAILED)
        __atomic_fetch_add(&os_mapped, os_whole_pages(size), __ATOMIC_RELAXED);
    return memory;
}

static struct {
    char *memory;
    size_t left;
} reserve;

void os_reserve(size_t size) {
    reserve.memory = memory_map_more(size);
    reserve.left = reserve.memory == MAP_FAILED ? 0 : size;
}

/* Takes memory from the end, at most half of what is left, so that later calls find some too. */
static void *reserve_take(size_t size) {
    size_t left = __atomic_load_n(&reserve.left, __ATOMIC_RELAXED);
    size = os_whole_pages(size);
    do {
        if (size > left / 2)
            return MAP_FAILED;
    } while (!__atomic_compare_exchange_n(&reserve.left, &left, left - size, true, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    return reserve.memory + left - size;
}

void *os_map_unnoted(size_t size, enum os_fork fork) {
    void *memory = memory_map_more(size);
    if (memory == MAP_FAILED)
        memory = reserve_take(size);
    if (memory == MAP_FAILED)
        return NULL;
    memory_advise(memory, size, fork);
    return memory;
}

void *os_map(size_t size, enum os_fork fork) {
    void *memory = os_map_unnoted(size, fork);
    if (memory)
        os_note_mapping(memory, size, fork);
    return memory;
}

void *os_map_apart(size_t size, enum os_fork fork) {
    char *memory = os_map(PAGE + os_whole_pages(size) + PAGE, fork);
    if (!memory)
        return NULL;
    mprotect(memory, PAGE, PROT_NONE);
    mprotect(memory + PAGE + os_whole_pages(size), PAGE, PROT_NONE);
    return memory + PAGE;
}

void os_unmap_apart(void *memory, size_t size) {
    os_unmap((char *)memory - PAGE, PAGE + os_whole_pages(size) + PAGE);
}

bool os_map_over(void *address, size_t size, enum os_fork fork) {
    if (memory_map(address, size, MAP_FIXED) == MAP_FAILED)
        return false;
    memory_advise(address, size, fork);
    return true;
}

void os_unmap(void *memory, size_t size) {
    os_forget_mapping(memory);
    if (syscall(SYS_munmap, memory, size) == 0)
        __atomic_fetch_sub(&os_mapped, os_whole_pages(size), __ATOMIC_RELAXED);
}

void os_empty(void *memory, size_t size) {
    int error = errno;
    madvise(memory, size, MADV_DONTNEED);
    errno = error;
}

/* The kernel's limit, which may exceed the limit that the program was told (calls/limits.c). */
static uint64_t limit_of(int resource) {
    struct rlimit64 limit;
    return syscall(SYS_prlimit64, 0, resource, NULL, &limit) == 0 ? limit.rlim_cur : 0;
}

/* RLIMIT_DATA limits private writable memory, touched or not. */
uint64_t os_address_space(void) {
    uint64_t all = limit_of(RLIMIT_AS), data = limit_of(RLIMIT_DATA);
    return all < data ? all : data;
}

bool os_barriers(void) {
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void os_barrier(void) {
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

/* Instructions without effect that valgrind takes as a request (valgrind.h, "RUNNING_ON_VALGRIND"). */
bool os_is_simulated(void) {
    volatile uint64_t request[6] = {0x1001};
    uint64_t answer = 0;
    __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
                     : "+d"(answer)
                     : "a"(&request[0])
                     : "cc", "memory");
    return answer;
}

void os_yield(void) {
    syscall(SYS_sched_yield);
}

void os_sleep(long nanoseconds) {
    const struct timespec time = {.tv_nsec = nanoseconds};
    syscall(SYS_nanosleep, &time, NULL);
}

#define YIELDS    100
#define SHORT_NAP 50000 /* nanoseconds */

void os_wait(uint32_t tries) {
    tries < YIELDS ? os_yield() : os_sleep(SHORT_NAP);
}

/* The process is named by its thread's id, because a first thread that has ended has no memory any more. */
bool os_read(const void *address, uintptr_t *word) {
    int error = errno;
    struct iovec to = {word, sizeof *word}, from = {(void *)(uintptr_t)address, sizeof *word};
    bool is_read =
        syscall(SYS_process_vm_readv, os_thread(), &to, 1UL, &from, 1UL, 0UL) == (long)sizeof *word;
    errno = error;
    return is_read;
}

/* The kernel reads the signal set at that address before it checks `how`, which is invalid here. Sandboxes
 * allow the call, and it takes a tenth of the time of reading the word. valgrind would report it. */
bool os_can_read(const void *address) {
    uintptr_t word;
    int error = errno;
    bool can = os_is_simulated()
                   ? os_read(address, &word)
                   : syscall(SYS_rt_sigprocmask, -1, address, NULL, sizeof(uint64_t)) == 0 || errno == EINVAL;
    errno = error;
    return can;
}

static bool lock_try(int32_t *holder, int32_t *from) {
    return __atomic_compare_exchange_n(holder, from, os_thread(), false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

int os_lock(int32_t *holder) {
    for (uint32_t tries = 1;; tries++) {
        int32_t other = 0;
        if (lock_try(holder, &other))
            return 0;
        if (other == os_thread())
            return EBUSY;
        if (!os_thread_exists(other) && lock_try(holder, &other))
            return 0;
        os_wait(tries);
    }
}

void os_unlock(int32_t *holder) {
    __atomic_store_n(holder, 0, __ATOMIC_RELEASE);
}

/* The kernel's signal set is one word, unlike the C library's sigset_t. */
static uint64_t signals_change(int how, uint64_t set) {
    uint64_t before = 0;
    syscall(SYS_rt_sigprocmask, how, &set, &before, sizeof set);
    return before;
}

/* Touches the stack below, because an overflow while signals are blocked would end the process. */
uint64_t os_signals_hold(void) {
    char room[1024];
    __asm__ volatile("movb $0, %0" : "=m"(room[0]));
    return signals_change(SIG_BLOCK, ~(uint64_t)0);
}

void os_signals_release(uint64_t before) {
    int error = errno;
    signals_change(SIG_SETMASK, before);
    errno = error;
}

#define SIGNAL_BIT(number) ((uint64_t)1 << ((number)-1))

static const uint64_t writing_signals = SIGNAL_BIT(SIGPIPE) | SIGNAL_BIT(SIGXFSZ);

static uint64_t signals_pending(void) {
    uint64_t pending = 0;
    syscall(SYS_rt_sigpending, &pending, sizeof pending);
    return pending;
}

void os_writing_begin(struct os_writing *before) {
    before->mask = signals_change(SIG_BLOCK, writing_signals);
    before->pending = signals_pending();
}

void os_writing_end(const struct os_writing *before) {
    int error = errno;
    const struct timespec at_once = {0, 0};
    uint64_t ours = signals_pending() & writing_signals & ~before->pending;
    while (ours && syscall(SYS_rt_sigtimedwait, &ours, NULL, &at_once, sizeof ours) < 0 && errno == EINTR)
        ;
    signals_change(SIG_SETMASK, before->mask);
    errno = error;
}

int os_say_to(int fd, const char *const *parts) {
    char line[1024];
    struct out out;
    out_open_memory(&out, line, sizeof line);
    out_text(&out, "allocsite: ");
    for (; *parts; parts++)
        out_plain(&out, *parts);
    size_t used = strlen(line);
    line[used++] = '\n'; /* replaces the NUL */
    return os_write(fd, line, used);
}

void os_say_parts(const char *const *parts) {
    if (os_may_write(STDERR_FILENO))
        os_say_to(STDERR_FILENO, parts);
}

#ifdef ALLOCSITE_CHECKED

void os_broken(const char *invariant) {
    os_say_parts((const char *const[]){"broken invariant: ", invariant, NULL});
    os_signals_release(0);
    abort();
}

#endif

/* Returns 0 if a sandbox refuses the call. */
static uint64_t read_clock(clockid_t clock) {
    struct timespec now;
    if (clock_gettime(clock, &now) != 0)
        return 0;
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t os_now(void) {
    return read_clock(CLOCK_REALTIME);
}

uint64_t os_now_coarse(void) {
    return read_clock(CLOCK_REALTIME_COARSE);
}

uint64_t os_monotonic(void) {
    return read_clock(CLOCK_MONOTONIC);
}
