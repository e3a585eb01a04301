/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs each step in a coroutine whose stack was filled with a pattern, and prints how many bytes were
 * overwritten: at the first time, on the slow path, and at the fourth. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <wchar.h>

#define SIZE ((size_t)64 << 10)

static unsigned char
    *stack; /* mapped near the TLS, so that the runtime also asks whether it is the thread's own */
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

static KEEP_APART void do_wide(void) {
    sink = wcsdup(L"wide");
}

static KEEP_APART void do_failing(void) {
    sink = malloc((size_t)-100000);
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
    size_t size; /* of the block that it frees or moves */
} steps[] = {{"malloc", do_malloc, 0},      {"free", do_free, 40},      {"large", do_large, 0},
             {"free_large", do_free, 5000}, {"calloc", do_calloc, 0},   {"realloc", do_realloc, 40},
             {"strdup", do_strdup, 0},      {"unsited", do_unsited, 0}, {"asprintf", do_asprintf, 0},
             {"wide", do_wide, 0},          {"failing", do_failing, 0}};

enum { STEPS = sizeof steps / sizeof *steps, ROUNDS = 3 };

/* The allocator itself starts here, and caches blocks of the steps' sizes. */
static void warm_up(void) {
    static const size_t sizes[] = {20, 40, 50, 100, 9000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        free(sink = malloc(sizes[i]));
}

/* Prints the names if there is no number. A step in a separate process is also the runtime's first work on
 * the coroutine's stack. */
int main(int count, char **arguments) {
    size_t later = 0;
    for (int i = 0; count == 1 && i < STEPS; i++)
        puts(steps[i].name);
    if (count == 1)
        return 3;
    int step = atoi(arguments[1]);
    warm_up();
    stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (steps[step].step == do_free || steps[step].step == do_realloc)
        sink = malloc(steps[step].size);
    size_t first = written(steps[step].step);
    for (int round = 0; round < ROUNDS; round++) {
        sink = malloc(steps[step].size);
        later = written(steps[step].step);
    }
    printf("%zu %zu\n", first, later);
    return 3;
}
