/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Children of all kinds: children HOW COUNT. Child i frees 10 blocks that it inherited and allocates 100 + i. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCKS 20

static void *blocks[BLOCKS];

static void work(int number) {
    for (int i = 0; i < 10; i++)
        free(blocks[i]);
    for (int i = 0; i < 100 + number; i++) {
        void *volatile p = malloc(50); /* child */
        if (i < 100)
            free(p);
    }
}

static void start(const char *how, int number, char **arguments) {
    pid_t child = 0;
    if (strcmp(how, "fork") == 0 || strcmp(how, "killed") == 0 || strcmp(how, "idle") == 0)
        child = fork();
    else if (strcmp(how, "clone") == 0)
        child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    else if (strcmp(how, "spawn") == 0) {
        char text[16];
        sprintf(text, "%d", number);
        char *const again[] = {arguments[0], "spawned", text, NULL};
        posix_spawn(&child, arguments[0], NULL, NULL, again, environ);
    } else if (strcmp(how, "vfork") == 0) {
        child = vfork();
        if (child == 0)
            _exit(0);
    } else if (strcmp(how, "daemon") == 0) {
        child = fork();
        if (child == 0 && daemon(1, 1) != 0)
            _exit(1);
    }
    if (child != 0)
        return;
    if (strcmp(how, "idle") == 0)
        _exit(0);
    work(number);
    if (strcmp(how, "killed") == 0)
        kill(getpid(), SIGKILL);
    exit(0);
}

int main(int count, char **arguments) {
    const char *how = arguments[1];
    int children = count > 2 ? atoi(arguments[2]) : 1;
    if (strcmp(how, "spawned") == 0) {
        work(children);
        return 0;
    }
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = malloc(1000); /* parent */
    for (int i = 0; i < children; i++)
        start(how, i, arguments);
    while (wait(NULL) > 0)
        ;
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[i]);
    return 0;
}
