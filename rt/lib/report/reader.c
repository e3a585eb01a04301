/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Starts allocsite-dump, which writes the reports. */
#define _GNU_SOURCE
#include "lib/report/reader.h"

#include "base/words.h"
#include "format.h"
#include "lib/base/options.h"
#include "lib/base/os.h"
#include "lib/base/state.h"
#include "lib/collect/collect.h"
#include "lib/collect/profiling.h"
#include "lib/registry/modules.h"
#include "lib/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define READER "allocsite-dump"

enum { STACK_SIZE = 64 << 10, ARGUMENTS = 16, DESCRIPTORS = 4, UNKNOWN = 127 << 8 /* a wait status */ };

/* The data of the child, in one mapping: the interrupted code may have locked the program's heap. */
struct launch {
    int descriptors[DESCRIPTORS]; /* the profile, standard output, standard error, and a search's answer */
    int descriptor_count;
    char process[10 + 1], thread[10 + 1]; /* for a search: process and thread id */
    char caller[16 + 1];                  /* for a search: an address in hexadecimal digits */
    char *stacks;                         /* of the child before it executes the reader, and of its parent */
    uint32_t starting;                    /* 1 until the reader runs or has failed to start */
    int status;                           /* the wait status of the reader */
    int error;                            /* of execve, written by the child, which shares this memory */
    char path[PATH_MAX];
    const char *arguments[ARGUMENTS];
    uint32_t argument_count;
    const char **environment;
};

static bool is_search(const struct launch *launch) {
    return launch->descriptor_count == DESCRIPTORS;
}

static bool was_sandboxed;

static bool is_sandboxed(void) {
    return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) > 0;
}

void reader_begin(void) {
    was_sandboxed = is_sandboxed();
}

/* ---- Finding the reader. */

static bool is_executable(const char *path) {
    return syscall(SYS_faccessat, AT_FDCWD, path, X_OK) == 0;
}

/* Writes `length` bytes of directory, "/" and rest. Returns whether that is an executable file. */
static bool path_join(char *path, const char *directory, size_t length, const char *name) {
    if (length + strlen(name) + 2 > PATH_MAX)
        return false;
    memcpy(path, directory, length);
    path[length] = '/';
    strcpy(path + length + 1, name);
    return is_executable(path);
}

#ifdef ALLOCSITE_STATIC

/* in reader_path.c */
extern const char reader_path[] __asm__(ALLOCSITE_ENTRY_PREFIX "reader_path");

static bool find_next_to_runtime(char *path) {
    return strlen(reader_path) < PATH_MAX && is_executable(strcpy(path, reader_path));
}

#else

static bool find_next_to_runtime(char *path) {
    const struct module *runtime_module = module_of(&was_sandboxed);
    const char *slash = runtime_module ? strrchr(runtime_module->path, '/') : NULL;
    return slash &&
           path_join(path, runtime_module->path, (size_t)(slash - runtime_module->path), "../bin/" READER);
}

#endif

