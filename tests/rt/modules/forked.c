/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Opens a library, and forks while another thread runs.
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *wait_for_ever(void *unused) {
    (void)unused;
    for (;;)
        pause();
}

int main(int count, char **arguments) {
    pthread_t thread;
    int status;
    if (count != 2 || !dlopen(arguments[1], RTLD_NOW))
        return 1;
    pthread_create(&thread, NULL, wait_for_ever, NULL);
    pid_t child = fork();
    if (child < 0)
        return 1;
    void *volatile p = malloc(40);
    free(p);
    if (child == 0)
        exit(0);
    return waitpid(child, &status, 0) == child ? status : 1;
}
