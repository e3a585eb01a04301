/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program that waits for any child while it writes reports. It has one child, and sees no other.
 *
 *     waiting handler|ignore|thread */
#include <allocsite.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int signals, reaped;
static void *volatile leaked;

static void handle(int number) {
    (void)number;
    signals++;
}

static void *reap(void *unused) {
    while (waitpid(-1, NULL, 0) > 0)
        reaped++;
    return unused;
}

int main(int count, char **arguments) {
    const char *way = count > 1 ? arguments[1] : "";
    if (strcmp(way, "thread") != 0)
        signal(SIGCHLD, strcmp(way, "ignore") == 0 ? SIG_IGN : handle);
    pid_t child = fork();
    if (child < 0)
        return 2; /* kill(-1) would end all processes */
    if (!child)
        for (;;)
            pause();
    pthread_t thread;
    if (strcmp(way, "thread") == 0)
        pthread_create(&thread, NULL, reap, NULL);
    leaked = malloc(10);
    leaked = NULL;
    for (int i = 0; i < 5; i++)
        if (allocsite_report("now.json", "json") != 0)
            puts("no report");
    kill(child, SIGKILL);
    if (strcmp(way, "thread") == 0)
        pthread_join(thread, NULL);
    else
        reap(NULL);
    printf("%d signals, %d reaped\n", signals, reaped);
    fflush(stdout);
    return 3;
}
