/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages to the user. */
#include "dump/base/complain.h"

#include "base/out.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Names and what other files say can hold anything. */
static void say(const char *file, const char *format, va_list arguments, const char *hint) {
    char buffer[512], *text = NULL;
    struct out out;
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    out_open(&out, STDERR_FILENO, buffer, sizeof buffer);
    out_text(&out, "allocsite-dump: ");
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
    va_start(arguments, format);
    say(NULL, format, arguments, " (see allocsite-dump --help)\n");
    va_end(arguments);
    return STATUS_USAGE;
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
