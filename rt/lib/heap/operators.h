/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The operators new and delete that the program would call without allocsite. */
#ifndef ALLOCSITE_LIB_HEAP_OPERATORS_H
#define ALLOCSITE_LIB_HEAP_OPERATORS_H

#include "format.h"
#include "lib/base/slot.h"
#include "lib/heap/shadow.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum operator_kind {
    OPERATOR_STANDARD,   /* a C++ standard library's: it calls malloc or aligned_alloc */
    OPERATOR_ALLOCATORS, /* the underlying allocator's: it does not call malloc */
    OPERATOR_PROGRAMS,   /* replaced by the program or one of its libraries */
};

struct operator_new {
    const char *symbol;
    bool array, aligned, nothrow;
    bool found;           /* the members below are valid */
    bool calls_allocator; /* the operator is known to call the allocator first */
    enum operator_kind kind;
    void *real;              /* NULL: no C++ library defines it */
    void *(*fast)(size_t n); /* the allocator's function if calls_allocator and operators_watch was not
                                called; otherwise operator_no_fast */
    void *(*fast_aligned)(size_t align, size_t n); /* the same for an aligned form */
};

/* X(form, symbol, is_array, is_aligned, is_nothrow) */
#define OPERATORS_NEW(X)                                                                                     \
    X(NEW, _Znwm, false, false, false)                                                                       \
    X(NEW_ARRAY, _Znam, true, false, false)                                                                  \
    X(NEW_NOTHROW, _ZnwmRKSt9nothrow_t, false, false, true)                                                  \
    X(NEW_ARRAY_NOTHROW, _ZnamRKSt9nothrow_t, true, false, true)                                             \
    X(NEW_ALIGNED, _ZnwmSt11align_val_t, false, true, false)                                                 \
    X(NEW_ARRAY_ALIGNED, _ZnamSt11align_val_t, true, true, false)                                            \
    X(NEW_ALIGNED_NOTHROW, _ZnwmSt11align_val_tRKSt9nothrow_t, false, true, true)                            \
    X(NEW_ARRAY_ALIGNED_NOTHROW, _ZnamSt11align_val_tRKSt9nothrow_t, true, true, true)

#define OPERATOR_FORM(form, ...) form,
enum { OPERATORS_NEW(OPERATOR_FORM) NEW_OPERATORS };

extern struct operator_new operators_new[NEW_OPERATORS] __attribute__((visibility("hidden")));

/* The `fast` functions of an operator that has none, or that was not found yet. They return NULL. */
void *operator_no_fast(size_t n);
void *operator_no_fast_aligned(size_t align, size_t n);

/* Returns the size that C++ libraries pass to aligned_alloc; 0 if unusual arguments leave it to them. */
static inline size_t operator_rounded(size_t n, size_t align) {
    bool is_usual = align >= sizeof(void *) && (align & (align - 1)) == 0 && n <= PTRDIFF_MAX;
    return is_usual ? (n + !n + align - 1) & -align : 0;
}

/* Returns the block from the allocator that the operator calls first; NULL: the operator has to be called. */
static inline void *operator_aligned(const struct operator_new *op, size_t n, size_t align) {
    size_t asked = operator_rounded(n, align);
    return asked ? op->fast_aligned(align, asked) : NULL;
}

/* Sends all later calls to operator_new_slow: the operators get no `fast` functions. */
void operators_watch(void);
extern bool operators_are_watched __attribute__((visibility("hidden")));

void operator_find(struct operator_new *);

/* Finds all operators of the program. */
void operators_find(void);

/* Returns whether the operator fails, if the allocator has returned NULL to the runtime: it is a standard
 * one, and no new handler is set. */
bool operator_gives_up(const struct operator_new *, size_t n, size_t align);

/* Ends such an operator: throws, or returns NULL if the form does not throw. */
void *operator_give_up(const struct operator_new *);

#ifdef ALLOCSITE_STATIC
/* What that form of the standard library does. */
void *operator_new_standard(struct operator_new *, size_t n, size_t align);
#endif

/* Calls the real operator, which may throw. align and nothrow are passed to the forms that take them. */
void *operator_call(struct operator_new *, size_t n, size_t align, const void *nothrow);

struct operator_delete {
    const char *symbol;
    enum family family;
    bool sized, aligned, nothrow;
    bool found; /* kind and real are valid */
    bool frees; /* the operator was found and only calls free */
    uintptr_t
        slow_bits; /* shadow.slow_bits_hot if `frees`, otherwise all bits: the hot path tests both at once */
    enum operator_kind kind;
    void *real; /* NULL: no C++ library defines it */
};

/* X(form, symbol, family, is_sized, is_aligned, is_nothrow) */
#define OPERATORS_DELETE(X)                                                                                  \
    X(DELETE, _ZdlPv, FAMILY_NEW, false, false, false)                                                       \
    X(DELETE_ARRAY, _ZdaPv, FAMILY_NEW_ARRAY, false, false, false)                                           \
    X(DELETE_SIZED, _ZdlPvm, FAMILY_NEW, true, false, false)                                                 \
    X(DELETE_ARRAY_SIZED, _ZdaPvm, FAMILY_NEW_ARRAY, true, false, false)                                     \
    X(DELETE_NOTHROW, _ZdlPvRKSt9nothrow_t, FAMILY_NEW, false, false, true)                                  \
    X(DELETE_ARRAY_NOTHROW, _ZdaPvRKSt9nothrow_t, FAMILY_NEW_ARRAY, false, false, true)                      \
    X(DELETE_ALIGNED, _ZdlPvSt11align_val_t, FAMILY_NEW, false, true, false)                                 \
    X(DELETE_ARRAY_ALIGNED, _ZdaPvSt11align_val_t, FAMILY_NEW_ARRAY, false, true, false)                     \
    X(DELETE_SIZED_ALIGNED, _ZdlPvmSt11align_val_t, FAMILY_NEW, true, true, false)                           \
    X(DELETE_ARRAY_SIZED_ALIGNED, _ZdaPvmSt11align_val_t, FAMILY_NEW_ARRAY, true, true, false)               \
    X(DELETE_ALIGNED_NOTHROW, _ZdlPvSt11align_val_tRKSt9nothrow_t, FAMILY_NEW, false, true, true)            \
    X(DELETE_ARRAY_ALIGNED_NOTHROW, _ZdaPvSt11align_val_tRKSt9nothrow_t, FAMILY_NEW_ARRAY, false, true, true)

enum delete_form { OPERATORS_DELETE(OPERATOR_FORM) DELETE_OPERATORS };

extern struct operator_delete operators_delete[DELETE_OPERATORS] __attribute__((visibility("hidden")));

void operator_delete_find(struct operator_delete *);

struct delete_call {
    void *p;
    size_t n, align; /* for the forms that take them */
    const void *nothrow;
};

/* Calls the real operator. */
void operator_delete_call(const struct operator_delete *, const struct delete_call *);

/* Returns whether the program replaces operators. Blocks of malloc and new may then be freed by either. */
#ifdef ALLOCSITE_STATIC
static inline bool operators_are_replaced(void) {
    return true; /* not visible in a static program */
}
#else
bool operators_are_replaced(void);
#endif

#endif
