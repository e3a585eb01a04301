/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs a command with the runtime preloaded into all its processes. */
#include "dump/run/launch.h"

#include "base/path.h"
#include "dump/base/memory.h"
#include "dump/process/process.h"
#include "profile.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

char *launch_runtime(void) {
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    char *places[] = {memory_text("%s/%s/liballocsite.so", self, ALLOCSITE_LIB_FROM_BIN),
                      memory_text("%s/../lib/liballocsite.so", self)};
    char *found = realpath(places[0], NULL) ?: realpath(places[1], NULL);
    if (!found)
        complain_file(places[0], "%s; is allocsite installed completely?", strerror(errno));
    free(places[0]);
    free(places[1]);
    return found;
}

/* True if no character of the path would end a value of ALLOCSITE_OPTIONS or LD_PRELOAD. */
static bool is_plain(const char *path) {
    return !strpbrk(path, ":%'\" \t\n");
}

bool launch_folder(char path[PATH_MAX], const char *parent) {
    bool is_fit = parent && parent[0] == '/' && is_plain(parent) && strlen(parent) < PATH_MAX / 2;
    snprintf(path, PATH_MAX, "%s/allocsite-run.XXXXXX", is_fit ? parent : "/tmp");
    return mkdtemp(path) || complain_file(path, "%s", strerror(errno)) == STATUS_DONE;
}

/* Preloads through a symbolic link in our directory if the loader would split the runtime's path. */
static void set_preload(const struct launch *launch, const char *runtime) {
    const char *others = getenv("LD_PRELOAD");
    char *link = memory_text("%s/.liballocsite.so", launch->directory);
    if (!is_plain(runtime) && symlink(runtime, link) == 0)
        runtime = link;
    char *all = memory_text("%s%s%s", runtime, others && *others ? ":" : "", others ?: "");
    setenv("LD_PRELOAD", all, true);
    free(all);
    free(link);
}

/* The user's options go in the middle: they may ask for a report of each process, but cannot redirect the
 * profile. */
static void set_options(const struct launch *launch) {
    const char *user_options = getenv("ALLOCSITE_OPTIONS");
    char *stacks = memory_text(":stack=%ju", (uintmax_t)launch->stacks);
    char *all = memory_text("report=none%s%s:%s:profile=%s/%%p%s", stacks, launch->options,
                            user_options ?: "", launch->directory, launch->are_stacks_chosen ? stacks : "");
    setenv("ALLOCSITE_OPTIONS", all, true);
    free(all);
    free(stacks);
}

bool launch_prepare(struct launch *launch) {
    char *runtime = launch_runtime();
    if (!runtime || !launch_folder(launch->directory, launch->within ?: getenv("TMPDIR"))) {
        free(runtime);
        return false;
    }
    set_preload(launch, runtime);
    set_options(launch);
    free(runtime);
    launch->output = launch->keeps_output ? memfd_create("output", MFD_CLOEXEC) : -1;
    /* Processes that outlive their parents become our children, so waitpid(2) reports them. */
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    return true;
}

/* ---- Signals. */

static const int handled[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

enum { HANDLED = sizeof handled / sizeof *handled };

static struct sigaction before[HANDLED];
static volatile pid_t running;
static volatile sig_atomic_t early; /* a signal that arrived before `running` was set, to be passed on; 0:
                                     * none */

/* Passes SIGTERM and SIGHUP on to the command. A terminal sends SIGINT and SIGQUIT to the command by
 * itself. */
static void handle_signal(int number) {
    if (number != SIGTERM && number != SIGHUP)
        return;
    if (running > 0)
        kill(running, number);
    else
        early = number;
}

/* No SA_RESTART: a signal must interrupt the wait. */
static void take_signals(void) {
    const struct sigaction action = {.sa_handler = handle_signal};
    for (int i = 0; i < HANDLED; i++)
        sigaction(handled[i], &action, &before[i]);
}

static void leave_signals(void) {
    for (int i = 0; i < HANDLED; i++)
        sigaction(handled[i], &before[i], NULL);
}

/* ---- Processes. */

static void redirect_terminal(const struct launch *launch) {
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        if (isatty(fd))
            dup2(launch->output, fd);
    int nothing = isatty(STDIN_FILENO) ? open("/dev/null", O_RDONLY) : -1;
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
}

int launch_start(struct launch *launch, char **command) {
    volatile int error = 0;
    take_signals();
    /* The child shares our memory until it executes, so it can report why execvp failed. */
    launch->pid = vfork();
    if (launch->pid == 0) {
        leave_signals();
        if (launch->is_apart)
            setpgid(0, 0);
        if (launch->keeps_output)
            redirect_terminal(launch);
        execvp(command[0], command);
        error = errno;
        _exit(LAUNCH_NOT_FOUND);
    }
    error = launch->pid < 0 ? errno : error;
    running = launch->pid;
    if (early && !error)
        kill(running, early);
    if (!error)
        return 0;
    complain_file(command[0], "%s", strerror(error));
    return launch->pid < 0 ? LAUNCH_FAILED : error == ENOENT ? LAUNCH_NOT_FOUND : LAUNCH_DENIED;
}

bool launch_runs(const struct launch *launch) {
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)launch->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && !info.si_pid;
}

