/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes a stopped thread execute a system call, or a function. */
#include "dump/process/process.h"
#include "dump/stop/stop.h"

#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CODE_OF_64_BITS = 0x33, LENGTH = 2 };

static const unsigned char instruction[LENGTH] = {0x0f, 0x05}, trap[] = {0xcc};

/* ---- Choosing a thread. */

/* Calls with a temporary signal mask, which the kernel restores at their end. Setting another mask would lose
 * it. */
static bool has_own_mask(const struct user_regs_struct *registers) {
    switch (registers->orig_rax) {
    case SYS_rt_sigsuspend:
        return true;
    case SYS_ppoll:
        return registers->r10;
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
    case SYS_io_uring_enter:
        return registers->r8;
    case SYS_pselect6:
    case SYS_io_pgetevents:
        return registers->r9;
    default:
        return false;
    }
}

/* The kernel restarts an interrupted critical section (rseq(2)). If the thread executed another instruction
 * in between, it would not restart the call. */
static bool is_in_sequence(int thread, struct remote_memory *memory) {
    struct __ptrace_rseq_configuration rseq = {0};
    uint64_t sequence = 0;
    if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, thread, (void *)sizeof rseq, &rseq) < 0)
        return true;
    return rseq.rseq_abi_pointer &&
           (!remote_read(memory, rseq.rseq_abi_pointer + 8, &sequence, sizeof sequence) || sequence);
}

/* True if the program emulates its system calls. Linux's include/uapi/linux/ptrace.h. */
static bool has_own_calls(int thread) {
    const enum __ptrace_request get = 0x4211; /* PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG */
    struct {
        uint64_t mode, selector, offset, size;
    } dispatch = {0};
    ptrace(get, thread, (void *)sizeof dispatch, &dispatch);
    return dispatch.mode;
}

/* Finds bytes in code: the vDSO's, or any module's. 0: there are none. */
static uint64_t find_code(struct remote_memory *memory, const unsigned char *code, size_t length,
                          bool is_in_vdso) {
    struct process_maps maps;
    struct reason unimportant;
    uint64_t found = 0;
    if (!process_maps_open(&maps, memory->pid, &unimportant))
        return 0;
    for (struct process_mapping mapping; !found && process_maps_next(&maps, &mapping);) {
        char bytes[1 << 14];
        size_t size = mapping.end - mapping.start < sizeof bytes ? mapping.end - mapping.start : sizeof bytes;
        bool is_code = is_in_vdso ? strcmp(mapping.path, "[vdso]") == 0
                                  : mapping.flags[2] == 'x' && mapping.path[0] == '/';
        if (!is_code || !remote_read(memory, mapping.start, bytes, size))
            continue;
        const char *at = memmem(bytes, size, code, length);
        found = at ? mapping.start + (uint64_t)(at - bytes) : 0;
    }
    process_maps_close(&maps);
    return found;
}

/* At the first instruction of a signal handler the kernel still has the number of the interrupted call, so
 * the instruction is checked as well. */
static bool is_in_call(const struct user_regs_struct *registers, struct remote_memory *memory) {
    unsigned char bytes[LENGTH];
    return (long)registers->orig_rax >= 0 && remote_read(memory, registers->rip - LENGTH, bytes, LENGTH) &&
           memcmp(bytes, instruction, LENGTH) == 0;
}

/* A call that began in another way, such as a 32-bit one, and will be restarted. */
static bool is_to_begin_again(const struct user_regs_struct *registers) {
    enum { RESTARTS_FIRST = 512, RESTARTS_LAST = 516 }; /* Linux's include/linux/errno.h */
    long result = (long)registers->rax;
    return (long)registers->orig_rax >= 0 && result <= -RESTARTS_FIRST && result >= -RESTARTS_LAST;
}

/* Address of a syscall instruction that the thread can execute; 0: the thread is not usable. A thread that
 * was stopped in a call executes the instruction of that call again. */
static uint64_t usable_instruction(const struct stopped_thread *thread, struct remote_memory *memory) {
    const struct user_regs_struct *registers = (const struct user_regs_struct *)thread->registers;
    if (thread->is_halted || !thread->register_count || registers->cs != CODE_OF_64_BITS ||
        process_filters_calls((uint64_t)thread->id) || has_own_calls(thread->id))
        return 0;
    if (is_in_call(registers, memory))
        return has_own_mask(registers) ? 0 : registers->rip - LENGTH;
    if (is_to_begin_again(registers) || is_in_sequence(thread->id, memory))
        return 0;
    return find_code(memory, instruction, LENGTH, true);
}

static const struct user_regs_struct *registers_of(const struct injection *injection) {
    return (const struct user_regs_struct *)injection->thread->registers;
}

