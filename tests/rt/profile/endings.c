/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ways for a process to end: endings HOW. Whichever it is, what came before is counted. */
#define _GNU_SOURCE
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void allocate(void) {
    for (int i = 0; i < 1000; i++) {
        void *volatile p = malloc(100); /* thousand */
        if (i % 2)
            free(p);
    }
}

static void allocate_late(void) {
    void *volatile p = malloc(7); /* late */
    (void)p;
}

int main(int count, char **arguments) {
    const char *how = arguments[count - 1];
    if (strcmp(how, "again") == 0)
        return 0;
    allocate();
    atexit(allocate_late);
    if (strcmp(how, "_exit") == 0)
        _exit(3);
    if (strcmp(how, "_Exit") == 0)
        _Exit(3);
    if (strcmp(how, "quick_exit") == 0)
        quick_exit(3);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "fault") == 0)
        *(volatile int *)mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) = 1;
    if (strcmp(how, "kill") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(how, "terminate") == 0)
        kill(getpid(), SIGTERM);
    if (strcmp(how, "exec") == 0)
        execl("/proc/self/exe", arguments[0], "again", NULL);
    if (strcmp(how, "removed") == 0)
        unlink("e.profile");
    if (strcmp(how, "exec_failed") == 0)
        execl("/nowhere", "nowhere", NULL);
    if (strcmp(how, "vfork") == 0 && vfork() == 0)
        _exit(0);
    return 3;
}
