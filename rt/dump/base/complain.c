/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages to the user. */
#include "dump/base/complain.h"

#include "base/out.h"
#include "base/similar.h"
#include "dump/base/progress.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *complain_program = "allocsite-dump", *complain_command;

/* Names and what other files say can hold anything. */
static void say(const char *file, const char *format, va_list arguments, const char *hint) {
    char buffer[512], *text = NULL;
    struct out out;
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    progress_end();
    out_open(&out, STDERR_FILENO, buffer, sizeof buffer);
    out_text(&out, complain_program);
    out_text(&out, ": ");
    if (file) {
        out_plain(&out, file);
        out_text(&out, ": ");
    }
    out_plain(&out, text ? text : "out of memory");
    out_text(&out, hint);
    out_flush(&out);
    free(text);
}

int complain(const char *file, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(file, format, arguments, "\n");
    va_end(arguments);
    return STATUS_FAILED;
}

int complain_usage(const char *format, ...) {
    va_list arguments;
    char hint[64];
    snprintf(hint, sizeof hint, " (see %s%s%s --help)\n", complain_program, complain_command ? " " : "",
             complain_command ? complain_command : "");
    va_start(arguments, format);
    say(NULL, format, arguments, hint);
    va_end(arguments);
    return STATUS_USAGE;
}

/* getopt_long stays at a word of several letters until it is done with all of them. */
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
