/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds and classifies the program's operators new and delete. */
#define _GNU_SOURCE
#include "lib/heap/operators.h"

#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/registry/modules.h"

#include "lib/base/os.h"
#include "lib/base/stack.h"
#include "lib/base/state.h"
#include "lib/heap/underlying.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *operator_no_fast(size_t n) {
    (void)n;
    return NULL;
}

void *operator_no_fast_aligned(size_t align, size_t n) {
    (void)align;
    (void)n;
    return NULL;
}

#define OPERATOR(form, name, is_array, is_aligned, is_nothrow)                                               \
    [form] = {.symbol = #name,                                                                               \
              .array = is_array,                                                                             \
              .aligned = is_aligned,                                                                         \
              .nothrow = is_nothrow,                                                                         \
              .fast = operator_no_fast,                                                                      \
              .fast_aligned = operator_no_fast_aligned},

struct operator_new operators_new[NEW_OPERATORS] = {OPERATORS_NEW(OPERATOR)};

#define DELETE_OPERATOR(form, name, of, is_sized, is_aligned, is_nothrow)                                    \
    [form] = {.symbol = #name,                                                                               \
              .family = of,                                                                                  \
              .sized = is_sized,                                                                             \
              .aligned = is_aligned,                                                                         \
              .nothrow = is_nothrow,                                                                         \
              .slow_bits = UINTPTR_MAX},

struct operator_delete operators_delete[DELETE_OPERATORS] = {OPERATORS_DELETE(DELETE_OPERATOR)};

bool operators_are_watched;

void operators_watch(void) {
    operators_are_watched = true;
    for (int form = 0; form < NEW_OPERATORS; form++) {
        operators_new[form].fast = operator_no_fast;
        operators_new[form].fast_aligned = operator_no_fast_aligned;
    }
}

/* calls_allocator: the operator's first action is to call the allocator. */
static void operator_set_fast(struct operator_new *op, bool calls_allocator) {
    op->calls_allocator = calls_allocator;
    if (operators_are_watched || !calls_allocator)
        return;
    if (op->aligned)
        op->fast_aligned = underlying.aligned_alloc;
    else
        op->fast = underlying.malloc;
}

/* The program may have no C++ library's operators: if it links the library statically, the linker took the
 * runtime's operators instead. The rest of the library is reached only if the program exports it. */
void std_throw_bad_alloc(void) __asm__("_ZSt17__throw_bad_allocv") __attribute__((weak));
void (*std_get_new_handler(void))(void) __asm__("_ZSt15get_new_handlerv") __attribute__((weak));

/* Returns whether a library that defines the operator was loaded since it was looked up. */
static bool operator_has_come(struct operator_new *op);

static COLD void throw_bad_alloc(void) {
    if (std_throw_bad_alloc)
        std_throw_bad_alloc();
    os_say("operator new failed and cannot throw: the program does not hold std::__throw_bad_alloc, link it "
           "with "
           "-Wl,-u,_ZSt17__throw_bad_allocv");
    abort();
}

/* Allocates through the interposed functions, which count. */
static void *allocate_counted(size_t n, size_t align) {
    if (align <= _Alignof(max_align_t))
        return malloc(n ? n : 1);
    size_t least = n ? n : 1;
    return least > SIZE_MAX - align + 1 ? NULL : aligned_alloc(align, (least + align - 1) & -align);
}

/* The program may define only some of the forms, and no library defines the others. Returns the form that the
 * standard library's definition would call; NULL if there is none. */
static struct operator_new *replaced_plainer(const struct operator_new *op) {
    while (op->array || op->nothrow) {
        int form = (op->array && op->nothrow ? NEW_ARRAY : NEW) + (op->aligned ? NEW_ALIGNED - NEW : 0);
        operator_find(&operators_new[form]);
        op = &operators_new[form];
        if (op->real)
            return &operators_new[form];
    }
    return NULL;
}

