/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In a thread with the smallest possible stack: exits, forks a child, or requests a
 * report. */
#include <allocsite.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile kept;
static const char *what;

static void *thread(void *unused) {
    kept = malloc(100);
    if (strcmp(what, "exit") == 0)
        exit(3);
    if (strcmp(what, "report") == 0)
        return allocsite_report_to(1, "format=json") ? unused : &kept;
    pid_t child = fork();
    if (!child) {
        kept = malloc(50);
        _exit(3);
    }
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 3 ? &kept : unused;
}

int main(int argc, char **argv) {
    (void)argc;
    what = argv[1];
    pthread_attr_t attributes;
    pthread_t id;
    void *is_right;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN);
    if (pthread_create(&id, &attributes, thread, NULL) != 0)
        return 1;
    pthread_join(id, &is_right);
    return is_right ? 3 : 1;
}
