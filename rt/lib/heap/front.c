/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A malloc of the program's own, which stands before ours.
 *
 * The dynamic loader binds every module to it, so a call that passes no site comes to us only if that malloc
 * passes it on: to __libc_malloc, or to what dlsym(RTLD_NEXT, "malloc") finds, which are both ours. Such a
 * malloc is common in test harnesses and in programs that count their own calls.
 *
 * A sited call would then be counted twice. So it calls that malloc in silence, in which the block that
 * arrives from below is noted as nobody's, and is counted when that malloc has returned. If it returns the
 * same block for the same size, frees arrive from below as well, whoever calls them. As soon as one block is
 * different (it has a header, or comes from a pool) frees that pass no site are not seen, and nothing is
 * known to be live. That is also so until a first block has shown otherwise. */
#include "lib/heap/next.h"

#include "lib/base/local.h"
#include "lib/base/slot.h"
#include "lib/base/state.h"
#include "lib/heap/shadow.h"

#include <errno.h>

static struct next front;

/* Not silence_begin, which holds signals: a program's malloc may rely on them. */
static bool enter(void) {
    bool was_silent = local.silent;
    local.silent = true;
    local_divert();
    return was_silent;
}

static void leave(bool was_silent) {
    local.silent = was_silent;
    local_divert();
}

/* Whether the block that the program's malloc returned is the one that arrived from below. */
static void compare(const void *p, size_t n) {
    static bool has_differed;
    if (!p || runtime_off || !runtime_owners)
        return;
    int error = errno;
    struct block block = shadow_find(p);
    bool is_same = block.state == BLOCK_LIVE && block.slot == SLOT_OURS && block.size == n;
    if (!is_same)
        __atomic_store_n(&has_differed, true, __ATOMIC_SEQ_CST);
    if (!has_differed && hole_is_set(HOLE_FREES))
        hole_unset(HOLE_FREES);
    if (__atomic_load_n(&has_differed, __ATOMIC_SEQ_CST)) /* in this thread or meanwhile in another one */
        hole_set(HOLE_FREES);
    errno = error;
}

#define PASSED(call, n)                                                                                      \
    bool was_silent = enter();                                                                               \
    void *p = front.call;                                                                                    \
    leave(was_silent);                                                                                       \
    compare(p, n);                                                                                           \
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
    bool was_silent = enter();
    int failure = front.posix_memalign(p, align, n);
    leave(was_silent);
    compare(failure ? NULL : *p, n);
    return failure;
}

static void pass_free(void *p) {
    bool was_silent = enter();
    front.free(p);
    leave(was_silent);
}

void front_pass(struct next *found, const struct next *under) {
    front = *found;
#define PASS(name, result, parameters, arguments)                                                            \
    if (found->name != under->name)                                                                          \
        found->name = pass_##name;
    NEXT_FUNCTIONS(PASS)
}
