/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hints and attributes for the compiler. */
#ifndef ALLOCSITE_LIB_BASE_MACROS_H
#define ALLOCSITE_LIB_BASE_MACROS_H

#define ALLOCSITE_EXPORT __attribute__((visibility("default")))

#define LIKELY(x)        __builtin_expect(!!(x), 1)
#define UNLIKELY(x)      __builtin_expect(!!(x), 0)
#define COLD             __attribute__((noinline, cold))

/* Ends the process if an invariant is broken. Only the runtime that the tests build checks invariants; in
 * others this is no instruction. */
#ifdef ALLOCSITE_CHECKED
COLD _Noreturn void os_broken(const char *invariant);
#define ASSERT_TEXT(line) #line
#define ASSERT_LINE(line) ASSERT_TEXT(line)
#define ASSERT(invariant)                                                                                    \
    (LIKELY(invariant) ? (void)0 : os_broken(__FILE__ ":" ASSERT_LINE(__LINE__) ": " #invariant))
#else
#define ASSERT(invariant) ((void)sizeof(!(invariant)))
#endif

/* A variable for an argument that is needed after a call. Keeping it in memory costs two instructions less
 * than in a call-preserved register. */
#define KEEP(type, name, value) type volatile name = (value)

#endif
