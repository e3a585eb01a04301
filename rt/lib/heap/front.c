/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A malloc that the executable defines, which comes before the runtime's. Such a malloc is common in test
 * harnesses and in programs that count their own calls.
 *
 * The dynamic loader binds every module to it. A call without a site reaches the runtime only if that malloc
 * passes it on, to __libc_malloc or to the function that dlsym(RTLD_NEXT, "malloc") returns: both are the
 * runtime's.
 *
 * A sited call would then be counted twice, once by itself and once by the inner call. So it is made in
 * silence: the inner call's block gets the owner SLOT_OURS, and the sited call counts the block when the
 * program's malloc returns. If that is the same block with the same size, the program's malloc is transparent
 * and its free reaches the runtime too. After the first block that differs (it has a header, or comes from a
 * pool), frees without a site are not seen and live blocks are unknown. Until the first block has been
 * compared, the runtime assumes the same. */
#include "lib/heap/underlying.h"

#include "lib/base/local.h"
#include "lib/base/slot.h"
#include "lib/base/state.h"
#include "lib/heap/shadow.h"

#include <errno.h>

static struct underlying front;

/* Unlike silence_begin this does not block signals: the program's malloc may rely on them. */
static bool silence_enter(void) {
    bool was_silent = local.silent;
    local.silent = true;
    return was_silent;
}

static void silence_leave(bool was_silent) {
    local.silent = was_silent;
}

/* Checks whether the program's malloc returned the block that it got from the runtime. */
static void compare_blocks(const void *p, size_t n) {
    static bool has_differed;
    if (!p || runtime_off || !runtime_owners)
        return;
    int error = errno;
    struct block block = shadow_find(p);
    bool is_same = block.state == BLOCK_LIVE && block.slot == SLOT_OURS && block.size == n;
    if (!is_same)
        __atomic_store_n(&has_differed, true, __ATOMIC_SEQ_CST);
    if (!has_differed && gap_is_set(GAP_FREES))
        gap_unset(GAP_FREES);
    if (__atomic_load_n(&has_differed,
                        __ATOMIC_SEQ_CST)) /* set by this thread, or meanwhile by another one */
        gap_set(GAP_FREES);
    errno = error;
}

#define PASSED(call, n)                                                                                      \
    bool was_silent = silence_enter();                                                                       \
    void *p = front.call;                                                                                    \
    silence_leave(was_silent);                                                                               \
    compare_blocks(p, n);                                                                                    \
    return p

static void *pass_malloc(size_t n) {
    PASSED(malloc(n), n);
}

static void *pass_calloc(size_t n, size_t size) {
    PASSED(calloc(n, size), n * size);
}

static void *pass_realloc(void *old, size_t n) {
    PASSED(realloc(old, n), n);
}

static void *pass_aligned_alloc(size_t align, size_t n) {
    PASSED(aligned_alloc(align, n), n);
}

static void *pass_memalign(size_t align, size_t n) {
    PASSED(memalign(align, n), n);
}

static void *pass_valloc(size_t n) {
    PASSED(valloc(n), n);
}

static void *pass_pvalloc(size_t n) {
    PASSED(pvalloc(n), n);
}

static int pass_posix_memalign(void **p, size_t align, size_t n) {
    bool was_silent = silence_enter();
    int failure = front.posix_memalign(p, align, n);
    silence_leave(was_silent);
    compare_blocks(failure ? NULL : *p, n);
    return failure;
}

static void pass_free(void *p) {
    bool was_silent = silence_enter();
    front.free(p);
    silence_leave(was_silent);
}

void front_pass(struct underlying *found, const struct underlying *under) {
    front = *found;
#define PASS(name, result, parameters, arguments)                                                            \
    if (found->name != under->name)                                                                          \
        found->name = pass_##name;
    UNDERLYING_FUNCTIONS(PASS)
}
