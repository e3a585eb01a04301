/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Standard output through a pager. */
#include "dump/base/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t pager;

/* As git has it: what fits the screen stays there, colours are shown, and the screen is not cleared. */
static void run(const char *command, int input) {
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
    pager = fork();
    if (pager == 0)
        run(command, ends[0]);
    if (pager > 0) {
        /* A terminal sends interrupts to the pager as well, which goes on: so do we, for we give the terminal
         * back to the shell. */
        signal(SIGINT, SIG_IGN);
        signal(SIGQUIT, SIG_IGN);
        signal(SIGPIPE, SIG_IGN);
        dup2(ends[1], STDOUT_FILENO);
    }
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
