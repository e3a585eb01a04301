/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* limiting RESOURCE LIMIT COUNT SIZE: limits its own memory, allocates COUNT blocks, one that is too large, and
 * executes itself to check the limit. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile sink;

static void print_limit(const char *who, int resource) {
    struct rlimit limit = {0, 0}, same = {0, 0};
    getrlimit(resource, &limit);
    prlimit(getpid(), resource, NULL, &same);
    printf("%s %lu %lu %lu\n", who, (unsigned long)limit.rlim_cur, (unsigned long)limit.rlim_max,
           (unsigned long)same.rlim_cur);
    fflush(stdout);
}

static int allocated(int wanted, size_t size) {
    int got = 0;
    for (int i = 0; i < wanted; i++) {
        sink = malloc(size);
        got += sink != NULL;
    }
    return got;
}

int main(int count, char **arguments) {
    int resource = atoi(arguments[1]);
    if (count == 2) {
        print_limit("executed", resource);
        return 3;
    }
    size_t most = strtoul(arguments[2], NULL, 10);
    struct rlimit limit = {most, RLIM_INFINITY};
    free(malloc(10));
    setrlimit(resource, &limit);
    print_limit("itself", resource);
    execl("/nowhere", "nowhere", (char *)0);
    int got = allocated(atoi(arguments[3]), strtoul(arguments[4], NULL, 10));
    printf("%d blocks, %d more\n", got, allocated(1, most));
    fflush(stdout);
    if (fork() == 0) {
        print_limit("child", resource);
        execl(arguments[0], arguments[0], arguments[1], (char *)0);
    }
    wait(NULL);
    limit.rlim_cur = limit.rlim_max = most / 2;
    setrlimit(resource, &limit);
    print_limit("again", resource);
    execl(arguments[0], arguments[0], arguments[1], (char *)0);
}
