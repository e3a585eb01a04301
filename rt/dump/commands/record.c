/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump record: writes samples of a program's counters into a file. */
#include "dump/base/memory.h"
#include "dump/commands/commands.h"
#include "dump/load/source.h"
#include "dump/process/process.h"
#include "dump/record/recording.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct recording_job {
    struct taking taking;
    struct symbolizer symbolizer;
    uint64_t count; /* number of samples; 0: no limit */
    const char *output;

    pid_t child; /* the command; 0: attached to a running process */
    unsigned pid;
    char source[16];     /* the process, as for report_source_load */
    bool is_running;     /* the program of the last sample */
    uint64_t resident;   /* bytes of memory when last known */
    uint64_t start_time; /* of the process */
    struct reason why;   /* why there was no sample */
    uint64_t clock_begin, clock_epoch;
    uint64_t thinned; /* number that the user was told */
    sigset_t signals, before;
};

static const char help[] =
    "usage: allocsite-dump record [OPTION...] -o FILE PID\n"
    "       allocsite-dump record [OPTION...] -o FILE -- COMMAND [ARGUMENT...]\n"
    "\n"
    "Samples all counters of each site, and the resident memory, until the program\n"
    "ends, or Ctrl-C. The program is not stopped and runs nothing for it. The file\n"
    "can be read at any time, and after the recorder was killed.\n"
    "\n"
    "  -o FILE, --output=FILE  the recording\n"
    "  --interval=SECONDS      between samples (default: 1; 0.5 works)\n"
    "  --count=N               end after N samples\n"
    "  --max-size=SIZE         of the file (default: 47MiB); a full file loses some\n"
    "                          older samples\n" HELP_OF_LINE "\n"
    "With a command, the exit status is that of the command.\n"
    "\n"
    "examples:\n"
    "  allocsite-dump record -o app.rec -- ./app\n"
    "  allocsite-dump report --growth app.rec       sites whose live bytes only grow\n"
    "  allocsite-dump report --history app.rec      live bytes of all sites over time\n"
    "  allocsite-dump report --at=90s app.rec       the report of that moment\n"
    "  allocsite-dump diff app.rec@10s app.rec@5m   the changes between two samples\n"
    "  allocsite-dump export --format=trace -o app.json app.rec    for Perfetto";

/* ---- Time. The wall clock may jump, so it is read only once. */

#define SECOND UINT64_C(1000000000)

static uint64_t clock_now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

static uint64_t time_of_sample(const struct recording_job *job) {
    return job->clock_epoch + (clock_now(CLOCK_BOOTTIME) - job->clock_begin);
}

/* ---- Signals, received synchronously. */

