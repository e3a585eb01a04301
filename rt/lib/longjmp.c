/* longjmp and its kin, which leave a scope without closing it: out of getline from a signal handler, out of
 * an operator new of the program's own. Nothing that comes later is to be billed there.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "interpose.h"
#include "next.h"

struct __jmp_buf_tag;

#define JUMPS(X)                                                                                             \
    X(longjmp)                                                                                               \
    X(_longjmp)                                                                                              \
    X(siglongjmp)                                                                                            \
    X(__longjmp_chk)

#ifdef ALLOCSITE_STATIC

#define REAL(name)    __real_##name
#define DECLARE(name) extern __attribute__((noreturn)) void __real_##name(struct __jmp_buf_tag *, int);
#define FIND(name)

#else

#define REAL(name)    real_##name
#define DECLARE(name) static void (*real_##name)(struct __jmp_buf_tag *, int);
#define FIND(name)    real_##name = (void (*)(struct __jmp_buf_tag *, int))next_behind(#name);

#endif

JUMPS(DECLARE)

#ifndef ALLOCSITE_STATIC

/* Not at the first jump, which may come in a signal handler. */
__attribute__((constructor)) static void find_jumps(void){JUMPS(FIND)}

#endif

#define JUMP(name)                                                                                           \
    INTERPOSE(__attribute__((noreturn)) void, name, struct __jmp_buf_tag *to, int value) {                   \
        scopes_leave(); /* callbacks, which may jump within, run with the scope suspended */                 \
        REAL(name)(to, value);                                                                               \
        __builtin_unreachable();                                                                             \
    }
JUMPS(JUMP)
