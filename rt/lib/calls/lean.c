/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counting what comes, where nobody asks who owns it. The hot path of owners=0. */
#include "lib/calls/aside.h"

#include "format.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/bill/origin.h"
#include "lib/count/tally.h"

#include "lib/calls/entry.h"
#include "lib/calls/interpose.h"
#include "lib/heap/next.h"
#include "lib/heap/operators.h"
#include "lib/own/own.h"

#include <string.h>

/* Counts a block that a realloc gave in place of another one. */
static inline bool gain_moved(uint32_t key, const void *p, uint64_t bytes) {
    struct thread *thread = local.current;
    if (UNLIKELY(!p || key >= thread->capacity || key >= thread->extra_capacity))
        return false;
    struct tally *tally = tally_of_key(thread, key);
    struct extra *extra = tally_extra(thread, tally);
    tally_gain_alone(tally, bytes);
    bump(&extra->reallocs, 1);
    bump(&extra->realloc_bytes, bytes);
    return true;
}

static inline uint32_t caller_of(const void *caller) {
    return LIKELY(!local.diverted && local.current->capacity) ? unsited_key(caller) : ALLOCSITE_KEY_NONE;
}

static inline void *sited(struct allocsite_site *site, void *p, size_t bytes) {
    bool is_counted = own_gain_alone(site->key, p, bytes);
    return LIKELY(is_counted) ? p : own_alloc_slow((struct origin){.site = site}, p, bytes, FAMILY_MALLOC);
}

static inline void *unsited(const void *caller, void *p, size_t bytes) {
    bool is_counted = own_gain_alone(caller_of(caller), p, bytes);
    return LIKELY(is_counted) ? p
                              : own_alloc_slow((struct origin){.caller = caller}, p, bytes, FAMILY_MALLOC);
}

static void *sited_malloc(size_t n, struct allocsite_site *site) {
    KEEP(struct allocsite_site *, kept_site, site);
    KEEP(size_t, bytes, n);
    void *p = next.malloc(n);
    return sited(kept_site, p, bytes);
}

static void *sited_calloc(size_t n, size_t size, struct allocsite_site *site) {
    KEEP(struct allocsite_site *, kept_site, site);
    KEEP(size_t, bytes, n * size);
    void *p = next.calloc(n, size);
    return sited(kept_site, p, bytes);
}

static void *appeared(size_t n, struct allocsite_site *site) {
    KEEP(struct allocsite_site *, kept_site, site);
    KEEP(size_t, bytes, n);
    void *p = next.realloc(NULL, n);
    return sited(kept_site, p, bytes);
}

static COLD void *moved_slowly(struct origin origin, void *p, size_t bytes) {
    own_realloc_end(origin, p, bytes);
    return p;
}

static void *sited_realloc(void *old, size_t n, struct allocsite_site *site) {
    if (UNLIKELY(!old))
        return appeared(n, site);
    KEEP(struct allocsite_site *, kept_site, site);
    KEEP(size_t, bytes, n);
    void *p = next.realloc(old, n);
    size_t size = bytes;
    site = kept_site;
    return LIKELY(gain_moved(site->key, p, size)) ? p : moved_slowly((struct origin){.site = site}, p, size);
}

static inline char *duplicate(const char *text, size_t length, struct allocsite_site *site) {
    return string_copy(sited_malloc(length + 1, site), text, length);
}

static char *sited_strdup(const char *text, struct allocsite_site *site) {
    return duplicate(text, strlen(text), site);
}

static char *sited_strndup(const char *text, size_t n, struct allocsite_site *site) {
    return duplicate(text, strnlen(text, n), site);
}

static void *plain_malloc(size_t n) {
    return unsited(CALLER, next.malloc(n), n);
}

static void *plain_calloc(size_t n, size_t size) {
    return unsited(CALLER, next.calloc(n, size), n * size);
}

static void *plain_realloc(void *old, size_t n) {
    struct origin origin = {.caller = CALLER};
    void *p = next.realloc(old, n);
    if (!old)
        return unsited(origin.caller, p, n);
    return LIKELY(gain_moved(caller_of(origin.caller), p, n)) ? p : moved_slowly(origin, p, n);
}

#define NEW(symbol, form, nothrow, ...)                                                                      \
    static void *sited_##symbol(__VA_ARGS__, struct allocsite_site *site) {                                  \
        KEEP(struct allocsite_site *, kept_site, site);                                                      \
        KEEP(size_t, bytes, n);                                                                              \
        struct operator_new *op = &operators_new[form];                                                      \
        void *p = op->fast(n ? n : 1);                                                                       \
        return LIKELY(p) ? sited(kept_site, p, bytes)                                                        \
                         : operator_new_sited(op, bytes, 0, nothrow, kept_site);                             \
    }                                                                                                        \
    static void *plain_##symbol(__VA_ARGS__) {                                                               \
        struct operator_new *op = &operators_new[form];                                                      \
        void *p = op->fast(n ? n : 1);                                                                       \
        return LIKELY(p) ? unsited(CALLER, p, n) : operator_new_unsited(op, CALLER, n, 0, nothrow);          \
    }

NEW(_Znwm, NEW, NULL, size_t n)
NEW(_Znam, NEW_ARRAY, NULL, size_t n)
NEW(_ZnwmRKSt9nothrow_t, NEW_NOTHROW, nothrow, size_t n, const void *nothrow)
NEW(_ZnamRKSt9nothrow_t, NEW_ARRAY_NOTHROW, nothrow, size_t n, const void *nothrow)

#define SITED(symbol, function)                                                                              \
    { ALLOCSITE_ENTRY_PREFIX #symbol, (uintptr_t)(function) }
#define BOTH(symbol)                                                                                         \
    SITED(symbol, sited_##symbol), {                                                                         \
#symbol, (uintptr_t)plain_##symbol                                                                   \
    }

uintptr_t lean_function(const char *symbol) {
    const struct {
        const char *symbol;
        uintptr_t function;
    } functions[] = {
        BOTH(malloc),
        BOTH(calloc),
        BOTH(realloc),
        SITED(strdup, strdup_is_known() ? sited_strdup : NULL),
        SITED(__strdup, strdup_is_known() ? sited_strdup : NULL),
        SITED(strndup, strdup_is_known() ? sited_strndup : NULL),
        SITED(__strndup, strdup_is_known() ? sited_strndup : NULL),
        BOTH(_Znwm),
        BOTH(_Znam),
        BOTH(_ZnwmRKSt9nothrow_t),
        BOTH(_ZnamRKSt9nothrow_t),
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].symbol, symbol) == 0)
            return functions[i].function;
    return 0;
}
