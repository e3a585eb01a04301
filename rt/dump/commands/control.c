/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump start, stop, reset: of a running process. */
#include "dump/process/control.h"
#include "dump/commands/commands.h"
#include "dump/load/source.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {
    [CONTROL_START] = "start", [CONTROL_STOP] = "stop", [CONTROL_RESET] = "reset"};

static int help(void) {
    puts("usage: allocsite-dump start|stop|reset PID...\n"
         "\n"
         "Has running processes count, count no more, or start all counters afresh, as the\n"
         "functions allocsite_start, allocsite_stop and allocsite_reset do in them.\n"
         "Nothing is asked of the program: no signal is sent and none is needed, but the\n"
         "permission to write its memory, as a debugger has it. A reset happens when a\n"
         "thread next allocates or frees. What is to wait for a start is started with\n"
         "stopped=1; enabled=0 is for good in programs that do not call allocsite_start.\n"
         "\n"
         "examples:\n"
         "  ALLOCSITE_OPTIONS=stopped=1 ./server &\n"
         "  allocsite-dump start $!\n"
         "  allocsite-dump reset $!\n"
         "  allocsite-dump report $!");
    return STATUS_DONE;
}

static enum control named(const char *name) {
    enum control what = CONTROL_START;
    while (strcmp(names[what], name) != 0)
        what++;
    return what;
}

int command_control(int count, char **arguments) {
    int status = STATUS_DONE;
    struct reason why;
    unsigned pid;
    if (count > 1 && (strcmp(arguments[1], "--help") == 0 || strcmp(arguments[1], "-h") == 0))
        return help();
    if (count < 2)
        return complain_usage("%s: no process", arguments[0]);
    for (int i = 1; i < count; i++)
        if (!report_source_is_pid(arguments[i], &pid))
            return complain_usage("%s: %s is not the number of a process", arguments[0], arguments[i]);
    for (int i = 1; i < count; i++)
        if (report_source_is_pid(arguments[i], &pid) && !control_process(pid, named(arguments[0]), &why))
            status = complain(arguments[i], "%s", why.text);
    return status;
}
