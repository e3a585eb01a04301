/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One run of the command, in a separate worker process.
 *
 * The worker has its own process group, so that an interrupt from the terminal reaches only the sweep, and
 * the command has another one, so that all its processes can be killed. Threads read standard output and
 * error, because a program that hangs may write without end. */
#include "base/hash.h"
#include "dump/base/files.h"
#include "dump/base/memory.h"
#include "dump/run/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* ---- Standard output and error of the command. */

struct stream {
    pthread_t reader;
    int from, to;        /* ends of a pipe */
    uint64_t hash, size; /* of all bytes */
    char last[512];      /* the last line that is neither empty nor the runtime's */
    char line[512];      /* the current line */
    size_t length;
};

static void end_line(struct stream *stream) {
    stream->line[stream->length] = '\0';
    if (stream->length && strncmp(stream->line, "allocsite", strlen("allocsite")) != 0)
        strcpy(stream->last, stream->line);
    stream->length = 0;
}

static void take_bytes(struct stream *stream, const char *bytes, size_t count) {
    stream->hash = fnv_1a_more(stream->hash, bytes, count);
    stream->size += count;
    for (size_t i = 0; i < count; i++)
        if (bytes[i] == '\n')
            end_line(stream);
        else if (stream->length + 1 < sizeof stream->line)
            stream->line[stream->length++] = bytes[i];
}

static void *read_stream(void *to) {
    struct stream *stream = to;
    char bytes[1 << 14];
    ssize_t count;
    while ((count = read(stream->from, bytes, sizeof bytes)) > 0 || (count < 0 && errno == EINTR))
        take_bytes(stream, bytes, count > 0 ? (size_t)count : 0);
    end_line(stream);
    return NULL;
}

void sweep_read_output(const char *path, uint64_t *hash, char **last) {
    struct stream stream = {.hash = FNV_1A_BASIS, .from = open(path, O_RDONLY | O_CLOEXEC)};
    if (stream.from >= 0) {
        read_stream(&stream);
        close(stream.from);
    }
    *hash = hash_more(stream.hash, stream.size);
    *last = stream.last[0] ? memory_text("%s", stream.last) : NULL;
}

/* Signals are for the main thread, which waits for the command. */
static bool stream_begin(struct stream *stream) {
    int ends[2];
    sigset_t all, before;
    *stream = (struct stream){.hash = FNV_1A_BASIS};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    stream->from = ends[0];
    stream->to = ends[1];
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int error = pthread_create(&stream->reader, NULL, read_stream, stream);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error == 0;
}

/* Processes that left the command's group may keep the pipe open. */
static void stream_end(struct stream *stream) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 2;
    pthread_timedjoin_np(stream->reader, NULL, &until);
}

/* ---- The command. */

static struct launch launch;
static volatile sig_atomic_t is_hanging;

enum { SECONDS_TO_ABORT = 2 };

static void kill_command(int number) {
    if (launch.pid > 0)
        kill(-launch.pid, number);
}

/* At SIGABRT the runtime notes the stack. A program that survives this is killed. */
static void handle_alarm(int number) {
    (void)number;
    kill_command(is_hanging ? SIGKILL : SIGABRT);
    is_hanging = true;
    alarm(SECONDS_TO_ABORT);
}

static void handle_end(int number) {
    kill_command(SIGKILL);
    _exit(128 + number);
}

static void set_alarm(uint64_t nanoseconds) {
    const struct sigaction on_alarm = {.sa_handler = handle_alarm}, on_end = {.sa_handler = handle_end};
    struct itimerval timer = {.it_value = {.tv_sec = (time_t)(nanoseconds / 1000000000),
                                           .tv_usec = (suseconds_t)(nanoseconds / 1000 % 1000000)}};
    sigaction(SIGALRM, &on_alarm, NULL);
    sigaction(SIGTERM, &on_end, NULL);
    if (nanoseconds)
        setitimer(ITIMER_REAL, &timer, NULL);
}

/* Every run reads the same standard input from its beginning. */
void sweep_set_input(int input) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", input);
    int fd = open(path, O_RDONLY);
    if (fd >= 0)
        dup2(fd, STDIN_FILENO);
    if (fd > STDERR_FILENO)
        close(fd);
}

