/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Looking at the process while all its threads stand still. */
#define _GNU_SOURCE
#include "lib/reach/still.h"

#include "base/interrupted.h"
#include "base/words.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/os.h"
#include "lib/heap/next.h"
#include "lib/walk/walk.h"
#include "lib/who/modules.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Stopping the other threads of the process. All by plain system calls: the C library's functions would
 * act on the cancellation of the thread whose thread-local memory is borrowed here. */

#define MOST_THREADS ((uint32_t)1 << 20)
#define MOST_PASSES  100
#define PATIENCE_MS  2000
#define THREADS_SIZE (MOST_THREADS * sizeof(struct stopped_thread))

static const char refused[] =
    "other threads cannot be stopped: ptrace is not permitted, or a debugger has them";
static const char restless[] = "other threads cannot be stopped: they start new ones faster than that";
static const char stuck[] = "other threads cannot be stopped: one waits in the kernel";

static int open_status(const struct stop *stop, int32_t id) {
    char path[] = "0000000000/stat";
    return (int)syscall(SYS_openat, stop->tasks, digits_before(path + 10, (uint32_t)id, 10),
                        O_RDONLY | O_CLOEXEC);
}

/* "id (name) S ...": the name may hold anything. Z and X are dead. */
static bool is_dead(const struct stop *stop, int32_t id) {
    char text[256];
    int fd = open_status(stop, id);
    if (fd < 0)
        return errno == ENOENT;
    long count = syscall(SYS_read, fd, text, sizeof text - 1);
    syscall(SYS_close, fd);
    if (count <= 0)
        return true;
    text[count] = '\0';
    const char *state = strrchr(text, ')');
    return state && state[1] && (state[2] == 'Z' || state[2] == 'X');
}

static bool is_stopped(const struct stop *stop, int32_t id) {
    for (uint32_t i = 0; i < stop->count; i++)
        if (stop->threads[i].id == id)
            return true;
    return false;
}

/* Asks it to stop without a signal, which the program could see. */
static const char *ask(struct stop *stop, int32_t id) {
    if (syscall(SYS_ptrace, PTRACE_SEIZE, (long)id, 0L, 0L) != 0)
        return errno == ESRCH || is_dead(stop, id) ? NULL : refused;
    if (syscall(SYS_ptrace, PTRACE_INTERRUPT, (long)id, 0L, 0L) == 0)
        stop->threads[stop->count++].id = id;
    return NULL;
}

static const char *ask_new(struct stop *stop, const char *name) {
    int32_t id = (int32_t)digits_read(name);
    if (!id || id == stop->caller || is_stopped(stop, id))
        return NULL;
    return stop->count < MOST_THREADS ? ask(stop, id) : "too many threads";
}

/* An entry that getdents64 gives. */
struct entry {
    uint64_t inode;
    int64_t offset;
    uint16_t size;
    uint8_t type;
    char name[];
};

static const char *ask_all(struct stop *stop) {
    _Alignas(struct entry) char entries[4096];
    long count;
    syscall(SYS_lseek, stop->tasks, 0L, SEEK_SET);
    while ((count = syscall(SYS_getdents64, stop->tasks, entries, sizeof entries)) > 0)
        for (long at = 0; at < count; at += ((const struct entry *)(entries + at))->size) {
            const char *reason = ask_new(stop, ((const struct entry *)(entries + at))->name);
            if (reason)
                return reason;
        }
    return count == 0 ? NULL : "/proc/self/task cannot be read";
}

/* A signal that the thread was about to take is given back to it in the end. */
static void note_signal(struct stopped_thread *thread, int status) {
    thread->signal = WIFSTOPPED(status) && status >> 16 != PTRACE_EVENT_STOP ? WSTOPSIG(status) : 0;
}

static bool has_stopped(struct stopped_thread *thread) {
    int status = 0;
    long id = syscall(SYS_wait4, (long)thread->id, &status, __WALL | WNOHANG, NULL);
    if (id == thread->id)
        note_signal(thread, status);
    return id == thread->id || (id < 0 && errno == ECHILD);
}

/* Whether the thread has stopped or ended. It may be in a call that nothing interrupts. The first thread,
 * when it has ended before the others, is not waited for in vain: its death is not told. */
