/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages to the user. */
#include "dump/base/complain.h"

#include <stdarg.h>
#include <stdio.h>

static void put_name(const char *name) {
    for (; *name; name++)
        fputc((unsigned char)*name < 0x20 || *name == 0x7F ? '?' : *name, stderr);
}

int complain(const char *file, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("allocsite-dump: ", stderr);
    put_name(file);
    fputs(": ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return STATUS_FAILED;
}

int complain_usage(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("allocsite-dump: ", stderr);
    vfprintf(stderr, format, arguments);
    fputs(" (see allocsite-dump --help)\n", stderr);
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