static COLD void *new_without_library(struct operator_new *op, size_t n, size_t align, const void *nothrow) {
    struct operator_new *plainer = replaced_plainer(op);
    if (plainer && plainer->kind != OPERATOR_STANDARD)
        return operator_call(plainer, n, align, nothrow);
    for (;;) {
        void *p = allocate_counted(n, align);
        void (*handler)(void) = p || !std_get_new_handler ? NULL : std_get_new_handler();
        if (p || (!handler && op->nothrow))
            return p;
        if (handler)
            handler();
        else if (operator_has_come(op))
            return operator_call(op, n, align, nothrow);
        else
            throw_bad_alloc();
    }
}

bool operator_gives_up(const struct operator_new *op, size_t n, size_t align) {
    bool was_tried = op->calls_allocator && (!op->aligned || operator_rounded(n, align));
    return was_tried && std_throw_bad_alloc && std_get_new_handler && !std_get_new_handler();
}

void *operator_give_up(const struct operator_new *op) {
    if (!op->nothrow)
        throw_bad_alloc();
    return NULL;
}

typedef void *plain_new(size_t);
typedef void *nothrow_new(size_t, const void *);
typedef void *aligned_new(size_t, size_t);
typedef void *aligned_nothrow_new(size_t, size_t, const void *);

void *operator_call(struct operator_new *op, size_t n, size_t align, const void *nothrow) {
    if (!op->real)
        return new_without_library(op, n, align, nothrow);
    if (op->aligned && op->nothrow)
        return ((aligned_nothrow_new *)op->real)(n, align, nothrow);
    if (op->aligned)
        return ((aligned_new *)op->real)(n, align);
    if (op->nothrow)
        return ((nothrow_new *)op->real)(n, nothrow);
    return ((plain_new *)op->real)(n);
}

typedef void plain_delete(void *);
typedef void sized_delete(void *, size_t);
typedef void nothrow_delete(void *, const void *);
typedef void sized_aligned_delete(void *, size_t, size_t);
typedef void aligned_nothrow_delete(void *, size_t, const void *);

static bool delete_is_form(const struct operator_delete *op, bool array, bool sized, bool nothrow,
                           bool aligned) {
    return (op->family == FAMILY_NEW_ARRAY) == array && op->sized == sized && op->nothrow == nothrow &&
           op->aligned == aligned;
}

/* Returns the form that the standard library's definition would call; NULL if it would call free. */
static struct operator_delete *plainer_form(const struct operator_delete *op) {
    bool array = op->family == FAMILY_NEW_ARRAY, varied = op->sized || op->nothrow;
    for (int form = 0; form < DELETE_OPERATORS; form++)
        if ((array || varied) &&
            delete_is_form(&operators_delete[form], array && varied, false, false, op->aligned))
            return &operators_delete[form];
    return NULL;
}

static void delete_without_library(const struct operator_delete *op, const struct delete_call *call) {
    struct operator_delete *plainer = plainer_form(op);
    if (plainer) {
        operator_delete_find(plainer);
        operator_delete_call(plainer, call);
    } else {
        free(call->p); /* the interposed free, which counts */
    }
}

void operator_delete_call(const struct operator_delete *op, const struct delete_call *call) {
    if (!op->real)
        delete_without_library(op, call);
    else if (op->sized && op->aligned)
        ((sized_aligned_delete *)op->real)(call->p, call->n, call->align);
    else if (op->aligned && op->nothrow)
        ((aligned_nothrow_delete *)op->real)(call->p, call->align, call->nothrow);
    else if (op->sized || op->aligned)
        ((sized_delete *)op->real)(call->p, op->sized ? call->n : call->align);
    else if (op->nothrow)
        ((nothrow_delete *)op->real)(call->p, call->nothrow);
    else
        ((plain_delete *)op->real)(call->p);
}

#ifdef ALLOCSITE_STATIC

/* unwrapped_new.c has the symbols. */
#define DECLARE_OPERATOR(form, symbol, ...)                                                                  \
    extern char real_##form[] __asm__("__real_" #symbol);                                                    \
    extern char standard_##form[] __attribute__((weak, visibility("hidden")));
OPERATORS_NEW(DECLARE_OPERATOR)

#define OPERATOR_ADDRESS(form, ...) [form] = real_##form,
#define STANDARD_ADDRESS(form, ...) [form] = standard_##form,
static char *const addresses_new[NEW_OPERATORS] = {OPERATORS_NEW(OPERATOR_ADDRESS)};
static char *const addresses_standard[NEW_OPERATORS] = {OPERATORS_NEW(STANDARD_ADDRESS)};

