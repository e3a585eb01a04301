/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-run --fail-each. */
#include "dump/run/sweep.h"

#include "base/arrays.h"
#include "base/words.h"
#include "dump/base/files.h"
#include "dump/base/memory.h"
#include "dump/commands/commands.h"
#include "dump/export/export.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const char help[] =
    "usage: allocsite-run --fail-each [OPTION...] [--] COMMAND [ARGUMENT...]\n"
    "\n"
    "Runs the command once for each call path on which it allocates, makes the first\n"
    "allocation there fail, and reports crashes, hangs, leaks and memory errors.\n"
    "\n"
    "  --per=path|site          the unit that fails (default: path)\n"
    "  --jobs=N                 simultaneous runs (default: 1)\n"
    "  --timeout=SECONDS        a longer run hangs (default: 10 times the first run, and\n"
    "                           10 s)\n"
    "  --stacks=N               frames of a path in code without contexts (default: 16)\n"
    "  --fork                   try all paths in one run, which forks at each; findings are\n"
    "                           confirmed by a run of their own\n"
    "  --leaks                  leaks fail the sweep, too\n"
    "  --baseline=FILE          results of an earlier sweep in JSON, which are known\n"
    "  --resume=FILE            keep the results in FILE as JSON, and go on from there\n"
    "  --format=text|json|sarif|github\n"
    "  -o FILE, --output=FILE   write to FILE\n"
    "\n"
    "The exit status is 1 if there is a crash, hang or memory error that is not known.\n"
    "\n"
    "examples:\n"
    "  allocsite-run --fail-each --jobs=4 ./parser-test\n"
    "  allocsite-run --fail-each --baseline=known.json --format=github ./parser-test";

struct sweeping {
    struct sweep sweep;
    const char *baseline, *resume;
    uint64_t stacks, timeout;
    sweep_function *write;
    char folder[PATH_MAX]; /* of the workers' results and profiles */
    bool is_forking;       /* the next worker runs all points at once */
    struct worker {
        pid_t pid; /* 0: none */
        struct sweep_point *point;
    } * workers;
};

/* ---- Options. */

static const char *take_per(void *to, const char *value) {
    *(bool *)to = strcmp(value, "site") == 0;
    return *(bool *)to || strcmp(value, "path") == 0 ? NULL : "path or site";
}

static const char *take_format(void *to, const char *value) {
    static const struct {
        const char *name;
        sweep_function *write;
    } formats[] = {
        {"text", sweep_text}, {"json", sweep_json}, {"sarif", sweep_sarif}, {"github", sweep_github}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, value) == 0) {
            *(sweep_function **)to = formats[i].write;
            return NULL;
        }
    return "text, json, sarif or github";
}

#define AT(member) offsetof(struct sweeping, member)
static const struct argument list[] = {
    {"fail-each", false, take_nothing, 0},
    {"per", true, take_per, AT(sweep.per_site)},
    {"jobs", true, take_positive, AT(sweep.jobs)},
    {"timeout", true, take_seconds, AT(timeout)},
    {"stacks", true, take_positive, AT(stacks)},
    {"fork", false, take_flag, AT(sweep.forks)},
    {"leaks", false, take_flag, AT(sweep.counts_leaks)},
    {"baseline", true, take_text, AT(baseline)},
    {"resume", true, take_text, AT(resume)},
    {"format", true, take_format, AT(write)},
    {"output", true, take_output_file, 0},
    {0},
};
#undef AT

/* Returns the number of arguments before the command. */
static int count_options(char **arguments) {
    int at = 1;
    while (arguments[at] && arguments[at][0] == '-' && strcmp(arguments[at], "--") != 0)
        at += strcmp(arguments[at], "-o") == 0 && arguments[at + 1] ? 2 : 1;
    return at;
}

bool sweep_is_wanted(char **arguments) {
    int count = count_options(arguments);
    for (int i = 1; i < count; i++)
        if (strcmp(arguments[i], "--fail-each") == 0)
            return true;
    return false;
}

