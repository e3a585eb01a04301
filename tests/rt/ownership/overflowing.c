/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Allocates, frees or reallocates with N bytes of stack left, for each multiple of 8 up to 16 KiB. The handler of the
 * overflow leaves by siglongjmp.
 *
 *     overflowing KIND WARM
 *
 * KIND: 0: malloc, 1: free, 2: realloc. WARM: 1: the first call has enough stack. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#define STACK ((size_t)1 << 20)
#define GUARD ((size_t)1 << 16)
#define MOST  ((size_t)16 << 10)

static sigjmp_buf out;
static ucontext_t home, deep;
static char *stack;
static void *block;
static char kind;

static void leave(int signal) {
    (void)signal;
    siglongjmp(out, 1);
}

static void call(void) {
    if (kind == '0')
        block = malloc(24);
    else if (kind == '1')
        free(block);
    else
        block = realloc(block, 100);
    setcontext(&home);
}

static void call_with(size_t left) {
    volatile int is_back = 0;
    block = kind == '0' ? NULL : malloc(30);
    if (sigsetjmp(out, 1))
        return;
    getcontext(&deep);
    deep.uc_stack.ss_sp = stack;
    deep.uc_stack.ss_size = left;
    makecontext(&deep, call, 0);
    getcontext(&home);
    if (!is_back) {
        is_back = 1;
        setcontext(&deep);
    }
    if (kind != '1')
        free(block);
}

int main(int count, char **arguments) {
    static char other[1 << 16];
    const stack_t handlers = {.ss_sp = other, .ss_size = sizeof other};
    const struct sigaction action = {.sa_handler = leave, .sa_flags = SA_ONSTACK};
    if (count != 3)
        return 2;
    kind = *arguments[1];
    sigaltstack(&handlers, NULL);
    sigaction(SIGSEGV, &action, NULL);
    stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(stack, GUARD, PROT_NONE);
    stack += GUARD;
    if (*arguments[2] == '1')
        call_with(STACK - GUARD);
    for (size_t left = 64; left < MOST; left += 8)
        call_with(left);
    return 3;
}
