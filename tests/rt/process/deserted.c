/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The first thread ends before the others do, in a process and in a child that it forks. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile inherited;
static pthread_t first;

static void *stay(void *status) {
    pthread_join(first, NULL);
    while (access("/proc/self/exe", F_OK) == 0)
        usleep(1000);
    free(inherited);
    puts("done");
    exit((int)(long)status);
}

static void desert(long status) {
    pthread_t thread;
    first = pthread_self();
    if (pthread_create(&thread, NULL, stay, (void *)status) == 0)
        pthread_exit(NULL);
}

int main(void) {
    inherited = malloc(100);
    pid_t child = fork();
    if (child == 0)
        desert(4);
    int status;
    waitpid(child, &status, 0);
    desert(WEXITSTATUS(status) == 4 ? 3 : 1);
}