static void block_signals(struct recording_job *job) {
    static const int list[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
    sigemptyset(&job->signals);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        sigaddset(&job->signals, list[i]);
    sigprocmask(SIG_BLOCK, &job->signals, &job->before);
}

/* True if the signal ends the recording. A terminal sends SIGINT to the command by itself; other signals are
 * passed on. */
static bool is_end(const struct recording_job *job, int signal_number) {
    if (signal_number <= 0 || signal_number == SIGCHLD)
        return false;
    if (job->child && signal_number != SIGINT)
        kill(job->child, signal_number);
    return !job->child;
}

/* Waits until that time or the end of the command. False: the user ends the recording. */
static bool wait_until(const struct recording_job *job, uint64_t then) {
    for (uint64_t now; (now = clock_now(CLOCK_BOOTTIME)) < then;) {
        const struct timespec remaining = {.tv_sec = (time_t)((then - now) / SECOND),
                                           .tv_nsec = (long)((then - now) % SECOND)};
        int signal_number = sigtimedwait(&job->signals, NULL, &remaining);
        if (is_end(job, signal_number))
            return false;
        if (signal_number == SIGCHLD)
            return true;
    }
    return true;
}

/* ---- The command. */

static bool start_command(struct recording_job *job, char **command) {
    volatile int error = 0;
    job->child = vfork();
    if (job->child == 0) {
        signal(SIGXFSZ, SIG_DFL);
        sigprocmask(SIG_SETMASK, &job->before, NULL);
        execvp(command[0], command);
        error = errno;
        _exit(127);
    }
    job->pid = (unsigned)job->child;
    if (job->child > 0 && !error)
        return true;
    complain_file(command[0], "%s", strerror(error ? error : errno));
    return false;
}

static bool command_runs(const struct recording_job *job) {
    siginfo_t info = {.si_pid = 0};
    return !job->child ||
           (waitid(P_PID, (id_t)job->child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && !info.si_pid);
}

static int status_of_command(const struct recording_job *job) {
    int status = 0;
    while (waitpid(job->child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- Samples. */

enum taken { TAKEN, NOT_TAKEN, CANNOT_WRITE };

static enum taken take_sample(struct recording_job *job) {
    struct report_limits everything = {.top = 0};
    struct report_source source;
    uint64_t time = time_of_sample(job);
    job->resident = process_resident(job->pid) ?: job->resident;
    if (!report_source_load(&source, job->source, &job->why))
        return NOT_TAKEN;
    report_source_lines(&source, &job->symbolizer);
    report_prepare(source.report, &everything);
    job->is_running = source.report->running;
    job->start_time = source.profile.start_time;
    bool is_written = taking_add(&job->taking, source.report, time, job->resident, &job->why);
    report_source_free(&source);
    return is_written ? TAKEN : CANNOT_WRITE;
}

static void report_thinned(struct recording_job *job) {
    uint64_t thinned = job->taking.thinned;
    if (thinned && !job->thinned)
        complain_file(job->output,
                      "is full: older samples are thinned out, the remaining ones are exact (--max-size)");
    job->thinned = thinned;
}

/* Waits for the command to start its runtime. The command may end without starting it. */
static enum taken take_first(struct recording_job *job) {
    for (;;) {
        enum taken taken = take_sample(job);
        if (taken == NOT_TAKEN && !command_runs(job))
            reason_set(&job->why, "ended before it could be read, or does not contain allocsite");
        if (taken != NOT_TAKEN || !job->child || !command_runs(job))
            return taken;
        if (!wait_until(job, clock_now(CLOCK_BOOTTIME) + SECOND / 100))
            return NOT_TAKEN;
    }
}

/* Samples at fixed times, independent of how long a sample takes. */
static enum taken take_more(struct recording_job *job) {
    enum taken taken = TAKEN;
    uint64_t interval = job->taking.interval, next = clock_now(CLOCK_BOOTTIME);
    while (taken == TAKEN && job->is_running && job->taking.sample_count != job->count) {
        report_thinned(job);
        uint64_t now = clock_now(CLOCK_BOOTTIME);
        next = next + interval > now ? next + interval : now + interval;
        if (!wait_until(job, next))
            return TAKEN;
        taken = take_sample(job);
    }
    if (taken == TAKEN && !job->is_running && process_runs(job->pid, job->start_time, NULL))
        complain_file(job->output, "ends here: the process runs another program now");
    return taken;
}

static int recording_job_run(struct recording_job *job, const char *name) {
    snprintf(job->source, sizeof job->source, REPORT_SOURCE_PID "%u", job->pid);
    job->clock_begin = clock_now(CLOCK_BOOTTIME);
    job->clock_epoch = clock_now(CLOCK_REALTIME);
    enum taken taken = take_first(job);
    if (taken == TAKEN)
        taken = take_more(job);
    report_thinned(job);
    if (taken == TAKEN)
        fprintf(stderr, "allocsite-dump: %s: %" PRIu64 " samples, %" PRIu64 " bytes\n", job->output,
                job->taking.sample_count, job->taking.writer.size);
    else
        complain_file(taken == CANNOT_WRITE ? job->output : name, "%s", job->why.text);
    taking_end(&job->taking);
    return taken == TAKEN ? STATUS_DONE : STATUS_FAILED;
}

static int record_command(struct recording_job *job, char **command) {
    block_signals(job);
    if (!start_command(job, command))
        return STATUS_FAILED;
    int status = recording_job_run(job, command[0]), of_command = status_of_command(job);
    return of_command ? of_command : status;
}

static int record_process(struct recording_job *job, const char *name) {
    if (!report_source_is_pid(name, &job->pid))
        return complain_usage("record: %s is not the number of a process; a command follows --", name);
    block_signals(job);
    return recording_job_run(job, name);
}

/* ---- The command line. */

static const char *take_limit(void *to, const char *value) {
    uint64_t *size = to;
    bool is_right = !take_size(size, value) && *size >= 4096 && *size <= (uint64_t)1 << 30;
    return is_right ? NULL : "a size from 4KiB to 1GiB";
}

#define AT(member) offsetof(struct recording_job, member)
static const struct argument list[] = {
    {"output", true, take_text, AT(output)},   {"interval", true, take_seconds, AT(taking.interval)},
    {"count", true, take_positive, AT(count)}, {"max-size", true, take_limit, AT(taking.limit)},
    ARGUMENTS_OF_LINE(AT(symbolizer.line)),    {0},
};

int command_record(int count, char **arguments) {
    struct recording_job job = {.taking = {.interval = SECOND, .limit = (uint64_t)47 << 20}};
    int status = arguments_take(&(struct arguments){"record", help, list}, &job, count, arguments);
    if (status != ARGUMENTS_TAKEN)
        return status;
    bool is_command = optind > 1 && strcmp(arguments[optind - 1], "--") == 0;
    if (!job.output)
        return complain_usage("record: no file to write (-o FILE)");
    if (optind == count || (!is_command && count - optind > 1))
        return complain_usage("record: needs a process, or -- and a command");
    job.taking.path = job.output;
    signal(SIGXFSZ, SIG_IGN);
    status = is_command ? record_command(&job, arguments + optind) : record_process(&job, arguments[optind]);
    symbolizer_free(&job.symbolizer);
    return status;
}
