/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A process of its own for reading debug information. */
#include "debug_child.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void debug_child_limit(void) {
    static const struct rlimit seconds = {600, 600}, memory = {(rlim_t)16 << 30, (rlim_t)16 << 30};
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_AS, &memory);
}

static int fail(struct reason *why, const char *text) {
    reason_set(why, "%s", text);
    return -1;
}

int debug_child(int (*work)(void *context), void *context, struct reason *why) {
    int status;
    pid_t child = fork();
    if (child < 0)
        return fail(why, strerror(errno));
    if (child == 0) {
        debug_child_limit();
        _exit(work(context));
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return fail(why, strerror(errno));
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    reason_set(why, "libdwarf failed on its debug information (%s)", strsignal(WTERMSIG(status)));
    return -1;
}
