/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The thread's own stack, and stacks for functions that need more room than is left of another one.
 *
 * A coroutine may have 3 KiB of stack. The hot path takes less than 200 bytes of it, but a walk or the first
 * call of a site takes 5 KiB, and the end of the process takes 20. Such functions run on the thread's own
 * stack if that has STACK_ROOM bytes left, and otherwise on one that the runtime maps for the call. After the
 * call, the next such call of any thread may use the mapped stack. A call that never returns (siglongjmp out
 * of a signal handler) keeps the mapped stack.
 *
 * Safe in signal handlers and in forked children; keeps errno. */
#ifndef ALLOCSITE_LIB_BASE_STACK_H
#define ALLOCSITE_LIB_BASE_STACK_H

#include <stddef.h>
#include <stdint.h>

#define STACK_ROOM ((uintptr_t)32 << 10)

/* Returns the end of the thread's own stack if address is on it and everything from there to the end can be
 * read; otherwise 0. The first call for a page takes a system call. */
uintptr_t stack_own_end(uintptr_t address);

/* Records the stack size, in bytes, of a thread that is about to start. */
void stack_note_thread(size_t size);

/* Begins the definition of a function of this file that runs with enough room on the stack. Arguments may
 * take six words at most, none of them on the stack. If there is no memory for a stack, the current one is
 * used. */
#define STACK_CALL(type, name, ...)                                                                          \
    type name(__VA_ARGS__) __attribute__((visibility("hidden")));                                            \
    __asm__(".text\n\t"                                                                                      \
            ".globl " #name "\n\t"                                                                           \
            ".hidden " #name "\n\t"                                                                          \
            ".type " #name ", @function\n" #name ":\n\t"                                                     \
            ".cfi_startproc\n\t"                                                                             \
            "leaq " #name "_on_stack(%rip), %rax\n\t"                                                        \
            "jmp stack_call\n\t"                                                                             \
            ".cfi_endproc\n\t"                                                                               \
            ".size " #name ", . - " #name);                                                                  \
    __attribute__((used, noinline)) static type name##_on_stack(__VA_ARGS__)

#endif
