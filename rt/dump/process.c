/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Processes of this machine. */
#include "process.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Behind the command, which may hold anything, come the state (field 3) and the start (field 22) of
 * proc_pid_stat(5). */
static bool parse_stat(const char *stat, char *state, uint64_t *start) {
    const char *at = strrchr(stat, ')');
    return at &&
           sscanf(at + 1,
                  " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64,
                  state, start) == 2;
}

static bool is_this_host(const char *host) {
    char name[256] = "";
    return !host || (gethostname(name, sizeof name - 1) == 0 && strcmp(name, host) == 0);
}

bool process_runs(uint64_t pid, uint64_t start_time, const char *host) {
    char path[64], stat[2048], state;
    uint64_t start;
    snprintf(path, sizeof path, "/proc/%" PRIu64 "/stat", pid);
    FILE *file = pid && is_this_host(host) ? fopen(path, "re") : NULL;
    if (!file)
        return false;
    size_t size = fread(stat, 1, sizeof stat - 1, file);
    fclose(file);
    stat[size] = '\0';
    return parse_stat(stat, &state, &start) && start == start_time && state != 'Z' && state != 'X';
}
