/* operator delete: the entries for sited calls. Each does what the call would have done without allocsite.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "entry.h"
#include "next.h"

#ifdef ALLOCSITE_STATIC

#define DELETE(name, parameters, ...)                                                                        \
    extern void name parameters;                                                                             \
    static inline void call_##name parameters {                                                              \
        name(__VA_ARGS__);                                                                                   \
    }

#else

static void delete_without_library(void *p) {
    next.free(p);
}

/* Looked up at first use; with no C++ library in the process there is only free, whatever else is passed. */
#define DELETE(name, parameters, ...)                                                                        \
    static void find_##name parameters;                                                                      \
    static void(*next_##name) parameters = find_##name;                                                      \
    static void find_##name parameters {                                                                     \
        void (*real)(void) = (void (*)(void))next_symbol(#name);                                             \
        next_##name = (void(*) parameters)(real ? real : (void (*)(void))delete_without_library);            \
        next_##name(__VA_ARGS__);                                                                            \
    }                                                                                                        \
    static inline void call_##name parameters {                                                              \
        next_##name(__VA_ARGS__);                                                                            \
    }

#endif

DELETE(_ZdlPv, (void *p), p)
DELETE(_ZdaPv, (void *p), p)
DELETE(_ZdlPvm, (void *p, size_t n), p, n)
DELETE(_ZdaPvm, (void *p, size_t n), p, n)
DELETE(_ZdlPvRKSt9nothrow_t, (void *p, const void *nothrow), p, nothrow)
DELETE(_ZdaPvRKSt9nothrow_t, (void *p, const void *nothrow), p, nothrow)
DELETE(_ZdlPvSt11align_val_t, (void *p, size_t align), p, align)
DELETE(_ZdaPvSt11align_val_t, (void *p, size_t align), p, align)
DELETE(_ZdlPvmSt11align_val_t, (void *p, size_t n, size_t align), p, n, align)
DELETE(_ZdaPvmSt11align_val_t, (void *p, size_t n, size_t align), p, n, align)
DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, (void *p, size_t align, const void *nothrow), p, align, nothrow)
DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, (void *p, size_t align, const void *nothrow), p, align, nothrow)

ENTRY(void, _ZdlPv, void *p) {
    (void)site;
    call__ZdlPv(p);
}

ENTRY(void, _ZdaPv, void *p) {
    (void)site;
    call__ZdaPv(p);
}

ENTRY(void, _ZdlPvm, void *p, size_t n) {
    (void)site;
    call__ZdlPvm(p, n);
}

ENTRY(void, _ZdaPvm, void *p, size_t n) {
    (void)site;
    call__ZdaPvm(p, n);
}

ENTRY(void, _ZdlPvRKSt9nothrow_t, void *p, const void *nothrow) {
    (void)site;
    call__ZdlPvRKSt9nothrow_t(p, nothrow);
}

ENTRY(void, _ZdaPvRKSt9nothrow_t, void *p, const void *nothrow) {
    (void)site;
    call__ZdaPvRKSt9nothrow_t(p, nothrow);
}

ENTRY(void, _ZdlPvSt11align_val_t, void *p, size_t align) {
    (void)site;
    call__ZdlPvSt11align_val_t(p, align);
}

ENTRY(void, _ZdaPvSt11align_val_t, void *p, size_t align) {
    (void)site;
    call__ZdaPvSt11align_val_t(p, align);
}

ENTRY(void, _ZdlPvmSt11align_val_t, void *p, size_t n, size_t align) {
    (void)site;
    call__ZdlPvmSt11align_val_t(p, n, align);
}

ENTRY(void, _ZdaPvmSt11align_val_t, void *p, size_t n, size_t align) {
    (void)site;
    call__ZdaPvmSt11align_val_t(p, n, align);
}

ENTRY(void, _ZdlPvSt11align_val_tRKSt9nothrow_t, void *p, size_t align, const void *nothrow) {
    (void)site;
    call__ZdlPvSt11align_val_tRKSt9nothrow_t(p, align, nothrow);
}

ENTRY(void, _ZdaPvSt11align_val_tRKSt9nothrow_t, void *p, size_t align, const void *nothrow) {
    (void)site;
    call__ZdaPvSt11align_val_tRKSt9nothrow_t(p, align, nothrow);
}
