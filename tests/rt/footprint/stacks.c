/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs each step in a coroutine whose stack was filled with a pattern, and prints how many bytes were overwritten: at
 * the first time, on the slow path, and at the fourth. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define SIZE ((size_t)64 << 10)

static _Alignas(16) unsigned char stack[SIZE];
static void *volatile sink;

void unsited(void);

#define KEEP_APART __attribute__((noinline))

static KEEP_APART void do_malloc(void) {
    sink = malloc(40);
}

static KEEP_APART void do_free(void) {
    free(sink);
}

static KEEP_APART void do_large(void) {
    sink = malloc(5000);
}

static KEEP_APART void do_calloc(void) {
    sink = calloc(5, 8);
}

static KEEP_APART void do_realloc(void) {
    sink = realloc(sink, 100);
}

static KEEP_APART void do_strdup(void) {
    sink = strdup("forty characters, all for one string's sake");
}

static KEEP_APART void do_unsited(void) {
    unsited();
}

static KEEP_APART void do_asprintf(void) {
    char *text = NULL;
    sink = asprintf(&text, "%d", 5) > 0 ? text : NULL;
}

static size_t written(void (*step)(void)) {
    static ucontext_t caller, coroutine;
    size_t below = 0;
    memset(stack, 0xA5, SIZE);
    getcontext(&coroutine);
    coroutine.uc_stack = (stack_t){.ss_sp = stack, .ss_size = SIZE};
    coroutine.uc_link = &caller;
    makecontext(&coroutine, step, 0);
    swapcontext(&caller, &coroutine);
    while (below < SIZE && stack[below] == 0xA5)
        below++;
    return SIZE - below;
}

static const struct {
    const char *name;
    void (*step)(void);
} steps[] = {{"malloc", do_malloc},     {"free", do_free},     {"large", do_large},
             {"free_large", do_free},   {"calloc", do_calloc}, {"realloc", do_realloc},
             {"free_realloc", do_free}, {"strdup", do_strdup}, {"unsited", do_unsited},
             {"asprintf", do_asprintf}};

enum { STEPS = sizeof steps / sizeof *steps, ROUNDS = 4 };

int main(void) {
    size_t first[STEPS], last[STEPS];
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < STEPS; i++)
            (round ? last : first)[i] = written(steps[i].step);
    for (int i = 0; i < STEPS; i++)
        printf("%s %zu %zu\n", steps[i].name, first[i], last[i]);
    return 3;
}
