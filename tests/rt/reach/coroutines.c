/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Coroutines on mmap'ed stacks: blocks held by suspended ones are reachable. Blocks that only finished calls left on
// these stacks, or that unreachable coroutines hold, are not.
#define _GNU_SOURCE
#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { SIZE = 1 << 16, COUNT = 8 };

static ucontext_t main_context;
static ucontext_t *contexts[COUNT]; // each in its own block, which alone refers to the stack
static void *main_sp, **other_sp;

static int is_bare;

// Between two inaccessible pages, unless the kernel is to merge all into one mapping.
static char *map_stack(void) {
    if (is_bare)
        return mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *guarded = mmap(NULL, SIZE + 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(guarded + 4096, SIZE, PROT_READ | PROT_WRITE);
    return guarded + 4096;
}

NOINLINE static void leave_dead(void) {
    void *volatile dead[1000];
    for (int i = 0; i < 1000; i++)
        dead[i] = NULL;
    for (int i = 0; i < 100; i++)
        dead[i * 10] = malloc(24); // @ lost 900 21600
}

// Keeps a block that refers to another one, and is never resumed.
static void run(int number) {
    void **volatile alive = malloc(100);
    leave_dead();
    *alive = malloc(200);
    swapcontext(contexts[number], &main_context);
    lose(alive);
}

NOINLINE static void start(int number) {
    contexts[number] = malloc(sizeof(ucontext_t));
    getcontext(contexts[number]);
    contexts[number]->uc_stack = (stack_t){.ss_sp = map_stack(), .ss_size = SIZE};
    makecontext(contexts[number], (void (*)(void))run, 1, number);
    swapcontext(&main_context, contexts[number]);
}

// A hand-written switch: pushes the registers and stores the stack pointer through the first argument.
void switch_stack(void **from, void *to);
__asm__("switch_stack:\n\t"
        "pushq %rbp\n\tpushq %rbx\n\tpushq %r12\n\tpushq %r13\n\tpushq %r14\n\tpushq %r15\n\t"
        "movq %rsp, (%rdi)\n\tmovq %rsi, %rsp\n\t"
        "popq %r15\n\tpopq %r14\n\tpopq %r13\n\tpopq %r12\n\tpopq %rbx\n\tpopq %rbp\n\tret\n");

static void run_other(void) {
    void *volatile alive = malloc(300);
    leave_dead();
    switch_stack(other_sp, main_sp);
    lose(alive);
}

NOINLINE static void start_other(void) {
    void **top = (void **)(map_stack() + SIZE) - 8;
    top[6] = (void *)run_other;
    other_sp = malloc(sizeof *other_sp);
    *other_sp = top;
    switch_stack(&main_sp, top);
}

int main(int count, char **arguments) {
    (void)arguments;
    is_bare = count > 1;
    for (int i = 0; i < COUNT; i++)
        start(i);
    start_other();
    clear_stack();
    puts("done");
    clear_stack();
    return 3;
}
