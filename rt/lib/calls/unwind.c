/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Leaving scopes when an exception or a cancellation passes through the runtime: its frames have no landing
 * pads in the shared library, only this personality, which leaves the scopes as longjmp would.
 *
 * The usual personality and _Unwind_Resume belong to one unwinder, and the wrong one aborts: a program may
 * have its own linked in statically and hidden (-static-libgcc). Naming them at link time would also load
 * libgcc_s, 90 KiB of resident memory, into every C program. */
#include "lib/bill/scope.h"
#include "lib/heap/operators.h"

#include <stdlib.h>

/* Itanium C++ ABI: Exception Handling, 1.1 and 1.6. */
#define UA_CLEANUP_PHASE    2
#define URC_CONTINUE_UNWIND 8

/* The compiler's references to these two are bound to the definitions here. */
#define UNWINDER __attribute__((visibility("hidden")))

UNWINDER int __gcc_personality_v0(int version, int actions, uint64_t class, void *exception, void *context);

int __gcc_personality_v0(int version, int actions, uint64_t class, void *exception, void *context) {
    (void)version;
    (void)class;
    (void)exception;
    (void)context;
    if (actions & UA_CLEANUP_PHASE) {
        operator_left_by_exception();
        scopes_leave();
    }
    return URC_CONTINUE_UNWIND;
}

UNWINDER __attribute__((noreturn)) void _Unwind_Resume(void *exception);

/* Ends a landing pad, and none is ever entered. */
void _Unwind_Resume(void *exception) {
    (void)exception;
    abort();
}