static int id_of(const struct injection *injection) {
    return injection->thread->id;
}

bool injection_begin(struct injection *injection, const struct stop *stop, struct remote_memory *memory,
                     struct reason *why) {
    const uint64_t all = ~(UINT64_C(1) << (SIGTRAP - 1));
    *injection = (struct injection){.thread = NULL};
    for (size_t i = 0; i < stop->count && !injection->instruction; i++) {
        injection->thread = &stop->threads[i];
        injection->instruction = usable_instruction(injection->thread, memory);
    }
    if (!injection->instruction)
        return reason_set(why, "none of its threads can execute a system call");
    if (ptrace(PTRACE_GETSIGMASK, id_of(injection), (void *)sizeof all, &injection->mask) != 0 ||
        ptrace(PTRACE_SETSIGMASK, id_of(injection), (void *)sizeof all, &all) != 0)
        return reason_errno(why);
    ptrace(PTRACE_SETOPTIONS, id_of(injection), NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE));
    return true;
}

/* ---- The call. */

enum stop_kind { STOP_NONE, STOP_CALL, STOP_COPY, STOP_ASKED, STOP_TRAP };

static enum stop_kind kind_of(int status) {
    if (status >> 16 == PTRACE_EVENT_CLONE)
        return STOP_COPY;
    if (status >> 16 == PTRACE_EVENT_STOP)
        return STOP_ASKED;
    return WSTOPSIG(status) == (SIGTRAP | 0x80) ? STOP_CALL : status >> 8 == SIGTRAP ? STOP_TRAP : STOP_NONE;
}

/* Resumes the thread until its next stop of that kind. False: it has ended, or the state is unexpected. */
static bool go_on(struct injection *injection, enum __ptrace_request how, enum stop_kind until) {
    for (int status; ptrace(how, id_of(injection), NULL, NULL) == 0;) {
        while (waitpid(id_of(injection), &status, __WALL) < 0)
            if (errno != EINTR)
                return false;
        if (!WIFSTOPPED(status))
            return false;
        enum stop_kind kind = kind_of(status);
        unsigned long copy = 0;
        if (kind == STOP_COPY && ptrace(PTRACE_GETEVENTMSG, id_of(injection), NULL, &copy) == 0)
            injection->copy = (int)copy;
        if (kind == until)
            return true;
        if (kind == STOP_NONE && WSTOPSIG(status) != SIGSTOP)
            return false;
        injection->is_to_halt |= kind == STOP_NONE;
    }
    return false;
}

static bool set_registers(const struct injection *injection, const struct user_regs_struct *registers) {
    return ptrace(PTRACE_SETREGS, id_of(injection), NULL, registers) == 0;
}

static bool get_registers(const struct injection *injection, struct user_regs_struct *registers) {
    return ptrace(PTRACE_GETREGS, id_of(injection), NULL, registers) == 0;
}

/* The thread's registers, but not in a call that could be restarted, and in front of the instruction. */
static struct user_regs_struct registers_for(const struct injection *injection) {
    struct user_regs_struct registers = *registers_of(injection);
    registers.rip = injection->instruction;
    registers.orig_rax = (unsigned long long)-1;
    return registers;
}

static bool lead_to(struct injection *injection, const uint64_t words[5]) {
    struct user_regs_struct registers = registers_for(injection);
    registers.rax = words[0];
    registers.rdi = words[1];
    registers.rsi = words[2];
    registers.rdx = words[3];
    registers.r10 = words[4];
    registers.r8 = 0;
    return set_registers(injection, &registers);
}

/* The kernel decides about restarting a call only where it delivers signals, so the thread must stop there
 * before its registers are restored. */
static bool stop_again(struct injection *injection) {
    ptrace(PTRACE_INTERRUPT, id_of(injection), NULL, NULL);
    return go_on(injection, PTRACE_CONT, STOP_ASKED);
}

static long injection_call(struct injection *injection, const uint64_t words[5]) {
    struct user_regs_struct after;
    bool is_made = lead_to(injection, words) && go_on(injection, PTRACE_SYSCALL, STOP_CALL) &&
                   go_on(injection, PTRACE_SYSCALL, STOP_CALL) && get_registers(injection, &after);
    return stop_again(injection) && is_made ? (long)after.rax : -ESRCH;
}

enum { DIRECTION = 0x400, WORD = 8 };

/* The function returns to a byte that is a breakpoint instruction, somewhere in the code of a module. The
 * tracer takes its signal. */
