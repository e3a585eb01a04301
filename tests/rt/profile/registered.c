/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions named by the size that they allocate: 40 that threads of the parent call at once, and 40 others that a
 * child calls, which was forked before. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUNCTION(who, number)                                                                                \
    static __attribute__((noinline)) void who##_##number(void) {                                             \
        void *volatile p = malloc(number);                                                                   \
        free(p);                                                                                             \
    }
#define TEN(X, who, tens)                                                                                    \
    X(who, tens##0)                                                                                          \
    X(who, tens##1) X(who, tens##2) X(who, tens##3) X(who, tens##4) X(who, tens##5) X(who, tens##6)          \
        X(who, tens##7) X(who, tens##8) X(who, tens##9)
#define FORTY(X, who)     TEN(X, who, 1) TEN(X, who, 2) TEN(X, who, 3) TEN(X, who, 4)
#define NAME(who, number) who##_##number,

FORTY(FUNCTION, parent)
FORTY(FUNCTION, child)

static void (*const parent[])(void) = {FORTY(NAME, parent)};
static void (*const child[])(void) = {FORTY(NAME, child)};
static pthread_barrier_t all;

static void *call_all(void *functions) {
    void (*const *function)(void) = functions;
    pthread_barrier_wait(&all);
    for (int i = 0; i < 40; i++)
        function[i]();
    return NULL;
}

static void in_threads(const void *functions) {
    pthread_t threads[4];
    pthread_barrier_init(&all, NULL, 4);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, call_all, (void *)functions);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

int main(void) {
    int ends[2], status = 1;
    char byte;
    if (pipe(ends) != 0)
        return 1;
    pid_t forked = fork();
    if (forked == 0) {
        close(ends[1]);
        if (read(ends[0], &byte, 1) != 0) /* until the parent has registered its sites */
            return 1;
        in_threads(child);
        return 0;
    }
    in_threads(parent);
    close(ends[1]);
    waitpid(forked, &status, 0);
    return status;
}
