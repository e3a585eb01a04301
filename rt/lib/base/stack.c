/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/base/stack.h"

#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/os.h"

#include <errno.h>
#include <sys/auxv.h>

/* ---- The thread's own stack. */

#define PAGE ((uintptr_t)4096) /* the page size, or a part of a larger page */

/* Stacks reach no farther below their ends. The kernel keeps that much address space free for the first
 * thread's (mmap_base, "MIN_GAP"). The stack of any other thread ends at its thread-local memory. */
#define FIRST_STACK_MOST  ((uintptr_t)128 << 20)
#define THREAD_STACK_MOST ((uintptr_t)1 << 30)

/* The end of the first thread's stack: the kernel puts the bytes of AT_RANDOM above the first frame. 0: not
 * asked for yet. stack_call reads it too. */
__attribute__((used)) static uintptr_t stack_first_end;

static uintptr_t first_stack_end(void) {
    if (UNLIKELY(!stack_first_end))
        stack_first_end = getauxval(AT_RANDOM);
    return stack_first_end;
}

static bool stack_is_first(uintptr_t sp) {
    return first_stack_end() - sp < FIRST_STACK_MOST;
}

/* Returns where the thread's own stack ends if sp may be on it; otherwise 0. */
static uintptr_t stack_end_for(uintptr_t sp) {
    uintptr_t end = (uintptr_t)&local;
    if (stack_is_first(sp))
        return first_stack_end();
    return end - sp < THREAD_STACK_MOST ? end : 0;
}

/* `high` is written last, because a signal handler may walk in between. */
static void stack_begin(void) {
    uintptr_t end = os_thread() == os_process() ? first_stack_end() : (uintptr_t)&local;
    local.stack.low = end & -PAGE;
    local.stack.spread = end * STACK_SPREAD;
    __atomic_store_n(&local.stack.high, end, __ATOMIC_RELEASE);
}

/* Extends the part of the stack that is known to be readable down to sp. False: it does not reach that far.
 */
static bool stack_prove(uintptr_t sp, uintptr_t end) {
    if (!local.stack.high)
        stack_begin();
    if (local.stack.high != end)
        return false;
    while (sp < local.stack.low) {
        uintptr_t page = local.stack.low - PAGE;
        if (page < local.stack.hole)
            return false;
        if (!os_can_read((const void *)page)) {
            local.stack.hole = local.stack.low;
            return false;
        }
        local.stack.low = page;
    }
    return true;
}

uintptr_t stack_own_end(uintptr_t address) {
    uintptr_t end = stack_end_for(address);
    return end && stack_prove(address, end) ? end : 0;
}

/* ---- A stack with more room. */

/* Enough for the runtime's frames and for signal handlers that interrupt them. */
#define STACK_SIZE ((size_t)256 << 10)

/* The header of a stack, at the upper end of its memory. */
struct runtime_stack {
    struct runtime_stack *outer; /* the stack that the thread was on before; NULL: none */
} __attribute__((aligned(64)));

/* Unused stacks. Each word is taken or filled by one atomic instruction. */
static struct runtime_stack *idle[8];

enum { IDLE_COUNT = sizeof idle / sizeof *idle };

static struct runtime_stack *idle_pop(void) {
    struct runtime_stack *stack = NULL;
    for (size_t i = 0; i < IDLE_COUNT && !stack; i++)
        if (__atomic_load_n(&idle[i], __ATOMIC_RELAXED))
            stack = __atomic_exchange_n(&idle[i], NULL, __ATOMIC_ACQUIRE);
    return stack;
}