/* Returns ARGUMENTS_TAKEN, or an exit status. */
static int take_options(struct sweeping *sweeping, char **arguments) {
    static const struct arguments known = {"--fail-each", help, list};
    int count = count_options(arguments);
    char **words = memory_copy(arguments, ((size_t)count + 1) * sizeof *words);
    words[count] = NULL;
    int status = arguments_take(&known, sweeping, count, words);
    sweeping->sweep.command = arguments + count + (arguments[count] && strcmp(arguments[count], "--") == 0);
    if (status == ARGUMENTS_TAKEN && !sweeping->sweep.command[0])
        status = complain_usage("no command");
    if (status == ARGUMENTS_TAKEN && (sweeping->stacks > LAUNCH_STACKS_MOST || sweeping->sweep.jobs > 1024))
        status = complain_usage("--stacks takes a number from 1 to 64, --jobs from 1 to 1024");
    free(words);
    return status;
}

/* ---- Standard input. */

/* A descriptor of a file with all of standard input, so that each run can read it; -1: none. */
static int keep_input(void) {
    char bytes[1 << 14];
    int to =
        isatty(STDIN_FILENO) ? open("/dev/null", O_RDONLY | O_CLOEXEC) : memfd_create("input", MFD_CLOEXEC);
    for (ssize_t size; !isatty(STDIN_FILENO) && (size = read(STDIN_FILENO, bytes, sizeof bytes)) > 0;)
        if (write(to, bytes, (size_t)size) != size)
            return complain_file("standard input", "%s", strerror(errno)), -1;
    return to;
}

/* ---- Workers. */

static volatile sig_atomic_t is_interrupted;

static void handle_interrupt(int number) {
    (void)number;
    is_interrupted = true;
}