/* How a process ended, to be noted in its last profile unless the process noted it itself. */
struct ending {
    uint64_t start_time; /* start time of the process */
    uint64_t ended;      /* time of the end; 0: killed by a signal */
    uint32_t note[2];    /* enum profile_ending, and the exit status or signal number */
};

static bool is_profile_of(const struct profile_header *header, const struct ending *ending) {
    return memcmp(header->magic, PROFILE_MAGIC, PROFILE_MAGIC_SIZE) == 0 &&
           header->start_time == ending->start_time && !header->ended;
}

/* Writes the ending into the profile. Returns false if the profile belongs to another process, or to a
 * program that the process ran before its last execve. */
static bool note_in_profile(const char *path, const struct ending *ending) {
    struct profile_header header;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool is_its = pread(fd, &header, sizeof header, 0) == (ssize_t)sizeof header &&
                  is_profile_of(&header, ending) &&
                  pwrite(fd, ending->note, sizeof ending->note, offsetof(struct profile_header, ending)) ==
                      (ssize_t)sizeof ending->note &&
                  pwrite(fd, &ending->ended, sizeof ending->ended, offsetof(struct profile_header, ended)) ==
                      (ssize_t)sizeof ending->ended;
    close(fd);
    return is_its;
}

static struct ending ending_of(const siginfo_t *info) {
    struct timespec now;
    struct ending ending = {.start_time = process_start_time((uint64_t)info->si_pid),
                            .note = {PROFILE_SIGNAL, (uint32_t)info->si_status}};
    clock_gettime(CLOCK_REALTIME, &now);
    if (info->si_code == CLD_EXITED) {
        ending.note[0] = PROFILE_EXIT_GROUP;
        ending.ended = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    }
    return ending;
}

/* Notes the end of a process in its last profile. The process is still a zombie, so its id has not been
 * reused. After each execve a process writes another profile, named with a number appended. */
static void note_ended(const struct launch *launch, const siginfo_t *info) {
    const struct ending ending = ending_of(info);
    char path[PATH_MAX + 32];
    int length = snprintf(path, sizeof path, "%s/%ju", launch->directory,
                          (uintmax_t)process_inner_id((uint64_t)info->si_pid));
    for (uint64_t number = 1; access(path, F_OK) == 0 && !note_in_profile(path, &ending); number++) {
        path[length] = '\0';
        path_add_number(path, sizeof path, number);
    }
}

/* Waits for any child. Returns its pid, 0 if WNOHANG is set and no child has ended, or -1. */
static pid_t wait_for_one(const struct launch *launch, int *status, int flags) {
    siginfo_t info = {.si_pid = 0};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT | flags) != 0)
        return -1;
    if (!info.si_pid)
        return 0;
    note_ended(launch, &info);
    return waitpid(info.si_pid, status, 0);
}