static bool idle_push(struct runtime_stack *stack) {
    struct runtime_stack *none = NULL;
    for (size_t i = 0; i < IDLE_COUNT; i++, none = NULL)
        if (__atomic_compare_exchange_n(&idle[i], &none, stack, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
            return true;
    return false;
}

/* The smallest stack, in bytes, of all threads that were started; 0: none was. */
static size_t thread_stack_least;

void stack_note_thread(size_t size) {
    size_t least = __atomic_load_n(&thread_stack_least, __ATOMIC_RELAXED);
    while ((!least || size < least) && !__atomic_compare_exchange_n(&thread_stack_least, &least, size, true,
                                                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* The C library's thread descriptor, above the thread pointer: 2,304 bytes in glibc 2.36. */
#define DESCRIPTOR_ROOM ((uintptr_t)4096)

/* Without a system call: to prove the stack readable takes 10 microseconds for each new thread, half as long
 * as starting the thread. */
static bool is_in_thread_stack(uintptr_t frame) {
    uintptr_t least = __atomic_load_n(&thread_stack_least, __ATOMIC_RELAXED), end = (uintptr_t)&local;
    uintptr_t needed = thread_pointer() + DESCRIPTOR_ROOM - frame + STACK_ROOM;
    if (!local.stack.high)
        stack_begin();
    return local.stack.high == end && end - frame < least && needed < least;
}

static bool is_on_own_with_room(uintptr_t frame) {
    return is_in_thread_stack(frame) || (stack_own_end(frame - STACK_ROOM) && frame < local.stack.high);
}

/* The first thread's own stack grows as it is used. local.runtime_stack may be a stack that a jump has left,
 * but then no frame is on it any more. */
static bool stack_has_room(uintptr_t frame) {
    return stack_is_first(frame) || (uintptr_t)local.runtime_stack - frame < STACK_SIZE ||
           is_on_own_with_room(frame);
}

static struct runtime_stack *stack_find(void) {
    struct runtime_stack *stack = idle_pop();
    char *memory = stack ? NULL : os_map_apart(STACK_SIZE, OS_FORK_KEEPS);
    return memory ? (struct runtime_stack *)(void *)(memory + STACK_SIZE) - 1 : stack;
}

/* Returns the stack to switch to; NULL if the current one has room, or there is no memory. */
__attribute__((used)) static struct runtime_stack *stack_enter(void) {
    if (LIKELY(stack_has_room((uintptr_t)__builtin_frame_address(0))))
        return NULL;
    int error = errno;
    struct runtime_stack *stack = stack_find();
    errno = error;
    if (stack) {
        stack->outer = local.runtime_stack;
        local.runtime_stack = stack;
    }
    return stack;
}

__attribute__((used)) static void stack_leave(struct runtime_stack *stack) {
    int error = errno;
    local.runtime_stack = stack->outer;
    if (!idle_push(stack))
        os_unmap_apart((char *)(stack + 1) - STACK_SIZE, STACK_SIZE);
    errno = error;
}

/* Calls the function whose address is in rax, with the arguments that are in their registers. Its frame
 * is marked as a signal's, because unwinders accept any change of stacks there. If the stack stays the same,
 * it jumps to the function instead, so that this frame is not on the stack. The first comparison is that of
 * stack_is_first.
 */
__asm__(".text\n\t"
        ".globl stack_call\n\t"
        ".hidden stack_call\n\t"
        ".type stack_call, @function\n"
        "stack_call:\n\t"
        ".cfi_startproc\n\t"
        ".cfi_signal_frame\n\t"
        "movq stack_first_end(%rip), %r10\n\t"
        "subq %rsp, %r10\n\t"
        "cmpq $128 << 20, %r10\n\t"
        "jae 1f\n\t"
        "jmpq *%rax\n"
        "1:\n\t"
        "pushq %rbp\n\t"
        ".cfi_def_cfa_offset 16\n\t"
        ".cfi_offset %rbp, -16\n\t"
        "movq %rsp, %rbp\n\t"
        ".cfi_def_cfa_register %rbp\n\t"
        "pushq %rax\n\t"
        "pushq %r9\n\t"
        "pushq %r8\n\t"
        "pushq %rcx\n\t"
        "pushq %rdx\n\t"
        "pushq %rsi\n\t"
        "pushq %rdi\n\t"
        "pushq %rdi\n\t" /* for the alignment */
        "call stack_enter\n\t"
        "popq %rdi\n\t"
        "popq %rdi\n\t"
        "popq %rsi\n\t"
        "popq %rdx\n\t"
        "popq %rcx\n\t"
        "popq %r8\n\t"
        "popq %r9\n\t"
        "popq %r11\n\t"
        "testq %rax, %rax\n\t"
        "jne 2f\n\t"
        ".cfi_remember_state\n\t"
        "popq %rbp\n\t"
        ".cfi_def_cfa %rsp, 8\n\t"
        ".cfi_restore %rbp\n\t"
        "jmpq *%r11\n"
        "2:\n\t"
        ".cfi_restore_state\n\t"
        "pushq %rax\n\t"
        "movq %rax, %rsp\n\t"
        "call *%r11\n\t"
        "movq -8(%rbp), %rdi\n\t"
        "leaq -16(%rbp), %rsp\n\t"
        "movq %rax, (%rsp)\n\t"
        "call stack_leave\n\t"
        "movq (%rsp), %rax\n\t"
        "leave\n\t"
        ".cfi_def_cfa %rsp, 8\n\t"
        ".cfi_restore %rbp\n\t"
        "ret\n\t"
        ".cfi_endproc\n\t"
        ".size stack_call, . - stack_call");