bool injection_run(struct injection *injection, struct remote_memory *memory, uint64_t function,
                   const uint64_t arguments[CALL_ARGUMENTS], uint64_t stack, uint64_t *result) {
    uint64_t end = find_code(memory, trap, sizeof trap, false);
    struct user_regs_struct registers = registers_for(injection);
    stack &= -UINT64_C(16);
    registers.rip = function;
    registers.rsp = stack - WORD;
    registers.rax = 0;
    registers.rdi = arguments[0];
    registers.rsi = arguments[1];
    registers.rdx = arguments[2];
    registers.eflags &= ~(unsigned long long)DIRECTION;
    if (!end || !remote_write(memory, stack - WORD, &end, WORD) || !set_registers(injection, &registers) ||
        !go_on(injection, PTRACE_CONT, STOP_TRAP) || !get_registers(injection, &registers))
        return false;
    *result = registers.rax;
    return registers.rip == end + sizeof trap && registers.rsp == stack && stop_again(injection);
}

void injection_end(struct injection *injection, const struct stop *stop) {
    const struct stopped_thread *thread = injection->thread;
    size_t general = sizeof(struct user_regs_struct);
    struct iovec vectors = {(char *)thread->registers + general,
                            thread->register_count * sizeof *thread->registers - general};
    ptrace(PTRACE_SETREGSET, thread->id, (void *)NT_X86_XSTATE, &vectors);
    set_registers(injection, registers_of(injection));
    ptrace(PTRACE_SETSIGMASK, thread->id, (void *)sizeof injection->mask, &injection->mask);
    ptrace(PTRACE_SETOPTIONS, thread->id, NULL, NULL);
    if (injection->is_to_halt)
        syscall(SYS_tgkill, stop->pid, thread->id, SIGSTOP);
}

/* ---- A forked copy of a stopped process. */

/* The process may be in an uninterruptible state for a while. */
enum { TRIES = 50, PAUSE = 2000000 };

static int await_process(int pid) {
    int status = 0;
    while (syscall(SYS_wait4, pid, &status, __WALL, NULL) < 0)
        if (errno != EINTR)
            return 0;
    return status;
}

/* The child shares the table of open files, so that a file that the process closes is really closed. */
bool process_copy_make(struct process_copy *copy, const struct stop *stop, const struct root_caller *caller,
                       struct remote_memory *memory, struct reason *why) {
    struct injection injection;
    sigset_t all;
    sigfillset(&all);
    *copy = (struct process_copy){.caller = caller};
    if (!injection_begin(&injection, stop, memory, why))
        return false;
    sigprocmask(SIG_BLOCK, &all, &copy->mask);
    long made = injection_call(&injection, (const uint64_t[]){SYS_clone, CLONE_FILES, 0, 0, 0});
    if (injection.copy) {
        await_process(injection.copy);
        ptrace(PTRACE_SETOPTIONS, injection.copy, NULL, (void *)PTRACE_O_EXITKILL);
        process_prefer_oom_kill((unsigned)injection.copy);
    }
    injection_end(&injection, stop);
    copy->pid = (unsigned)injection.copy;
    copy->inner_id = (uint64_t)made;
    if (copy->pid)
        return true;
    sigprocmask(SIG_SETMASK, &copy->mask, NULL);
    return reason_set(why, "%s", strerror(made < 0 ? (int)-made : EPERM));
}

/* True: no child is left for the process. */
static bool reap_copy(struct process_copy *copy, struct remote_memory *memory) {
    struct timespec from, to;
    struct injection injection;
    struct reason unimportant;
    struct stop stop;
    clock_gettime(CLOCK_MONOTONIC, &from);
    bool is_stopped = stop_threads(&stop, memory->pid, copy->caller, &unimportant);
    bool is_done = !is_stopped && !process_thread_runs(memory->pid);
    if (is_stopped && injection_begin(&injection, &stop, memory, &unimportant)) {
        long waited =
            injection_call(&injection, (const uint64_t[]){SYS_wait4, copy->inner_id, 0, WNOHANG | __WALL, 0});
        is_done = waited == (long)copy->inner_id || waited == -ECHILD;
        injection_end(&injection, &stop);
    }
    if (is_stopped)
        stop_release(&stop);
    stop_free(&stop);
    clock_gettime(CLOCK_MONOTONIC, &to);
    copy->stopped += (uint64_t)((to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec);
    return is_done;
}

bool process_copy_end(struct process_copy *copy, struct remote_memory *memory) {
    bool is_done = false;
    kill((pid_t)copy->pid, SIGKILL);
    for (int status = await_process((int)copy->pid); status && (status & 0xff) == 0x7f;)
        status = await_process((int)copy->pid);
    for (int i = 0; !is_done && i < TRIES; i++) {
        if (i)
            nanosleep(&(struct timespec){0, PAUSE}, NULL);
        is_done = reap_copy(copy, memory);
    }
    sigprocmask(SIG_SETMASK, &copy->mask, NULL);
    return is_done;
}