static bool is_from_here(ptrdiff_t form) {
    return addresses_new[form] == addresses_standard[form];
}

/* The other forms call the plain ones. */
static bool is_standard(const struct operator_new *op) {
    ptrdiff_t plain = op->aligned ? NEW_ALIGNED : NEW, array = op->aligned ? NEW_ARRAY_ALIGNED : NEW_ARRAY;
    return is_from_here(op - operators_new) && is_from_here(plain) && is_from_here(array);
}

void operator_find(struct operator_new *op) {
    op->real = addresses_new[op - operators_new];
    op->kind = is_standard(op) ? OPERATOR_STANDARD : OPERATOR_PROGRAMS;
    operator_set_fast(op, op->kind == OPERATOR_STANDARD);
    op->found = true;
}

void *operator_new_standard(struct operator_new *op, size_t n, size_t align) {
    return new_without_library(op, n, align, NULL);
}

static bool operator_has_come(struct operator_new *op) {
    (void)op;
    return false;
}

/* Weak: a C program has none of them. */
#define DECLARE_DELETE(form, symbol, ...)                                                                    \
    extern char real_##form[] __asm__(#symbol) __attribute__((weak, visibility("default")));
OPERATORS_DELETE(DECLARE_DELETE)

void operator_delete_find(struct operator_delete *op) {
    static char *const addresses[DELETE_OPERATORS] = {OPERATORS_DELETE(OPERATOR_ADDRESS)};
    op->real = addresses[op - operators_delete];
    op->kind = OPERATOR_PROGRAMS;
    op->found = true;
}

#else

#include <link.h>

/* libstdc++'s other operators call the plain one, so they are standard only if that is. A tool that replaces
 * the heap has its own operators, and valgrind's memcheck reports blocks of new that are passed to free. */
static enum operator_kind operator_kind_of(const void *real) {
    const struct link_map *object = object_of(real);
    if (!object || object == underlying_object())
        return object ? OPERATOR_ALLOCATORS : OPERATOR_PROGRAMS;
    const char *slash = strrchr(object->l_name, '/');
    const char *name = slash ? slash + 1 : object->l_name;
    bool standard = strncmp(name, "libstdc++.so", 12) == 0 || strncmp(name, "libc++.so", 9) == 0 ||
                    strncmp(name, "libc++abi.so", 12) == 0;
    if (standard && gap_is_set(GAP_INTERPOSITION))
        return OPERATOR_ALLOCATORS;
    return standard ? OPERATOR_STANDARD : OPERATOR_PROGRAMS;
}

/* A C++ library opened by dlopen may not be in the global scope. */
static void *real_operator(const char *symbol) {
    static const char *const libraries[] = {"libstdc++.so.6", "libc++.so.1", "libc++abi.so.1"};
    void *real = underlying_symbol(symbol);
    for (size_t i = 0; !real && i < sizeof libraries / sizeof *libraries; i++)
        real = underlying_symbol_in(libraries[i], symbol);
    return real;
}

/* The standard forms call each other, and finally the plain ones, which the program may have replaced. */
static bool plain_forms_are_standard(bool aligned) {
    int first = aligned ? NEW_ALIGNED : NEW;
    for (int form = first; form <= first + 1; form++) {
        const void *real = real_operator(operators_new[form].symbol);
        if (!real || operator_kind_of(real) != OPERATOR_STANDARD)
            return false;
    }
    return true;
}

STACK_CALL(void, operator_search, struct operator_new *op) {
    underlying_resolve();
    op->real = real_operator(op->symbol);
    const struct operator_new *plainer = op->real ? op : replaced_plainer(op);
    enum operator_kind kind = plainer ? operator_kind_of(plainer->real) : OPERATOR_STANDARD;
    if (kind == OPERATOR_STANDARD && op->real && !op->aligned && !plain_forms_are_standard(false))
        kind = OPERATOR_PROGRAMS;
    op->kind = kind; /* set once, because a thread that has found it already may read it */
    operator_set_fast(op, kind == OPERATOR_STANDARD && (!op->aligned || plain_forms_are_standard(true)));
    __atomic_store_n(&op->found, true, __ATOMIC_RELEASE);
}

