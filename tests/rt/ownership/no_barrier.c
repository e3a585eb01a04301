/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Several threads while membarrier is filtered: the error must not appear in errno. */
#include "../refuse_call.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

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
    refuse_call(SYS_membarrier, EPERM);
    pthread_create(&thread, NULL, work, &changed[0]);
    work(&changed[1]);
    pthread_join(thread, NULL);
    printf("%d %d\n", changed[0], changed[1]);
    return 0;
}
