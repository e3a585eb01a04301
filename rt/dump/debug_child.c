/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A process of its own for reading debug information. */
#include "debug_child.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* If it dies it leaves no core file, if it does not end it is stopped, and it does not get all memory. */
static void limit(void) {
    static const struct rlimit seconds = {600, 600}, memory = {(rlim_t)16 << 30, (rlim_t)16 << 30};
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_AS, &memory);
}

static int fail(struct reason *why, const char *text) {
    reason_set(why, "%s", text);
    return -1;
}

pid_t debug_child_begin(struct reason *why) {
    pid_t child = fork();
    if (child == 0)
        limit();
    return child < 0 ? fail(why, strerror(errno)) : child;
}

int debug_child_end(pid_t child, struct reason *why) {
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return fail(why, strerror(errno));
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    reason_set(why, "libdwarf failed on its debug information (%s)", strsignal(WTERMSIG(status)));
    return -1;
}

int debug_child(int (*work)(void *context), void *context, struct reason *why) {
    pid_t child = debug_child_begin(why);
    if (child == 0)
        _exit(work(context));
    return child < 0 ? -1 : debug_child_end(child, why);
}