static int wait_for_command(const struct launch *launch) {
    int status = 0;
    for (pid_t ended = 0; ended != launch->pid;) {
        ended = wait_for_one(launch, &status, 0);
        if (ended < 0 && errno != EINTR)
            return LAUNCH_FAILED;
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* False if no child is left. */
static bool has_processes(const struct launch *launch) {
    int status;
    pid_t ended;
    while ((ended = wait_for_one(launch, &status, WNOHANG)) > 0)
        ;
    return ended == 0;
}

/* Waits for remaining processes, silently for the first second. sigtimedwait receives the signals: a handler
 * would lose an interrupt that arrives between the check and the wait. */
static void wait_for_processes(const struct launch *launch) {
    const struct timespec first = {.tv_sec = launch->patience ?: 1}, *patience = &first;
    sigset_t signals, unblocked;
    running = 0;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    for (int i = 0; i < HANDLED; i++)
        sigaddset(&signals, handled[i]);
    sigprocmask(SIG_BLOCK, &signals, &unblocked);
    for (int number = SIGCHLD; has_processes(launch) && (number == SIGCHLD || number < 0);) {
        number = sigtimedwait(&signals, NULL, patience);
        if (number < 0 && errno == EAGAIN) {
            if (launch->is_apart)
                break;
            patience = NULL;
            complain_file(NULL, "waiting for processes that the command left running; Ctrl-C reports now");
        }
    }
    sigprocmask(SIG_SETMASK, &unblocked, NULL);
}

int launch_wait(const struct launch *launch) {
    int status = wait_for_command(launch);
    if (!launch->is_apart || launch->patience)
        wait_for_processes(launch);
    if (launch->is_apart && has_processes(launch)) { /* otherwise the group's number may be another one's */
        kill(-launch->pid, SIGKILL);
        wait_for_processes(launch);
    }
    leave_signals();
    return status;
}

/* ---- Profiles. */

bool launch_was_counted(const struct launch *launch) {
    char *path = memory_text("%s/%d", launch->directory, (int)launch->pid);
    bool is_there = access(path, F_OK) == 0;
    free(path);
    return is_there;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk) {
    (void)status, (void)type, (void)walk;
    return remove(path);
}

void launch_clean(const struct launch *launch) {
    launch_remove(launch->directory);
}

void launch_remove(const char *folder) {
    nftw(folder, remove_one, 4, FTW_DEPTH | FTW_PHYS);
}

/* ---- Whether a library can be preloaded into a command. */

/* The kernel follows at most this many interpreters. */
enum { INTERPRETERS = 5, HEAD = 256 };

/* The path of the command as execvp(3) finds it; NULL: not found in PATH. The caller frees it. */
static char *find_command(const char *command) {
    if (strchr(command, '/'))
        return memory_text("%s", command);
    const char *at = getenv("PATH");
    for (size_t length; at; at = at[length] ? at + length + 1 : NULL) {
        length = strcspn(at, ":");
        char *path = memory_text("%.*s%s%s", (int)length, at, length ? "/" : "", command);
        if (access(path, X_OK) == 0)
            return path;
        free(path);
    }
    return NULL;
}

/* True if the file names a dynamic loader, which is needed to load libraries. */
static bool has_loader(int fd, const Elf64_Ehdr *header) {
    Elf64_Phdr segment;
    for (unsigned i = 0; i < header->e_phnum; i++)
        if (pread(fd, &segment, sizeof segment, (off_t)(header->e_phoff + i * sizeof segment)) ==
                (ssize_t)sizeof segment &&
            segment.p_type == PT_INTERP)
            return true;
    return false;
}

/* The kernel marks programs that gain privileges (AT_SECURE), and the loader then preloads nothing. */
static bool gains_rights(int fd) {
    struct stat status;
    if (fstat(fd, &status) != 0)
        return false;
    return (status.st_mode & S_ISUID && status.st_uid != getuid()) ||
           (status.st_mode & S_ISGID && status.st_gid != getgid()) ||
           (getuid() && fgetxattr(fd, "security.capability", NULL, 0) > 0);
}

const char *launch_unfit(int fd, const Elf64_Ehdr *header) {
    return header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64
               ? "is not a program for x86-64"
           : !has_loader(fd, header) ? "is linked statically: build it with allocsite-clang -static"
                                     : NULL;
}

static bool elf_refuses(int fd, const char *path, const Elf64_Ehdr *header, struct reason *why) {
    const char *what = launch_unfit(fd, header);
    if (!what && gains_rights(fd))
        what = "gains privileges, so nothing can be preloaded";
    if (what)
        reason_set(why, "%s %s", path, what);
    return what;
}

/* Replaces the path by the script's interpreter. False: the file is not a script. */
static bool take_interpreter(char **path, const char head[HEAD]) {
    const char *name = head + 2 + strspn(head + 2, " \t");
    size_t length = strcspn(name, " \t\n");
    if (strncmp(head, "#!", 2) != 0 || !length)
        return false;
    char *interpreter = memory_text("%.*s", (int)length, name);
    free(*path);
    *path = interpreter;
    return true;
}

bool program_refuses(const char *command, struct reason *why) {
    char *path = find_command(command);
    bool refuses = false, goes_on = path;
    for (int i = 0; goes_on && i < INTERPRETERS; i++) {
        union {
            Elf64_Ehdr elf;
            char text[HEAD];
        } head = {.text = ""};
        int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        goes_on = fd >= 0 && read(fd, head.text, HEAD - 1) > 0;
        if (goes_on && memcmp(head.text, ELFMAG, SELFMAG) == 0)
            refuses = elf_refuses(fd, path, &head.elf, why);
        goes_on = goes_on && take_interpreter(&path, head.text);
        if (fd >= 0)
            close(fd);
    }
    free(path);
    return refuses;
}
