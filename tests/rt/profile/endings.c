/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ways for a process to end: endings HOW. In each case everything before is counted. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
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

#define SELF "/proc/self/exe"

/* "exec_failed" returns. */
static void execute(const char *how, char *name) {
    char *arguments[] = {name, "again", NULL};
    setenv("PATH", "/nowhere:/proc/self", 1);
    if (strcmp(how, "execl") == 0)
        execl(SELF, name, "again", NULL);
    if (strcmp(how, "execle") == 0)
        execle(SELF, name, "again", NULL, environ);
    if (strcmp(how, "execlp") == 0)
        execlp("exe", name, "again", NULL);
    if (strcmp(how, "execv") == 0)
        execv(SELF, arguments);
    if (strcmp(how, "execve") == 0)
        execve(SELF, arguments, environ);
    if (strcmp(how, "execvp") == 0)
        execvp("exe", arguments);
    if (strcmp(how, "execvpe") == 0)
        execvpe("exe", arguments, environ);
    if (strcmp(how, "fexecve") == 0)
        fexecve(open(SELF, O_RDONLY), arguments, environ);
    int result = execlp("absent", NULL);
    assert(result == -1 && errno == ENOENT);
}

static jmp_buf outside;

static void jump(int number) {
    (void)number;
    longjmp(outside, 1);
}

/* Then it is killed, which no handler sees. */
static void jump_out_of_abort(void) {
    signal(SIGABRT, jump);
    if (setjmp(outside) == 0)
        abort();
    kill(getpid(), SIGKILL);
}

/* The C library's children share our memory until they execute a program, or fail. */
static void spawn(void) {
    char *arguments[] = {"exe", "again", NULL};
    pid_t pid;
    if (posix_spawn(&pid, SELF, NULL, NULL, arguments, environ) == 0)
        waitpid(pid, NULL, 0);
    assert(posix_spawn(&pid, "/nowhere", NULL, NULL, arguments, environ) == ENOENT);
    assert(system("exit 0") == 0);
}

static void write_to_nobody(void) {
    int ends[2];
    if (pipe(ends) || close(ends[0]) || write(ends[1], "x", 1) == 1)
        abort();
}

__attribute__((noinline)) static int overflow(volatile char *above) {
    volatile char room[4096];
    room[0] = above ? *above : 0;
    return overflow(room) + room[0];
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
    if (strcmp(how, "trap") == 0)
        __builtin_trap();
    if (strcmp(how, "pipe") == 0)
        write_to_nobody();
    if (strcmp(how, "overflow") == 0)
        overflow(NULL);
    if (strcmp(how, "vfork_killed") == 0 && vfork() == 0)
        raise(SIGTERM);
    if (strcmp(how, "kill") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(how, "terminate") == 0)
        kill(getpid(), SIGTERM);
    if (strncmp(how, "exec", 4) == 0 || strcmp(how, "fexecve") == 0)
        execute(how, arguments[0]);
    if (strcmp(how, "assert") == 0)
        assert(count == 0 &&
               "its message is above the peak, which was 50,100 bytes in 501 blocks of 100 bytes each");
    if (strcmp(how, "caught") == 0)
        jump_out_of_abort();
    if (strcmp(how, "removed") == 0)
        unlink("e.profile");
    if (strcmp(how, "vfork") == 0 && vfork() == 0)
        execute("execl", "/proc/self/exe");
    wait(NULL);
    if (strcmp(how, "spawn") == 0)
        spawn();
    return 3;
}