static bool set_options(const struct sweep *sweep, const struct sweep_point *point) {
    char fail[64] = "";
    launch = sweep->launch;
    if (point)
        snprintf(fail, sizeof fail, ":fail=%s%016" PRIx64, sweep->per_site ? "" : "@", point->id);
    snprintf(launch.options, sizeof launch.options, ":fatal=1:reach=1%s", fail);
    return launch_prepare(&launch);
}

/* The command gets the pipes; this process keeps its own descriptors, so that the pipes end with the command.
 * Returns 0, or an exit status after an error message. */
static int sweep_run_start(const struct sweep *sweep, struct stream streams[2]) {
    int saved_stderr = dup(STDERR_FILENO);
    fcntl(saved_stderr, F_SETFD, FD_CLOEXEC);
    for (int i = 0; i < 2; i++)
        dup2(streams[i].to, STDOUT_FILENO + i);
    int status = launch_start(&launch, sweep->command);
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        dup2(saved_stderr, fd);
    for (int i = 0; i < 2; i++)
        close(streams[i].to);
    return status;
}

static uint64_t milliseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Returns 0, or an exit status after an error message. */
static int sweep_run_point(const struct sweep *sweep, struct sweep_point *result) {
    struct stream streams[2];
    sweep_set_input(sweep->input);
    if (!stream_begin(&streams[0]) || !stream_begin(&streams[1]))
        return complain_file(NULL, "no threads"), LAUNCH_FAILED;
    uint64_t begun = milliseconds_now();
    int status = sweep_run_start(sweep, streams);
    if (status)
        return complain_file(sweep->command[0], "%s", strerror(status == LAUNCH_NOT_FOUND ? ENOENT : EACCES)),
               status;
    set_alarm(sweep->timeout);
    result->status = (uint64_t)launch_wait(&launch);
    alarm(0);
    stream_end(&streams[0]);
    stream_end(&streams[1]);
    result->milliseconds = milliseconds_now() - begun;
    result->output = hash_more(streams[0].hash, streams[0].size);
    result->message = streams[1].last[0] ? memory_text("%s", streams[1].last) : NULL;
    return 0;
}

/* ---- The result. */

static void write_line(struct out *out, const struct sweep_point *point) {
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    sweep_point_write(&json, point);
    json_close(&json, '}');
    out_char(out, '\n');
}

bool sweep_write_lines(const struct sweep_point *points, size_t count, const char *to) {
    char buffer[1 << 14];
    struct out out;
    int fd = open(to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    out_open(&out, fd, buffer, sizeof buffer);
    for (size_t i = 0; i < count; i++)
        write_line(&out, &points[i]);
    int error = fd < 0 ? errno : out_flush(&out);
    if (error)
        complain_file(to, "%s", strerror(error));
    if (fd >= 0)
        close(fd);
    return !error;
}

/* False after an error message. */
static bool sweep_run_examine(const struct sweep *sweep, struct sweep_point *result, bool is_plain,
                              struct sweep *found) {
    struct reason why;
    if (!is_plain)
        sweep_judge(sweep, result, launch.directory, is_hanging);
    if (is_plain && !launch_was_counted(&launch)) {
        bool refuses = program_refuses(sweep->command[0], &why);
        complain_file(sweep->command[0], "is not counted: %s", refuses ? why.text : "it left no profile");
        return false;
    }
    bool is_found = !is_plain || sweep_points_find(found, launch.directory);
    if (is_plain) {
        result->details = found->plain.details;
        result->signal = found->plain.signal;
    }
    return is_found;
}

int sweep_run(const struct sweep *sweep, const struct sweep_point *point, const char *to) {
    struct sweep_point result = point ? *point : (struct sweep_point){.id = 0};
    struct sweep found = {.per_site = sweep->per_site};
    setpgid(0, 0);
    complain_program = "allocsite-run";
    if (!set_options(sweep, point))
        return LAUNCH_FAILED;
    int status = sweep_run_point(sweep, &result);
    if (!status && (!sweep_run_examine(sweep, &result, !point, &found) ||
                    !sweep_write_lines(&result, 1, to) || !sweep_write_lines(found.points, found.count, to)))
        status = LAUNCH_FAILED;
    launch_clean(&launch);
    return status;
}
