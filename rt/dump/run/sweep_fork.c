/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* --fork: one run of the command, which forks at each point. The children have this process as their parent
 * once the process between them and the command has ended (PR_SET_CHILD_SUBREAPER), so it learns how they
 * end. */
#include "dump/base/files.h"
#include "dump/base/memory.h"
#include "dump/run/sweep.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static struct launch launch;
static volatile sig_atomic_t is_interrupted;

/* Children that have ended still have results. */
static void handle_end(int number) {
    (void)number;
    is_interrupted = true;
    if (launch.pid > 0)
        kill(-launch.pid, SIGKILL);
}

static bool sweep_fork_prepare(const struct sweep *sweep) {
    uint64_t all = sweep->timeout / 1000000000 + 1, usual = 2 + sweep->plain.milliseconds / 500;
    uint64_t seconds = usual < all ? usual : all; /* a killed child is run again alone */
    launch = sweep->launch;
    launch.patience = (unsigned)(2 * seconds); /* for the last children */
    snprintf(launch.options, sizeof launch.options,
             ":fatal=1:reach=1:fail='fork:%" PRIu64 ":%" PRIu64 ":%d:%s'", sweep->jobs, seconds,
             sweep->per_site, launch.within);
    return launch_prepare(&launch);
}

/* Standard output and error are files, which children copy. Returns 0, or an exit status. */
static int sweep_fork_run(const struct sweep *sweep) {
    const struct sigaction on_end = {.sa_handler = handle_end};
    int saved_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);
    sweep_set_input(sweep->input);
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        int file = memfd_create("output", MFD_CLOEXEC);
        dup2(file, fd);
        close(file);
    }
    int status = launch_start(&launch, sweep->command);
    sigaction(SIGTERM, &on_end, NULL);
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        dup2(saved_stderr, fd);
    if (!status)
        launch_wait(&launch);
    return status;
}

/* ---- The results. */

struct results {
    struct sweep_point *list;
    size_t count, capacity;
};

static void add_result(struct results *results, const struct sweep_point *result) {
    memory_grow(&results->list, results->count, &results->capacity, sizeof *results->list);
    results->list[results->count++] = *result;
}

/* Several processes may come to one point. */
static bool is_finding(const struct results *results, uint64_t id) {
    for (size_t i = 0; i < results->count; i++)
        if (results->list[i].id == id && results->list[i].verdict >= SWEEP_DIFFERS)
            return true;
    return false;
}

/* Writes the results without findings. A finding may be an effect of the fork: a lock of the C library may
 * hold the id of the parent, or all children may write to one file. So the point is run again alone. */
static bool write_results(const struct results *results, const char *to) {
    bool is_written = true;
    for (size_t i = 0; i < results->count && is_written; i++)
        if (!is_finding(results, results->list[i].id))
            is_written = sweep_write_lines(&results->list[i], 1, to);
    return is_written;
}

static bool sweep_fork_examine(const struct sweep *sweep, const char *to) {
    struct results results = {.count = 0};
    int count;
    char **files = folder_files(launch.directory, &count);
    for (int i = 0; i < count; i++) {
        struct sweep_point result;
        if (sweep_judge_child(sweep, &result, files[i], launch.within, is_interrupted))
            add_result(&results, &result);
        free(files[i]);
    }
    free(files);
    bool is_written = write_results(&results, to);
    free(results.list);
    return is_written;
}

int sweep_run_forked(const struct sweep *sweep, const char *to) {
    setpgid(0, 0);
    if (!sweep_fork_prepare(sweep))
        return LAUNCH_FAILED;
    int status = sweep_fork_run(sweep);
    if (!status && (!sweep_write_lines(&sweep->plain, 1, to) || !sweep_fork_examine(sweep, to)))
        status = LAUNCH_FAILED;
    launch_clean(&launch);
    return status;
}
