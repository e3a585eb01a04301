/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stopping the other threads of the process. All by plain system calls: the C library's functions would act
 * on the cancellation of the thread whose thread-local memory is borrowed here. */
#define _GNU_SOURCE
#include "lib/reach/stop.h"

#include "base/interrupted.h"
#include "lib/base/os.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

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
    char *digit = path + 10;
    do
        *--digit = (char)('0' + id % 10);
    while (id /= 10);
    return (int)syscall(SYS_openat, stop->tasks, digit, O_RDONLY | O_CLOEXEC);
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

static int32_t number(const char *name) {
    int32_t value = 0;
    for (; *name >= '0' && *name <= '9'; name++)
        value = value * 10 + (*name - '0');
    return value;
}

static const char *ask_new(struct stop *stop, const char *name) {
    int32_t id = number(name);
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

#if defined __x86_64__

#define VECTOR_SET NT_X86_XSTATE

static void set_pointers(int32_t id, struct registers *registers) {
    const struct user_regs_struct *general = (const struct user_regs_struct *)registers->words;
    (void)id;
    registers->sp = general->rsp;
    registers->tp = general->fs_base;
}

#else

#define VECTOR_SET NT_PRFPREG

static void set_pointers(int32_t id, struct registers *registers) {
    const struct user_regs_struct *general = (const struct user_regs_struct *)registers->words;
    registers->sp = general->sp;
    get_set(id, NT_ARM_TLS, &registers->tp, sizeof registers->tp);
}

#endif

static void read_thread(int32_t id, struct registers *registers) {
    const size_t general = sizeof(struct user_regs_struct);
    if (!get_set(id, NT_PRSTATUS, registers->words, general))
        return;
    if (interrupted_hide((struct user_regs_struct *)registers->words))
        syscall(SYS_ptrace, PTRACE_SETREGSET, (long)id, (long)NT_PRSTATUS,
                &(struct iovec){registers->words, general});
    set_pointers(id, registers);
    get_set(id, VECTOR_SET, (char *)registers->words + general, sizeof registers->words - general);
}

static const char *read_registers(struct stop *stop) {
    stop->registers = os_map(stop->count * sizeof *stop->registers + 1, OS_FORK_KEEPS);
    for (uint32_t i = 0; stop->registers && i < stop->count; i++)
        read_thread(stop->threads[i].id, &stop->registers[i]);
    return stop->registers ? NULL : "out of memory";
}

const char *stop_begin(struct stop *stop) {
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
void stop_end(struct stop *stop) {
    for (uint32_t i = 0; stop->threads && i < stop->count; i++)
        syscall(SYS_ptrace, PTRACE_DETACH, (long)stop->threads[i].id, 0L, (long)stop->threads[i].signal);
}

void stop_release(struct stop *stop) {
    if (stop->threads)
        os_unmap(stop->threads, THREADS_SIZE);
    if (stop->registers)
        os_unmap(stop->registers, stop->count * sizeof *stop->registers + 1);
}