static bool find_in_path(char *path) {
    const char *at = getenv("PATH");
    while (at && *at) {
        size_t length = strcspn(at, ":");
        if (length && path_join(path, at, length, READER))
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

static const char *reader_find(char *path) {
    const char *asked = runtime_options()->reader;
    if (strcmp(asked, "found") != 0)
        return is_executable(strcpy(path, asked)) ? NULL
                                                  : "the file that the option reader names cannot be run";
    return find_next_to_runtime(path) || find_in_path(path) ? NULL
                                                            : "no " READER " next to the runtime or in PATH";
}

/* ---- Arguments and environment of the reader. */

static void add_argument(struct launch *launch, const char *argument) {
    launch->arguments[launch->argument_count++] = argument;
}

static void add_options(struct launch *launch, const char *name, const char *options) {
    if (!options)
        return;
    add_argument(launch, name);
    add_argument(launch, options);
}

/* Only a child knows the id that this process has for the reader. */
enum { SEARCH_PROCESS = 2 };

static void add_search(struct launch *launch, const struct reader_call *call) {
    char *thread_end = launch->thread + sizeof launch->thread - 1;
    char *caller_end = launch->caller + sizeof launch->caller - 1;
    add_argument(launch, "search");
    add_argument(launch, launch->process);
    add_argument(launch, digits_before(thread_end, call->caller->thread, 10));
    add_argument(launch, digits_before(caller_end, (uintptr_t)call->caller, 16));
    add_argument(launch, call->search);
}

static void add_arguments(struct launch *launch, const struct reader_call *call) {
    add_argument(launch, READER);
    if (call->search) {
        add_search(launch, call);
        return;
    }
    add_argument(launch, call->is_help ? "help" : "exit-report");
    if (call->is_help) {
        add_argument(launch, "options");
        return;
    }
    if (call->is_end)
        add_argument(launch, "--end");
    for (enum options_source source = 0; source < OPTIONS_SOURCES && !call->is_alone; source++)
        add_options(launch, "--options", options_given(source));
    add_options(launch, "--only", call->options);
}

static bool has_name(const char *variable, const char *name) {
    size_t length = strlen(name);
    return strncmp(variable, name, length) == 0 && variable[length] == '=';
}

/* Omits the program's options, and libraries that are preloaded into it: the runtime, or others that are
 * meant for the program alone. */
static void add_environment(struct launch *launch) {
    const char **next = launch->environment;
    for (char **at = environ; at && *at; at++)
        if (!has_name(*at, "ALLOCSITE_OPTIONS") && !has_name(*at, "LD_PRELOAD"))
            *next++ = *at;
    *next = NULL;
}

/* ---- The child. */

/* Returns a duplicate of the descriptor, or of /dev/null if the program has closed it. */
static int descriptor_copy(int fd) {
    int copy = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 10);
    return copy >= 0 || errno != EBADF ? copy : (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR);
}

/* Duplicates all first: one may have the number that another needs. Returns false with errno. */
static bool set_descriptors(const struct launch *launch) {
    int copies[DESCRIPTORS];
    for (int i = 0; i < launch->descriptor_count; i++)
        copies[i] = descriptor_copy(launch->descriptors[i]);
    for (int to = 0; to < launch->descriptor_count; to++)
        if (copies[to] < 0 || syscall(SYS_dup2, copies[to], to) != to)
            return false;
    return true;
}

/* The program may have lowered its own limits. */
static void raise_limits(void) {
    static const int limits[] = {RLIMIT_AS, RLIMIT_DATA};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rlimit64 limit;
        if (syscall(SYS_prlimit64, 0, limits[i], NULL, &limit) != 0)
            continue;
        limit.rlim_cur = limit.rlim_max;
        syscall(SYS_prlimit64, 0, limits[i], &limit, NULL);
    }
}

/* Signals stay blocked until the reader runs (dump/commands/exit_report.c), because a handler of the program
 * would run in the program's memory. */
static int reader_execute(void *context) {
    struct launch *launch = context;
    /* If the waiting thread is cancelled, the report is not needed any more. */
    syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    raise_limits();
    if (set_descriptors(launch))
        syscall(SYS_execve, launch->path, launch->arguments, launch->environment);
    launch->error = errno;
    syscall(SYS_exit_group, 127);
    __builtin_unreachable();
}

/* Makes the system call without clone(3): sanitizers replace that function, and theirs handles their threads
 * in the child. The function is passed in a register that the kernel ignores with these flags. */
static long clone_to(int flags, int (*function)(void *), struct launch *launch, char *stack_end) {
    register uint32_t *child_tid __asm__("r10") = &launch->starting;
    register long tls __asm__("r8") = 0;
    long result;
    __asm__ volatile(
        "syscall; testq %%rax, %%rax; jnz 1f; xorl %%ebp, %%ebp; movq %[context], %%rdi; call *%[function];"
        "hlt; 1:"
        : "=a"(result)
        : "a"((long)SYS_clone), "D"((long)flags), "S"(stack_end), [function] "d"(function), "r"(child_tid),
          "r"(tls), [context] "b"(launch)
        : "rcx", "r11", "memory");
    return result;
}