static bool await(const struct stop *stop, struct stopped_thread *thread, int *patience) {
    for (int tries = 0; !has_stopped(thread); tries++) {
        if (tries < 100) {
            os_yield();
            continue;
        }
        if (is_dead(stop, thread->id))
            return true;
        if (--*patience < 0)
            return false;
        os_sleep(1000000); /* a millisecond */
    }
    return true;
}

static size_t get_set(int32_t id, long set, void *to, size_t size) {
    struct iovec vector = {.iov_base = to, .iov_len = size};
    return syscall(SYS_ptrace, PTRACE_GETREGSET, (long)id, set, &vector) == 0 ? vector.iov_len : 0;
}

static void read_thread(int32_t id, struct registers *registers) {
    struct user_regs_struct *general = (struct user_regs_struct *)registers->words;
    if (!get_set(id, NT_PRSTATUS, general, sizeof *general))
        return;
    if (interrupted_hide(general))
        syscall(SYS_ptrace, PTRACE_SETREGSET, (long)id, (long)NT_PRSTATUS,
                &(struct iovec){general, sizeof *general});
    registers->sp = general->rsp;
    registers->tp = general->fs_base;
    get_set(id, NT_X86_XSTATE, general + 1, sizeof registers->words - sizeof *general);
}

static const char *read_registers(struct stop *stop) {
    stop->registers = os_map(stop->count * sizeof *stop->registers + 1, OS_FORK_KEEPS);
    for (uint32_t i = 0; stop->registers && i < stop->count; i++)
        read_thread(stop->threads[i].id, &stop->registers[i]);
    return stop->registers ? NULL : "out of memory";
}

/* Stops all threads but the caller. NULL, or why not. To be followed by stop_end either way. */
static const char *stop_begin(struct stop *stop) {
    int patience = PATIENCE_MS;
    stop->count = 0;
    stop->threads = os_map(THREADS_SIZE, OS_FORK_KEEPS);
    if (!stop->threads)
        return "out of memory";
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        uint32_t before = stop->count;
        const char *reason = ask_all(stop);
        if (reason)
            return reason;
        if (stop->count == before)
            return read_registers(stop);
        for (uint32_t i = before; i < stop->count; i++)
            if (!await(stop, &stop->threads[i], &patience))
                return stuck;
    }
    return restless;
}

/* Threads that cannot be let go here, because they have not stopped, are let go by the kernel when this
 * process ends. */
static void stop_end(struct stop *stop) {
    for (uint32_t i = 0; stop->threads && i < stop->count; i++)
        syscall(SYS_ptrace, PTRACE_DETACH, (long)stop->threads[i].id, 0L, (long)stop->threads[i].signal);
}

static void stop_release(struct stop *stop) {
    if (stop->threads)
        os_unmap(stop->threads, THREADS_SIZE);
    if (stop->registers)
        os_unmap(stop->registers, stop->count * sizeof *stop->registers + 1);
}

/* ---- Looking at the process while all its threads stand still. */

#define STACK_SIZE ((size_t)256 << 10)
#define GUARD_SIZE ((size_t)64 << 10) /* at least a page, however large */

struct roots still_roots(const struct still *still) {
    return (struct roots){.modules = &still->modules,
                          .stop = &still->stop,
                          .caller = still->caller,
                          .registers = still->registers,
                          .loader = still->loader};
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

/* The handler of exit that is at work, and the functions that call such. */
static struct walk_exit exit_call;

void still_note_exit(const void *frame) {
    exit_call.frame = (uintptr_t)frame;
}

/* Not at exit: another thread could hold the dynamic loader's lock for ever. */
__attribute__((constructor)) static void find_exit(void) {
#ifdef ALLOCSITE_STATIC
    exit_call.functions[0] = (uintptr_t)exit;
    exit_call.functions[1] = (uintptr_t)quick_exit;
#else
    exit_call.functions[0] = (uintptr_t)next_behind("exit");
    exit_call.functions[1] = (uintptr_t)next_behind("quick_exit");
#endif
}

static COLD const char *look_from_here(struct still *still) {
    int32_t process = os_process(), thread = (int32_t)syscall(SYS_gettid);
    still->stop = (struct stop){
        .tasks = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
        .process = process,
        .caller = thread};
    walk_to_program(still->registers, &exit_call);
    still->caller = (struct caller){still->registers[CFI_RSP], thread_pointer(), process == thread};
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
    WALK_REGISTERS(still->registers);
    const char *reason = look_from_here(still);
    errno = error; /* and so the call is none that leaves this frame */
    return reason;
}
