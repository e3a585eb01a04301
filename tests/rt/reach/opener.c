/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Opens a library and uses it in two threads, one of which still runs at exit.
#include "common.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static sem_t kept;

static void *run(void *keep) {
    ((void (*)(void))keep)();
    clear_stack();
    sem_post(&kept);
    for (;;)
        pause();
}

int main(int argc, char **argv) {
    pthread_t thread;
    void *library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
    void (*keep)(void) = library ? (void (*)(void))dlsym(library, "keep") : NULL;
    if (!keep)
        return 1;
    sem_init(&kept, 0, 0);
    keep();
    pthread_create(&thread, NULL, run, (void *)keep);
    sem_wait(&kept);
    clear_stack();
    puts("done");
    clear_stack();
    return 3;
}
