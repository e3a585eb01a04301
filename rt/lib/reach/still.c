/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Looking at the process while all its threads stand still. */
#define _GNU_SOURCE
#include "lib/reach/still.h"

#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/os.h"
#include "lib/base/os_process.h"
#include "lib/who/modules.h"

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

struct roots still_roots(const struct still *still) {
    return (struct roots){
        .modules = &still->modules, .stop = &still->stop, .caller = still->caller, .loader = still->loader};
}

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

static int second_process(void *context) {
    struct still *still = context;
    catch_faults();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != still->stop.process)
        return 1;
    still->begun = os_monotonic();
    const char *reason = stop_begin(&still->stop);
    if (!reason)
        reason = still->look(still);
    stop_end(&still->stop);
    still->reason = reason;
    return 0;
}

/* ---- in the first ---- */

/* Without a signal at its end, so that no wait of the program's sees it, and left out of what traces this
 * one. */
static bool run(struct still *still, char *stack) {
    const int flags = CLONE_VM | CLONE_VFORK | CLONE_FILES | CLONE_UNTRACED;
    uint64_t signals = os_signals_hold();
    prctl(PR_SET_PTRACER, (unsigned long)still->stop.process); /* and descendants, under Yama */
    int id = clone(second_process, stack + GUARD_SIZE + STACK_SIZE, flags, still);
    prctl(PR_SET_PTRACER, 0UL);
    while (id > 0 && syscall(SYS_wait4, (long)id, NULL, __WALL, NULL) < 0 && errno == EINTR)
        ;
    os_signals_release(signals);
    return id > 0;
}

static void run_on_stack(struct still *still) {
    const size_t size = GUARD_SIZE + STACK_SIZE + GUARD_SIZE;
    char *stack = os_map(size, OS_FORK_KEEPS);
    still->reason = "out of memory";
    if (!stack)
        return;
    mprotect(stack, GUARD_SIZE, PROT_NONE);
    mprotect(stack + GUARD_SIZE + STACK_SIZE, GUARD_SIZE, PROT_NONE);
    still->reason = "the search ended early";
    if (!run(still, stack))
        still->reason = "no process can be started for it";
    os_unmap(stack, size);
}

/* Modules come and go only under the lock that dl_iterate_phdr holds. The C library takes the second process
 * for the thread that has it. */
static int visit_first(struct dl_phdr_info *object, size_t size, void *context) {
    struct still *still = context;
    (void)object;
    (void)size;
    if (modules_data_read(&still->modules))
        run_on_stack(still);
    else
        still->reason = "out of memory";
    return 1;
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

static COLD const char *look_from_here(struct still *still) {
    int32_t process = os_process(), thread = (int32_t)syscall(SYS_gettid);
    still->stop = (struct stop){
        .tasks = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
        .process = process,
        .caller = thread};
    still->caller =
        (struct caller){(uintptr_t)__builtin_frame_address(0), thread_pointer(), process == thread};
    still->loader = loader_module();
    if (still->stop.tasks < 0)
        return "/proc/self/task cannot be opened";
    dl_iterate_phdr(visit_first, still);
    syscall(SYS_close, still->stop.tasks);
    stop_release(&still->stop);
    modules_data_release(&still->modules);
    return still->reason;
}

const char *still_look(struct still *still, const char *(*look)(struct still *), void *context) {
    int error = errno;
    *still = (struct still){.look = look, .context = context};
    if (os_is_simulated())
        return "valgrind runs the program and does not let it search";
    __builtin_unwind_init(); /* the callers' registers onto the stack, above the frame of the search */
    const char *reason = look_from_here(still);
    errno = error; /* and so the call is none that leaves this frame */
    return reason;
}