void operator_find(struct operator_new *op) {
    if (!__atomic_load_n(&op->found, __ATOMIC_ACQUIRE))
        operator_search(op);
}

static bool operator_has_come(struct operator_new *op) {
    op->real = real_operator(op->symbol);
    return op->real;
}

/* All standard forms of delete end in the plain ones. */
static bool plain_deletes_are_standard(void) {
    for (int form = DELETE; form <= DELETE_ARRAY; form++) {
        const void *real = real_operator(operators_delete[form].symbol);
        if (real && operator_kind_of(real) != OPERATOR_STANDARD)
            return false;
    }
    return true;
}

/* Copies shadow.slow_bits_hot. A change of these bits runs this too, but perhaps before the operator was
 * known, so the copy is repeated until the bits are stable. */
static void delete_show(struct operator_delete *op) {
    uintptr_t bits;
    do {
        bits = __atomic_load_n(&shadow.slow_bits_hot, __ATOMIC_ACQUIRE);
        __atomic_store_n(&op->slow_bits, op->frees ? bits : UINTPTR_MAX, __ATOMIC_SEQ_CST);
    } while (bits != __atomic_load_n(&shadow.slow_bits_hot, __ATOMIC_SEQ_CST));
}

static void operators_delete_show(void) {
    for (int form = 0; form < DELETE_OPERATORS; form++)
        delete_show(&operators_delete[form]);
}

/* If operator new was found in no library, that stays so, and its blocks are the allocator's. Searching for
 * delete at each call would cost a thousand times the call itself, and would allocate. */
static bool stays_without_library(const struct operator_delete *op) {
    int form = (op->family == FAMILY_NEW_ARRAY ? NEW_ARRAY : NEW) + (op->aligned ? NEW_ALIGNED - NEW : 0);
    return __atomic_load_n(&operators_new[form].found, __ATOMIC_ACQUIRE) && !operators_new[form].real;
}

STACK_CALL(void, operator_delete_search, struct operator_delete *op) {
    underlying_resolve();
    op->real = real_operator(op->symbol);
    bool is_final = op->real || stays_without_library(op);
    enum operator_kind kind = op->real ? operator_kind_of(op->real) : OPERATOR_STANDARD;
    op->kind = kind == OPERATOR_STANDARD && !plain_deletes_are_standard() ? OPERATOR_PROGRAMS : kind;
    op->frees = op->kind == OPERATOR_STANDARD && is_final;
    __atomic_store_n(&shadow_shown, operators_delete_show, __ATOMIC_SEQ_CST);
    delete_show(op);
    __atomic_store_n(&op->found, is_final, __ATOMIC_RELEASE);
}

void operator_delete_find(struct operator_delete *op) {
    if (!__atomic_load_n(&op->found, __ATOMIC_ACQUIRE))
        operator_delete_search(op);
}

/* In a C program nothing is found for good, because a C++ library may be opened later. */
void operators_find(void) {
    if (!operators_new[NEW].real && !underlying_defined_after(operators_new[NEW].symbol))
        return;
    for (int form = 0; form < NEW_OPERATORS; form++)
        operator_find(&operators_new[form]);
    for (int form = 0; form < DELETE_OPERATORS; form++)
        operator_delete_find(&operators_delete[form]);
}

/* A standard form has the kind OPERATOR_PROGRAMS if the plain form that it calls is not standard. That form
 * may be the allocator's: mimalloc defines only some of the forms. */
static bool is_replaced(enum operator_kind kind, const void *real) {
    return real && kind == OPERATOR_PROGRAMS && operator_kind_of(real) == OPERATOR_PROGRAMS;
}

bool operators_are_replaced(void) {
    bool replaced = false;
    for (int form = 0; form < NEW_OPERATORS; form++) {
        operator_find(&operators_new[form]);
        replaced |= is_replaced(operators_new[form].kind, operators_new[form].real);
    }
    for (int form = 0; form < DELETE_OPERATORS; form++) {
        operator_delete_find(&operators_delete[form]);
        replaced |= is_replaced(operators_delete[form].kind, operators_delete[form].real);
    }
    return replaced;
}

#endif