static long clone_reader(struct launch *launch) {
    return clone_to(CLONE_VM | CLONE_VFORK, reader_execute, launch, launch->stacks + STACK_SIZE);
}

/* The parent of the reader. After execve the kernel sends a SIGCHLD to the reader's parent when the reader
 * ends, and the parent's wait functions find it. The program must notice neither the signal nor the child,
 * and the signal would interrupt the stopped threads of a search. This process never calls execve, so it has
 * no exit signal, and only wait functions with __WALL or __WCLONE find it. If the program ignores SIGCHLD,
 * this process does not, because it would then not learn how the reader ended.
 *
 * It runs beside the caller, with the caller's errno: none of its system calls fails once the reader runs. */
static int reader_parent(void *context) {
    static const uint64_t standard[4]; /* the kernel's struct sigaction for SIG_DFL */
    struct launch *launch = context;
    char *end = launch->process + sizeof launch->process - 1;
    syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    syscall(SYS_rt_sigaction, SIGCHLD, standard, NULL, sizeof *standard);
    if (is_search(launch))
        launch->arguments[SEARCH_PROCESS] = digits_before(end, (uint64_t)syscall(SYS_getppid), 10);
    long child = clone_reader(launch);
    if (child < 0)
        launch->error = (int)-child;
    __atomic_store_n(&launch->starting, 0, __ATOMIC_RELEASE);
    syscall(SYS_futex, &launch->starting, FUTEX_WAKE, 1, NULL, NULL, 0);
    if (child > 0)
        syscall(SYS_wait4, child, &launch->status, __WALL, NULL);
    syscall(SYS_exit_group, 0);
    __builtin_unreachable();
}

/* Returns when the reader runs or cannot be started; for a search when it has ended. It shares descriptors:
 * the reader's pipe must not stay open in it. If it is killed, the kernel clears the word that is waited for.
 */
static long clone_parent(struct launch *launch) {
    int flags = CLONE_VM | CLONE_FILES | CLONE_CHILD_CLEARTID | (is_search(launch) ? CLONE_VFORK : 0);
    launch->starting = 1;
    long parent = clone_to(flags, reader_parent, launch, launch->stacks + 2 * STACK_SIZE);
    while (parent > 0 && __atomic_load_n(&launch->starting, __ATOMIC_ACQUIRE))
        syscall(SYS_futex, &launch->starting, FUTEX_WAIT, 1, NULL, NULL, 0);
    return parent;
}

/* Starts the reader. Emulators know only the clone of vfork(2), so there the reader is a child of the
 * program. Returns 0 or an errno. */
static int reader_start(struct launch *launch, long *child, bool *is_direct) {
    uint64_t signals = os_signals_hold();
    *child = os_is_simulated() ? -EINVAL : clone_parent(launch);
    *is_direct = *child == -EINVAL;
    if (*is_direct)
        *child = clone_reader(launch);
    int error = *child < 0 ? (int)-*child : launch->error;
    os_signals_release(signals);
    return error;
}

/* Sets the status of the reader. ECHILD: a signal handler of the program has waited for the child. */
static void wait_for(struct launch *launch, long child, bool is_direct) {
    int status = 0;
    while (syscall(SYS_wait4, child, &status, __WALL, NULL) != child && errno == EINTR)
        ;
    if (is_direct)
        launch->status = status;
}

/* ---- The counters: the file itself, or a copy through a pipe if there is no file or it is incomplete. */

static bool is_whole(void) {
    return store_is_file() && !store_header()->missing && store_descriptor() >= 0;
}

enum {
    STATUS_WRONG_NUMBER = 1,
    STATUS_USAGE = 2,
    STATUS_NOT_WRITTEN = 3,
    STATUS_LEAKS = 4
}; /* dump/commands/exit_report.c */

static bool has_leaks;

bool reader_found_leaks(void) {
    return has_leaks;
}

