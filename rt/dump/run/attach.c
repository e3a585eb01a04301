/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Attaches to a process: loads the runtime, lets it count, and restores the process. */
#include "dump/run/attach.h"

#include "dump/base/memory.h"
#include "dump/commands/commands.h"
#include "dump/load/source.h"
#include "dump/process/process.h"
#include "dump/run/launch.h"
#include "dump/run/target.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- The runtime in the process. */

/* Also the state of its attachment. False: there is none. */
static bool find_root(unsigned pid, struct remote_root *root, uint32_t *attached) {
    struct remote_memory memory;
    struct reason unimportant;
    remote_memory_open(&memory, pid);
    bool is_there = remote_root_find(root, &memory, &unimportant);
    *attached = is_there ? remote_u32(&memory, root->root.attached) : ROOT_NOT_LATE;
    remote_memory_close(&memory);
    return is_there;
}

bool attach_is_unneeded(unsigned pid) {
    struct remote_root root;
    uint32_t attached;
    return find_root(pid, &root, &attached) && attached == ROOT_NOT_LATE;
}

/* ---- Processes that cannot be attached to. */

static bool program_fits(unsigned pid, struct reason *why) {
    char path[32];
    Elf64_Ehdr header = {.e_phnum = 0};
    snprintf(path, sizeof path, "/proc/%u/exe", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? reason_set(why, "there is no such process, or it is a kernel thread")
                               : process_refuses(pid, why);
    if (pread(fd, &header, sizeof header, 0) != (ssize_t)sizeof header)
        header.e_machine = EM_NONE;
    const char *what = launch_unfit(fd, &header);
    close(fd);
    return !what || reason_set(why, "%s", what);
}

static bool gains_rights(unsigned pid) {
    char path[32];
    Elf64_auxv_t entry = {.a_type = 1};
    snprintf(path, sizeof path, "/proc/%u/auxv", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && entry.a_type != AT_NULL && entry.a_type != AT_SECURE &&
           read(fd, &entry, sizeof entry) == (ssize_t)sizeof entry)
        ;
    if (fd >= 0)
        close(fd);
    return entry.a_type == AT_SECURE && entry.a_un.a_val;
}

/* The process opens the library by this path, in its own mount namespace. */
static bool sees_runtime(unsigned pid, const char *runtime, struct reason *why) {
    struct stat wanted, loaded;
    char *path = memory_text("/proc/%u/root%s", pid, runtime);
    bool is_same = stat(runtime, &wanted) == 0 && stat(path, &loaded) == 0 &&
                   wanted.st_ino == loaded.st_ino && wanted.st_dev == loaded.st_dev;
    free(path);
    return is_same ||
           reason_set(why, "does not see %.150s, because it has another root directory or mounts", runtime);
}

static bool is_possible(unsigned pid, const char *runtime, struct reason *why) {
    if (!program_fits(pid, why))
        return false;
    if (gains_rights(pid))
        return reason_set(why, "has gained privileges when it was executed (set-user-id)");
    return sees_runtime(pid, runtime, why);
}

/* ---- Loading, starting and ending. */

static bool attach_load(struct target *target, const char *runtime, struct reason *why) {
    uint64_t handle = 0, text = 0;
    if (!target_call(target, target->dlopen, runtime, target->dlopen_flags, &handle, why))
        return false;
    if (handle)
        return true;
    bool has_message = target->dlerror && target_call(target, target->dlerror, NULL, 0, &text, why) && text;
    return has_message ? target_reason(target, text, why) : reason_set(why, "cannot load the runtime");
}

static bool attach_start(struct target *target, const struct remote_root *root, const char *options,
                         struct reason *why) {
    uint64_t text = 0;
    return target_call(target, (uintptr_t)root->root.attach, options, 0, &text, why) &&
           (!text || target_reason(target, text, why));
}

/* The process keeps the loaded library. */
static bool load_and_start(const struct attachment *attachment, const char *runtime, struct reason *why) {
    struct target target;
    struct remote_root root;
    uint32_t attached;
    if (!target_open(&target, attachment->pid, why))
        return false;
    bool is_done = target_hold(&target, why);
    if (is_done) {
        is_done = find_root(attachment->pid, &root, &attached) || attach_load(&target, runtime, why);
        if (is_done && !find_root(attachment->pid, &root, &attached))
            is_done = reason_set(why, "has loaded a runtime of another version");
        is_done = is_done && attach_start(&target, &root, attachment->options, why);
        target_release(&target);
    }
    target_close(&target);
    return is_done;
}

/* If a thread stays in the runtime, for example in fclose, the memory is given back the next time. */
static bool attach_restore(unsigned pid, struct reason *why) {
    struct target target;
    struct remote_root root;
    uint32_t attached;
    uint64_t unused;
    if (!find_root(pid, &root, &attached) || attached < ROOT_ATTACHED)
        return true; /* it has ended, or executed another program */
    if (!target_open(&target, pid, why))
        return false;
    bool is_done = attached == ROOT_LEFT || target_hold(&target, why);
    if (is_done && attached == ROOT_ATTACHED) {
        is_done = target_call(&target, (uintptr_t)root.root.detach, NULL, 0, &unused, why);
        target_release(&target);
    }
    if (is_done && !target_call_quiet(&target, (uintptr_t)root.root.leave, (uintptr_t)root.root.leave))
        is_done = reason_set(why, "has a thread that stays in the runtime");
    target_close(&target);
    return is_done;
}

/* ---- The time between two looks. */

static volatile sig_atomic_t was_interrupted;

static void attach_interrupt(int number) {
    (void)number;
    was_interrupted = true;
}

static uint64_t attach_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int start_screen(const struct attachment *attachment) {
    char source[64], name[] = "top", *arguments[] = {name, source, NULL};
    snprintf(source, sizeof source, REPORT_SOURCE_PID "%u", attachment->pid);
    int child = attachment->is_live ? fork() : 0;
    if (!attachment->is_live || child)
        return child;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    optind = 0;
    exit(command_top(2, arguments));
}

/* A program that the process executes is not counted. */
static bool is_counted(unsigned pid) {
    struct remote_root root;
    uint32_t attached;
    return find_root(pid, &root, &attached) && attached == ROOT_ATTACHED;
}

static void wait_for_end(const struct attachment *attachment) {
    enum { LOOK = 500000000 };
    uint64_t end = attachment->duration ? attach_now() + attachment->duration : UINT64_MAX;
    int screen = start_screen(attachment), status;
    while (!was_interrupted && attach_now() < end && (!screen || waitpid(screen, &status, WNOHANG) == 0) &&
           is_counted(attachment->pid)) {
        uint64_t left = end - attach_now(), most = screen ? LOOK / 10 : LOOK;
        uint64_t pause = left < most ? left : most;
        nanosleep(&(struct timespec){.tv_nsec = (long)pause}, NULL);
    }
    if (screen && waitpid(screen, &status, WNOHANG) == 0) {
        kill(screen, SIGTERM);
        waitpid(screen, &status, 0);
    }
}

/* The lock shows other processes that this process still runs and will restore the target. */
static bool attach_claim(int counters, struct reason *why) {
    return flock(counters, LOCK_EX | LOCK_NB) == 0 || reason_set(why, "is counted by another allocsite-run");
}

/* An allocsite-run that was killed leaves its target counting. */
static bool attach_clear(unsigned pid, struct reason *why) {
    struct process_counters counters;
    struct remote_root root;
    uint32_t attached;
    if (!find_root(pid, &root, &attached) || attached < ROOT_ATTACHED)
        return true;
    bool is_free = attached == ROOT_LEFT;
    if (!is_free && process_counters_open(&counters, pid, false, why)) {
        is_free = attach_claim(counters.fd, why);
        close(counters.fd);
    }
    return is_free && attach_restore(pid, why);
}

bool attach_count(struct attachment *attachment, const char *runtime, struct reason *why) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct process_counters counters;
    struct reason end;
    unsigned pid = attachment->pid;
    if (!is_possible(pid, runtime, why) || !attach_clear(pid, why))
        return false;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &(struct sigaction){.sa_handler = attach_interrupt}, NULL);
    if (!load_and_start(attachment, runtime, why))
        return false;
    bool is_open = process_counters_open(&counters, pid, false, why);
    is_open = is_open && attach_claim(counters.fd, why);
    if (is_open) {
        complain_file(NULL, "counting in process %u; Ctrl-C ends this", pid);
        wait_for_end(attachment);
    }
    if (!attach_restore(pid, &end))
        complain_file(NULL, "process %u goes on with the runtime: %s", pid, end.text);
    if (is_open)
        attachment->counters = counters.fd;
    return is_open;
}
