/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages, progress and paging on the terminal. */
#include "dump/base/terminal.h"

#include "base/out.h"
#include "base/words.h"
#include "names/names.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- Progress on a terminal. */

#define SECOND INT64_C(1000000000)

/* There is one progress line for the process, because it has one terminal. */
static struct {
    int64_t next; /* time of the next update; 0: no activity */
    bool is_off, is_shown;
} state;

static int64_t terminal_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * SECOND + time.tv_nsec;
}

static void show_progress(const char *what, uint64_t done, uint64_t count) {
    fprintf(stderr, "\r%s%s%s %s\033[K", COUNT_TEXT(done), count ? " of " : "",
            count ? COUNT_TEXT(count) : "", what);
    state.is_shown = true;
}

void progress_show(const char *what, uint64_t done, uint64_t count) {
    int64_t time = terminal_now();
    if (!state.next)
        state.next = time + SECOND;
    if (time < state.next || state.is_off || !isatty(STDERR_FILENO))
        return;
    state.next = time + SECOND / 5;
    show_progress(what, done, count);
}

void progress_end(void) {
    static const char clear[] = "\r\033[K";
    if (state.is_shown && write(STDERR_FILENO, clear, sizeof clear - 1) < 0)
        state.is_off = true;
    state.is_shown = false;
    state.next = 0;
}

void progress_off(void) {
    progress_end();
    state.is_off = true;
}

/* ---- Messages to the user. */

const char *complain_program = "allocsite-dump", *complain_command;

/* File names and text from files may contain control characters. */
static void print_message(const char *file, const char *format, va_list arguments, const char *hint) {
    char buffer[512], *text = NULL;
    struct out out;
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    progress_end();
    out_open(&out, STDERR_FILENO, buffer, sizeof buffer);
    out_print(&out, "%s: ", complain_program);
    if (file) {
        out_plain(&out, file);
        out_text(&out, ": ");
    }
    out_plain(&out, text ? text : "out of memory");
    out_text(&out, hint);
    out_flush(&out);
    free(text);
}

int complain_file(const char *file, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_message(file, format, arguments, "\n");
    va_end(arguments);
    return STATUS_FAILED;
}

int complain_usage(const char *format, ...) {
    va_list arguments;
    char hint[64];
    snprintf(hint, sizeof hint, " (see %s%s%s --help)\n", complain_program, complain_command ? " " : "",
             complain_command ? complain_command : "");
    va_start(arguments, format);
    print_message(NULL, format, arguments, hint);
    va_end(arguments);
    return STATUS_USAGE;
}

/* optind stays at a word of several one-letter options until getopt_long is done with all of them. */
static const char *wrong_option(char **arguments) {
    const char *next = arguments[optind];
    bool has_more = optopt && next && next[0] == '-' && next[1] == optopt && next[2];
    return has_more ? next : arguments[optind - 1];
}

int complain_option(const char *command, const struct option *known, char **arguments) {
    const char *given = wrong_option(arguments), *word = given + strspn(given, "-");
    struct similar similar = {.word = word, .length = strcspn(word, "=")};
    for (; known->name; known++) {
        if (known->val == 'o' && strcmp(given, "-o") == 0)
            return complain_usage("%s: -o needs a value", command);
        bool is_named =
            strlen(known->name) == similar.length && strncmp(known->name, word, similar.length) == 0;
        if (is_named && strncmp(given, "--", 2) == 0)
            return complain_usage("%s: --%s %s", command, known->name,
                                  known->has_arg == no_argument ? "has no value" : "needs a value");
        similar_try(&similar, known->name);
    }
    if (similar.best && given[0] == '-')
        return complain_usage("%s: bad option %s, did you mean --%s?", command, given, similar.best);
    return complain_usage("%s: bad option %s", command, given);
}

int complain_value(const char *command, const char *option, const char *given, const char *right) {
    return complain_usage("%s: bad value of --%s: %s, it takes %s", command, option, given, right);
}

/* ---- Why something could not be read. */

bool reason_set(struct reason *why, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->text, sizeof why->text, format, arguments);
    va_end(arguments);
    return false;
}

bool reason_errno(struct reason *why) {
    return reason_set(why, "%s", strerror(errno));
}

/* ---- Standard output through a pager. */

static pid_t pager;

/* A terminal sends interrupts to the pager as well, which continues. We continue, too, because the shell
 * takes the terminal when we end. */
static const int ignored[] = {SIGINT, SIGQUIT, SIGPIPE};
enum { N_IGNORED = sizeof ignored / sizeof *ignored };

/* git's defaults: quit if the text fits the screen, show colours, do not clear the screen. */
static void run_pager(const char *command, int input) {
    dup2(input, STDIN_FILENO);
    setenv("LESS", "FRX", 0);
    if (command)
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    execlp("less", "less", (char *)NULL);
    execlp("cat", "cat", (char *)NULL);
    _exit(127);
}

bool pager_begin(void) {
    const char *command = getenv("ALLOCSITE_PAGER") ?: getenv("PAGER");
    int ends[2];
    if (!isatty(STDOUT_FILENO) || (command && (!*command || strcmp(command, "cat") == 0)) ||
        pipe2(ends, O_CLOEXEC) != 0)
        return false;
    /* Ignore signals before the fork: an interrupt right after the pager starts would end us otherwise. */
    void (*before[N_IGNORED])(int);
    for (int i = 0; i < N_IGNORED; ++i)
        before[i] = signal(ignored[i], SIG_IGN);
    pager = fork();
    if (pager <= 0)
        for (int i = 0; i < N_IGNORED; ++i)
            signal(ignored[i], before[i]);
    if (pager == 0)
        run_pager(command, ends[0]);
    if (pager > 0)
        dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    return pager > 0;
}

void pager_end(void) {
    if (pager <= 0)
        return;
    close(STDOUT_FILENO);
    while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
        ;
}
