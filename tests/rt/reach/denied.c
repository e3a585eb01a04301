// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A process whose threads nobody may stop: ptrace is filtered.
#include "common.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *wait_for_ever(void *unused) {
    for (;;)
        pause();
    return unused;
}

static void forbid_ptrace(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        exit(77);
}

int main(int argc, char **argv) {
    pthread_t thread;
    (void)argv;
    forbid_ptrace();
    if (argc > 1)
        pthread_create(&thread, NULL, wait_for_ever, NULL);
    lose(malloc(10));
    clear_stack();
    puts("done");
    return 3;
}
