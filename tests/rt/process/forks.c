/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Children of fork, from the main thread and from another one, of _Fork and of vfork. Each counts from zero and reports
 * at its exit; a child of vfork counts for its parent. The notes in the source are the parent's expected counts. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile sink;

static void allocate(int n) {
    for (int i = 0; i < n; i++)
        sink = malloc(10); /* @ 12 120 0 0 0 */
}

static void wait_for(pid_t child, int status) {
    int got;
    if (waitpid(child, &got, 0) != child || !WIFEXITED(got) || WEXITSTATUS(got) != status)
        abort();
}

static void *fork_in_thread(void *unused) {
    allocate(5);
    pid_t child = fork();
    if (child == 0) {
        allocate(100);
        pid_t grandchild = fork();
        if (grandchild == 0) {
            allocate(1000);
            exit(22);
        }
        wait_for(grandchild, 22);
        exit(21);
    }
    wait_for(child, 21);
    return unused;
}

int main(void) {
    pthread_t thread;
    allocate(3);
    pthread_create(&thread, NULL, fork_in_thread, NULL); /* @ any */
    pthread_join(thread, NULL);
    pid_t child = _Fork();
    if (child == 0) {
        allocate(10000);
        exit(23);
    }
    wait_for(child, 23);
    child = vfork();
    if (child == 0) {
        allocate(2);
        _exit(24);
    }
    wait_for(child, 24);
    allocate(2);
    puts("done");
    return 3;
}
