/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finding lost blocks: the process that looks, and what it does.
 *
 * ptrace stops only threads of another process. So a second one is started that shares this one's memory, as
 * vfork does, but has a stack of its own; the caller waits in the kernel until it is done. It stops the other
 * threads, searches, and lets them run on. If it meets memory that cannot be read against expectation, it
 * ends and the program does not. */
#define _GNU_SOURCE
#include "lib/reach/reach.h"

#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/state.h"
#include "lib/who/modules.h"

#include "lib/base/os.h"
#include "lib/reach/roots.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_SIZE ((size_t)256 << 10)
#define GUARD_SIZE ((size_t)64 << 10) /* at least a page, however large */

struct search {
    struct modules_data modules;
    struct blocks blocks;
    struct maps maps;
    struct stop stop;
    struct caller caller;
    const struct module *loader;
    const char *reason; /* why there is no answer; NULL: there is one */
};

/* ---- in the second process ---- */

static void give_up(int signal) {
    (void)signal;
    syscall(SYS_exit_group, 1);
}

static void catch_faults(void) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGSYS};
    const struct sigaction action = {.sa_handler = give_up};
    uint64_t mask = ~(uint64_t)0;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        sigaction(faults[i], &action, NULL);
        mask &= ~((uint64_t)1 << (faults[i] - 1));
    }
    os_signals_release(mask);
}

/* The mappings are read before the blocks are: so memory for these is in none of them, and no root that is
 * taken to reach to the end of its mapping holds a copy of every address. */
static const char *search_stopped(struct search *search) {
    struct roots roots = {&search->maps, &search->modules, &search->stop, search->caller, search->loader};
    const char *reason = maps_read(&search->maps);
    if (reason)
        return reason;
    reason = blocks_collect(&search->blocks);
    if (reason)
        return reason;
    roots_search(&roots, &search->blocks);
    for (const struct live_block *block; (block = blocks_take(&search->blocks));)
        search_span(&search->maps, &search->blocks, (struct span){block->start, block->start + block->size});
    return NULL;
}

static int second_process(void *context) {
    struct search *search = context;
    catch_faults();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != search->stop.process)
        return 1;
    const char *reason = stop_begin(&search->stop);
    if (!reason)
        reason = search_stopped(search);
    stop_end(&search->stop);
    search->reason = reason;
    return 0;
}

/* ---- in the first ---- */

/* Without a signal at its end, so that no wait of the program's sees it, and left out of what traces this
 * one. */
static bool run(struct search *search, char *stack) {
    const int flags = CLONE_VM | CLONE_VFORK | CLONE_FILES | CLONE_UNTRACED;
    uint64_t signals = os_signals_hold();
    prctl(PR_SET_PTRACER, (unsigned long)search->stop.process); /* and descendants, under Yama */
    int id = clone(second_process, stack + GUARD_SIZE + STACK_SIZE, flags, search);
    prctl(PR_SET_PTRACER, 0UL);
    while (id > 0 && syscall(SYS_wait4, (long)id, NULL, __WALL, NULL) < 0 && errno == EINTR)
        ;
    os_signals_release(signals);
    return id > 0;
}

static void run_on_stack(struct search *search) {
    const size_t size = GUARD_SIZE + STACK_SIZE + GUARD_SIZE;
    char *stack = os_map(size, OS_FORK_KEEPS);
    search->reason = "out of memory";
    if (!stack)
        return;
    mprotect(stack, GUARD_SIZE, PROT_NONE);
    mprotect(stack + GUARD_SIZE + STACK_SIZE, GUARD_SIZE, PROT_NONE);
    search->reason = "the search ended early";
    if (!run(search, stack))
        search->reason = "no process can be started for it";
    os_unmap(stack, size);
}

/* Modules come and go only under the lock that dl_iterate_phdr holds. The C library takes the second process
 * for the thread that has it. */
static int visit_first(struct dl_phdr_info *object, size_t size, void *context) {
    struct search *search = context;
    (void)object;
    (void)size;
    if (modules_data_read(&search->modules))
        run_on_stack(search);
    else
        search->reason = "out of memory";
    return 1;
}

static void tell(const struct blocks *blocks, void (*lost)(void *, const void *, const struct block *),
                 void *context) {
    for (uint32_t i = 0; i < blocks->count; i++) {
        const struct live_block *live = &blocks->all[i];
        const struct block block = {
            .state = BLOCK_LIVE, .family = live->family, .slot = live->slot, .size = live->size};
        if (!live->reached)
            lost(context, (const void *)live->start, &block);
    }
}

static void release(struct search *search) {
    blocks_release(&search->blocks);
    maps_release(&search->maps);
    modules_data_release(&search->modules);
}

#ifdef ALLOCSITE_STATIC

static const struct module *loader_module(void) {
    return NULL;
}

#else

static const struct module *loader_module(void) {
    const struct module *loader = module_of((const void *)_r_debug.r_ldbase);
    return loader && loader->known ? loader : NULL;
}

#endif

static COLD const char *search_from_here(void (*lost)(void *, const void *, const struct block *),
                                         void *context) {
    int32_t process = os_process(), thread = (int32_t)syscall(SYS_gettid);
    struct search search = {
        .stop = {.tasks = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/task",
                                       O_RDONLY | O_DIRECTORY | O_CLOEXEC),
                 .process = process,
                 .caller = thread},
        .caller = {(uintptr_t)__builtin_frame_address(0), thread_pointer(), process == thread},
        .loader = loader_module(),
    };
    if (search.stop.tasks < 0)
        return "/proc/self/task cannot be opened";
    dl_iterate_phdr(visit_first, &search);
    syscall(SYS_close, search.stop.tasks);
    if (!search.reason)
        tell(&search.blocks, lost, context);
    release(&search);
    return search.reason;
}

const char *reach_search(void (*lost)(void *context, const void *p, const struct block *), void *context) {
    int error = errno;
    __builtin_unwind_init(); /* the callers' registers onto the stack, above the frame of the search */
    const char *reason = search_from_here(lost, context);
    errno = error; /* and so the call is none that leaves this frame */
    return reason;
}

const char *reach_find_lost(void (*lost)(void *context, const void *p, const struct block *), void *context) {
    if (os_is_simulated())
        return "valgrind runs the program and does not let it search";
    return holes_hide_blocks() ? "not all blocks of the process are known" : reach_search(lost, context);
}
