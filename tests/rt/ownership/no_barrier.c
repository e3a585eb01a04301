/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Several threads where membarrier is filtered: no call of theirs may leave the error of that in errno. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static void forbid_membarrier(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        exit(77);
}

static void *work(void *changed) {
    void *volatile blocks[100];
    errno = 0;
    for (int i = 0; i < 100; i++)
        blocks[i] = malloc((size_t)i * 20);
    for (int i = 0; i < 100; i++)
        blocks[i] = realloc(blocks[i], (size_t)(100 - i) * 20);
    for (int i = 0; i < 100; i++)
        free(blocks[i]);
    *(int *)changed |= errno;
    return NULL;
}

int main(void) {
    pthread_t thread;
    int changed[2] = {0, 0};
    forbid_membarrier();
    pthread_create(&thread, NULL, work, &changed[0]);
    work(&changed[1]);
    pthread_join(thread, NULL);
    printf("%d %d\n", changed[0], changed[1]);
    return 0;
}