/* It is no failure if numbers break a law, which was reported, or if the report's pipe was closed. */
static int status_explain(int status, const char **why) {
    bool is_unwanted = WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE;
    has_leaks = WIFEXITED(status) && WEXITSTATUS(status) == STATUS_LEAKS;
    if (is_unwanted || has_leaks || (WIFEXITED(status) && WEXITSTATUS(status) <= STATUS_WRONG_NUMBER))
        return 0;
    bool is_reported = WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_WRITTEN;
    *why = WIFSIGNALED(status) ? READER " was killed by a signal"
           : is_reported       ? READER " could not write it"
                               : READER " failed, is it of another version?";
    return WIFEXITED(status) && WEXITSTATUS(status) == STATUS_USAGE ? EINVAL : EIO;
}

/* For a search, whose caller cannot write to a pipe. Returns -1 with errno. */
static int copy_profile(void) {
    int fd = os_memory_file(), error = fd < 0 ? errno : profiling_copy(fd);
    if (!error && syscall(SYS_lseek, fd, 0L, SEEK_SET) == 0)
        return fd;
    if (fd >= 0)
        os_close(fd);
    errno = error ? error : EIO;
    return -1;
}

static int launch_run(struct launch *launch, const char **why) {
    long child;
    bool is_direct;
    int ends[2] = {-1, -1};
    sums_know_inherited();
    if (is_whole())
        launch->descriptors[0] = store_descriptor();
    else if (is_search(launch) ? (ends[0] = copy_profile()) >= 0 : pipe2(ends, O_CLOEXEC) == 0)
        launch->descriptors[0] = ends[0];
    else
        return errno;
    int error = reader_start(launch, &child, &is_direct);
    if (ends[0] >= 0)
        os_close(ends[0]);
    if (!error && ends[1] >= 0)
        profiling_copy(ends[1]);
    if (ends[1] >= 0)
        os_close(ends[1]);
    if (child > 0)
        wait_for(launch, child, is_direct);
    return error ? error : status_explain(launch->status, why);
}

static size_t environment_size(void) {
    size_t count = 1;
    for (char **at = environ; at && *at; at++)
        count++;
    return count * sizeof *environ;
}

static int launch_prepare(struct launch *launch, const struct reader_call *call, const char **why) {
    launch->environment = (const char **)(launch + 1);
    launch->descriptors[STDOUT_FILENO] = call->out;
    launch->descriptors[STDERR_FILENO] = descriptor_standard(STDERR_FILENO);
    launch->descriptors[STDERR_FILENO + 1] = call->answer;
    launch->descriptor_count = call->search ? DESCRIPTORS : DESCRIPTORS - 1;
    *why = reader_find(launch->path);
    if (*why)
        return ENOENT;
    add_arguments(launch, call);
    add_environment(launch);
    return 0;
}

static int run_in_memory(const struct reader_call *call, const char **why) {
    size_t size = sizeof(struct launch) + environment_size();
    struct launch *launch = os_map(size, OS_FORK_KEEPS);
    char *stacks = os_map(2 * STACK_SIZE, OS_FORK_KEEPS);
    int error = launch && stacks ? launch_prepare(launch, call, why) : ENOMEM;
    if (!error) {
        launch->stacks = stacks;
        launch->status = UNKNOWN;
        error = launch_run(launch, why);
    }
    if (launch)
        os_unmap(launch, size);
    if (stacks)
        os_unmap(stacks, 2 * STACK_SIZE);
    return error;
}

int reader_run(const struct reader_call *call, const char **why) {
    *why = strerrordesc_np(EBADF);
    if (syscall(SYS_fcntl, call->out, F_GETFD) < 0)
        return EBADF;
    *why = NULL;
    if (getauxval(AT_SECURE))
        *why = "set-user-id programs start nothing";
    /* The program's own seccomp filter may kill it for clone or execve. */
    else if (!was_sandboxed && is_sandboxed())
        *why = "the program is in a sandbox of its own";
    int error = *why ? EPERM : run_in_memory(call, why);
    if (error && !*why)
        *why = strerrordesc_np(error);
    return error;
}
