/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stops all threads of a process. */
#include "dump/stop/stop.h"

#include "base/interrupted.h"
#include "cfi/cfi.h"
#include "dump/base/memory.h"
#include "dump/process/process.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

/* Enough for all vector registers and the rest of the XSAVE area. */
enum { REGISTERS_SIZE = 1 << 14, PASSES_MAX = 100 };

static bool is_known(const struct stop *stop, int id) {
    for (size_t i = 0; i < stop->count; i++)
        if (stop->threads[i].id == id)
            return true;
    return false;
}

static struct stopped_thread *add_thread(struct stop *stop, int id) {
    memory_grow(&stop->threads, stop->count, &stop->capacity, sizeof *stop->threads);
    struct stopped_thread *thread = &stop->threads[stop->count++];
    *thread = (struct stopped_thread){.id = id};
    return thread;
}

/* True also if the thread has ended. A thread that is ending may not be traced and gives EPERM. */
static bool seize_thread(struct stop *stop, int id, struct reason *why) {
    if (ptrace(PTRACE_SEIZE, id, NULL, NULL) != 0) {
        int error = errno;
        bool is_permitted = error != EPERM && error != EACCES;
        if (error == ESRCH || (!is_permitted && !process_thread_runs((uint64_t)id)))
            return true;
        return is_permitted
                   ? reason_set(why, "%s", strerror(error))
                   : reason_set(
                         why,
                         "its threads cannot be stopped: ptrace is not permitted, or a debugger is attached");
    }
    add_thread(stop, id);
    ptrace(PTRACE_INTERRUPT, id, NULL, NULL);
    return true;
}

static bool ask_new(struct stop *stop, struct reason *why) {
    char path[32];
    snprintf(path, sizeof path, "/proc/%u/task", stop->pid);
    DIR *tasks = opendir(path);
    bool is_done = tasks;
    for (const struct dirent *entry; is_done && (entry = readdir(tasks));) {
        int id = atoi(entry->d_name);
        is_done = id <= 0 || is_known(stop, id) || seize_thread(stop, id, why);
    }
    if (!tasks)
        return reason_set(why, "there is no such process");
    closedir(tasks);
    return is_done;
}

/* Waits for the thread to stop or end. A pending signal is delivered first, so that the thread is at its next
 * instruction. If the stop precedes the signal, the signal arrives right after it. */
static void await_thread(struct stopped_thread *thread) {
    for (int status;;) {
        pid_t ended = waitpid(thread->id, &status, __WALL);
        if (ended < 0 && errno == EINTR)
            continue;
        if (ended < 0 || !WIFSTOPPED(status))
            return;
        thread->is_halted = WSTOPSIG(status) != SIGTRAP;
        if (status >> 16 == PTRACE_EVENT_STOP)
            return;
        ptrace(PTRACE_CONT, thread->id, NULL, (void *)(intptr_t)WSTOPSIG(status));
    }
}

static size_t read_set(const struct stopped_thread *thread, long set, char *to, size_t size) {
    struct iovec buffer = {to, size};
    return ptrace(PTRACE_GETREGSET, thread->id, (void *)set, &buffer) == 0 ? buffer.iov_len : 0;
}

static void read_registers(struct stopped_thread *thread) {
    thread->registers = memory_zeros(REGISTERS_SIZE, 1);
    char *to = (char *)thread->registers;
    size_t general = read_set(thread, NT_PRSTATUS, to, REGISTERS_SIZE) & -sizeof(uint64_t);
    if (general < sizeof(struct user_regs_struct))
        return;
    struct user_regs_struct *registers = (struct user_regs_struct *)thread->registers;
    if (interrupted_hide(registers))
        ptrace(PTRACE_SETREGS, thread->id, NULL, registers);
    thread->sp = registers->rsp;
    thread->tp = registers->fs_base;
    size_t vectors = read_set(thread, NT_X86_XSTATE, to + general, REGISTERS_SIZE - general);
    thread->register_count = (general + vectors) / sizeof(uint64_t);
}

static void add_caller(struct stop *stop, const struct root_caller *caller) {
    struct user_regs_struct registers = {.rbx = caller->registers[CFI_RBX],
                                         .rbp = caller->registers[CFI_RBP],
                                         .rsp = caller->registers[CFI_RSP],
                                         .r12 = caller->registers[12],
                                         .r13 = caller->registers[13],
                                         .r14 = caller->registers[14],
                                         .r15 = caller->registers[15],
                                         .rip = caller->registers[CFI_RETURN]};
    struct stopped_thread *thread = add_thread(stop, (int)caller->thread);
    thread->is_caller = true;
    thread->sp = registers.rsp;
    thread->tp = caller->thread_pointer;
    thread->registers = memory_zeros(1, sizeof registers);
    memcpy(thread->registers, &registers, sizeof registers);
    thread->register_count = sizeof registers / sizeof *thread->registers;
}

bool stop_threads(struct stop *stop, unsigned pid, const struct root_caller *caller, struct reason *why) {
    *stop = (struct stop){.pid = pid};
    if (caller)
        add_caller(stop, caller);
    for (int pass = 0; pass < PASSES_MAX; pass++) {
        size_t before = stop->count;
        if (!ask_new(stop, why)) {
            stop_release(stop);
            return false;
        }
        if (stop->count == before)
            break;
        for (size_t i = before; i < stop->count; i++)
            await_thread(&stop->threads[i]);
    }
    for (size_t i = 0; i < stop->count; i++)
        if (!stop->threads[i].is_caller)
            read_registers(&stop->threads[i]);
    return stop->count || reason_set(why, "there is no such process");
}

bool stop_thread(struct stop *stop, unsigned pid, int thread, struct reason *why) {
    *stop = (struct stop){.pid = pid};
    if (!seize_thread(stop, thread, why))
        return false;
    if (stop->count) {
        await_thread(&stop->threads[0]);
        read_registers(&stop->threads[0]);
    }
    return true;
}

void stop_release(struct stop *stop) {
    for (size_t i = 0; i < stop->count; i++)
        if (!stop->threads[i].is_caller)
            ptrace(PTRACE_DETACH, stop->threads[i].id, NULL, NULL);
}

void stop_free(struct stop *stop) {
    for (size_t i = 0; i < stop->count; i++)
        free(stop->threads[i].registers);
    free(stop->threads);
}