/* No SA_RESTART: an interrupt ends the wait for workers. */
static void take_interrupts(void) {
    const struct sigaction action = {.sa_handler = handle_interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

static void leave_interrupts(void) {
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
}

static char *result_path(const struct sweeping *sweeping, const struct sweep_point *point) {
    return memory_text("%s/%016" PRIx64 ".result", sweeping->folder, point ? point->id : 0);
}

static bool worker_start(struct sweeping *sweeping, struct worker *worker, struct sweep_point *point) {
    char *path = result_path(sweeping, point);
    fflush(NULL);
    *worker = (struct worker){fork(), point};
    if (worker->pid == 0) {
        leave_interrupts();
        _exit(sweeping->is_forking ? sweep_run_forked(&sweeping->sweep, path)
                                   : sweep_run(&sweeping->sweep, point, path));
    }
    if (worker->pid < 0)
        complain_file(NULL, "%s", strerror(errno));
    free(path);
    return worker->pid > 0;
}

/* Calls the function for each line of the file that has a point. The function owns it. False: *why. */
typedef void take_point(struct sweeping *, struct sweep_point *);
static bool read_points(struct sweeping *sweeping, const char *path, take_point *take, struct reason *why) {
    char *bytes;
    size_t size;
    struct sweep_point point;
    if (!whole_input(path, &bytes, &size, why))
        return false;
    char *text = memory_need(strndup(bytes, size)), *remaining = text;
    for (char *line; (line = strsep(&remaining, "\n"));)
        if (sweep_point_read(&point, line))
            take(sweeping, &point);
    free(text);
    free(bytes);
    return true;
}

static void take_result(struct sweeping *sweeping, struct sweep_point *result) {
    struct sweep_point *point = sweep_find(&sweeping->sweep, result->id);
    if (!point) {
        sweep_point_free(result);
        return;
    }
    sweep_point_free(point);
    *point = *result;
}

/* The first line of a plain run is the run itself. */
static void take_plain(struct sweeping *sweeping, struct sweep_point *point) {
    struct sweep *sweep = &sweeping->sweep;
    if (!point->id) {
        sweep->plain = *point;
        return;
    }
    memory_grow(&sweep->points, sweep->count, &sweep->capacity, sizeof *sweep->points);
    sweep->points[sweep->count++] = *point;
}

static void take_second(struct sweeping *sweeping, struct sweep_point *point) {
    struct sweep *sweep = &sweeping->sweep;
    if (!point->id)
        sweep->output_varies = point->output != sweep->plain.output;
    sweep_point_free(point);
}

/* False: the worker has left no result. */
static bool worker_end(struct sweeping *sweeping, struct worker *worker, int status, take_point *take) {
    char *path = result_path(sweeping, worker->point);
    struct reason why;
    bool is_read = WIFEXITED(status) && WEXITSTATUS(status) == 0 && read_points(sweeping, path, take, &why);
    unlink(path);
    free(path);
    worker->pid = 0;
    return is_read;
}

/* ---- The runs. */

/* Returns 0, or an exit status. */
static int run_plain(struct sweeping *sweeping, take_point *take) {
    struct worker worker;
    int status = 0;
    if (!worker_start(sweeping, &worker, NULL))
        return LAUNCH_FAILED;
    while (waitpid(worker.pid, &status, 0) < 0 && errno == EINTR)
        if (is_interrupted)
            kill(worker.pid, SIGTERM);
    if (worker_end(sweeping, &worker, status, take))
        return 0;
    if (is_interrupted)
        return 128 + SIGINT;
    return WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : LAUNCH_FAILED;
}

/* Leaves pending what children have found, and points that no child has come to, such as those in programs
 * with threads. */
static void run_forked(struct sweeping *sweeping) {
    sweeping->is_forking = true;
    run_plain(sweeping, take_result);
    sweeping->is_forking = false;
}

static struct sweep_point *next_point(struct sweep *sweep, size_t *at) {
    while (*at < sweep->count && sweep->points[*at].verdict != SWEEP_PENDING)
        ++*at;
    return *at < sweep->count ? &sweep->points[(*at)++] : NULL;
}

static struct worker *find_worker(const struct sweeping *sweeping, pid_t pid) {
    for (size_t i = 0; i < sweeping->sweep.jobs; i++)
        if (sweeping->workers[i].pid == pid)
            return &sweeping->workers[i];
    return NULL;
}

/* A worker kills its command when it gets a signal to end. */
static void end_workers(struct sweeping *sweeping) {
    for (size_t i = 0; i < sweeping->sweep.jobs; i++)
        if (sweeping->workers[i].pid > 0)
            kill(sweeping->workers[i].pid, SIGTERM);
    while (wait(NULL) > 0 || errno == EINTR)
        continue;
}

/* The point of a worker that has left no result, for a reason that it has reported, stays pending. */
static void run_points(struct sweeping *sweeping) {
    struct sweep *sweep = &sweeping->sweep;
    size_t at = 0, running = 0, done = 0;
    while (!is_interrupted) {
        struct worker *idle = find_worker(sweeping, 0);
        struct sweep_point *point = idle ? next_point(sweep, &at) : NULL;
        if (point) {
            running += worker_start(sweeping, idle, point);
            continue;
        }
        int status;
        pid_t ended = running ? wait(&status) : 0;
        struct worker *worker = ended > 0 ? find_worker(sweeping, ended) : NULL;
        if (!running)
            break;
        if (!worker)
            continue;
        worker_end(sweeping, worker, status, take_result);
        running--;
        progress_show("allocations failed", ++done, sweep->count);
    }
    end_workers(sweeping);
    progress_end();
}

/* ---- Earlier results. */

/* Builds differ in ids, so the functions of the path decide. */
static void take_known(struct sweeping *sweeping, struct sweep_point *known) {
    uint64_t fingerprint = sweep_point_fingerprint(known);
    for (size_t i = 0; i < sweeping->sweep.count; i++) {
        struct sweep_point *point = &sweeping->sweep.points[i];
        point->known |= sweep_point_fingerprint(point) == fingerprint;
    }
    sweep_point_free(known);
}

/* A file of --resume need not exist. */
static bool read_earlier(struct sweeping *sweeping, const char *path, take_point *take, bool may_lack) {
    struct reason why;
    if (!path || (may_lack && access(path, F_OK) != 0) || read_points(sweeping, path, take, &why))
        return true;
    complain_file(path, "%s", why.text);
    return false;
}

static bool write_resume(const struct sweeping *sweeping) {
    char buffer[1 << 14];
    struct new_file file;
    struct reason why;
    struct out out;
    if (!sweeping->resume)
        return true;
    if (!new_file_open(&file, sweeping->resume, &why))
        return complain_file(sweeping->resume, "%s", why.text), false;
    out_open(&out, file.fd, buffer, sizeof buffer);
    sweep_json(&out, &sweeping->sweep);
    if (!new_file_end(&file, out_flush(&out), &why))
        return complain_file(sweeping->resume, "%s", why.text), false;
    return true;
}

/* ---- The whole sweep. */

static int compare_points(const void *a, const void *b) {
    const struct sweep_point *left = a, *right = b;
    const char *left_file = left->file ?: "", *right_file = right->file ?: "";
    return compare_u64(right->verdict, left->verdict) ?: strcmp(left_file, right_file)
               ?: compare_u64(left->line, right->line)
               ?: compare_u64(left->id, right->id);
}

static int status_of(const struct sweep *sweep) {
    for (size_t i = 0; i < sweep->count; i++) {
        const struct sweep_point *point = &sweep->points[i];
        bool fails = point->verdict >= SWEEP_HANG || (point->verdict == SWEEP_LEAK && sweep->counts_leaks);
        if (fails && !point->known)
            return STATUS_FAILED;
    }
    if (sweep->is_interrupted)
        return 128 + SIGINT;
    return sweep->count && sweep->points[sweep->count - 1].verdict == SWEEP_PENDING ? LAUNCH_FAILED
                                                                                    : STATUS_DONE;
}

static int sweep_finish(struct sweeping *sweeping) {
    struct sweep *sweep = &sweeping->sweep;
    sweep->is_interrupted = is_interrupted;
    leave_interrupts();
    bool is_known = read_earlier(sweeping, sweeping->baseline, take_known, false);
    sort_list(sweep->points, sweep->count, sizeof *sweep->points, compare_points);
    bool is_kept = write_resume(sweeping);
    sweeping->write(standard_out(), sweep);
    bool is_written = standard_out_end() == STATUS_DONE;
    return is_known && is_kept && is_written ? status_of(sweep) : LAUNCH_FAILED;
}

static int sweep_all(struct sweeping *sweeping) {
    struct sweep *sweep = &sweeping->sweep;
    int status = run_plain(sweeping, take_plain);
    if (!status)
        status = run_plain(sweeping, take_second);
    if (status)
        return status;
    sweep->timeout = sweeping->timeout ?: (10000 + 10 * sweep->plain.milliseconds) * 1000000;
    if (!read_earlier(sweeping, sweeping->resume, take_result, true))
        return LAUNCH_FAILED;
    if (sweep->forks)
        run_forked(sweeping);
    run_points(sweeping);
    return sweep_finish(sweeping);
}

int sweep_command(int count, char **arguments) {
    struct sweeping sweeping = {.sweep.jobs = 1, .stacks = LAUNCH_STACKS_DEFAULT, .write = sweep_text};
    const char *parent = getenv("TMPDIR");
    (void)count;
    int status = take_options(&sweeping, arguments);
    if (status != ARGUMENTS_TAKEN)
        return status == STATUS_DONE ? standard_out_status(status) : LAUNCH_FAILED;
    sweeping.sweep.launch = (struct launch){
        .stacks = sweeping.stacks, .are_stacks_chosen = true, .is_apart = true, .within = sweeping.folder};
    sweeping.workers = memory_zeros(sweeping.sweep.jobs, sizeof *sweeping.workers);
    if (!launch_folder(sweeping.folder, parent) || (sweeping.sweep.input = keep_input()) < 0)
        return LAUNCH_FAILED;
    take_interrupts();
    status = sweep_all(&sweeping);
    launch_remove(sweeping.folder);
    for (size_t i = 0; i < sweeping.sweep.count; i++)
        sweep_point_free(&sweeping.sweep.points[i]);
    free(sweeping.sweep.points);
    free(sweeping.workers);
    return status;
}
