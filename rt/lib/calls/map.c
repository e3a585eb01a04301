/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The interposed functions that map memory, which maps=1 counts. The C library's own mappings, such as those
 * of its malloc, of stacks and of modules, do not come here. */
#define _GNU_SOURCE
#include "lib/acct/mapping.h"
#include "lib/base/os.h"
#include "lib/calls/interpose.h"

#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#define MMAP(name)                                                                                           \
    REAL_FUNCTION(void *, name, (void *address, size_t n, int protection, int flags, int fd, off_t offset),  \
                  (address, n, protection, flags, fd, offset))                                               \
    INTERPOSE(void *, name, void *address, size_t n, int protection, int flags, int fd, off_t offset) {      \
        void *p = real_##name(address, n, protection, flags, fd, offset);                                    \
        if (UNLIKELY(mappings_wanted))                                                                       \
            mapping_made(BY_CALLER, p, os_whole_pages(n));                                                   \
        return p;                                                                                            \
    }

MMAP(mmap)
MMAP(mmap64)

REAL_FUNCTION(int, munmap, (void *p, size_t n), (p, n))

INTERPOSE(int, munmap, void *p, size_t n) {
    if (LIKELY(!mappings_wanted))
        return real_munmap(p, n);
    struct mapping_call call = mapping_call_begin(p, n);
    int error = real_munmap(p, n);
    if (!error)
        mapping_unmade(&call);
    return error;
}

REAL_FUNCTION(void *, mremap, (void *old, size_t old_n, size_t n, int flags, void *to),
              (old, old_n, n, flags, to))

INTERPOSE(void *, mremap, void *old, size_t old_n, size_t n, int flags, ...) {
    va_list list;
    va_start(list, flags);
    void *to = va_arg(list, void *);
    va_end(list);
    if (LIKELY(!mappings_wanted))
        return real_mremap(old, old_n, n, flags, to);
    bool is_copy = !old_n || flags & 4; /* MREMAP_DONTUNMAP, which older headers lack */
    struct mapping_call call = mapping_call_begin(old, old_n);
    void *p = real_mremap(old, old_n, n, flags, to);
    mapping_moved(BY_CALLER, &call, is_copy, p, os_whole_pages(n));
    return p;
}

/* ---- The data segment. Shrinking it removes the memory that was added last. */

REAL_FUNCTION(void *, sbrk, (intptr_t change), (change))
REAL_FUNCTION(int, brk, (void *end), (end))

static void count_break(struct origin origin, uintptr_t before, uintptr_t after) {
    if (after > before)
        mapping_made(origin, (const void *)before, after - before);
    else if (after < before)
        mapping_unmade(&(struct mapping_call){UINT64_MAX, after, before});
}

INTERPOSE(void *, sbrk, intptr_t change) {
    void *p = real_sbrk(change);
    if (UNLIKELY(mappings_wanted) && p == MAP_FAILED)
        mapping_made(BY_CALLER, p, 0);
    else if (UNLIKELY(mappings_wanted))
        count_break(BY_CALLER, (uintptr_t)p, (uintptr_t)p + (uintptr_t)change);
    return p;
}

INTERPOSE(int, brk, void *end) {
    if (LIKELY(!mappings_wanted))
        return real_brk(end);
    uintptr_t before = (uintptr_t)real_sbrk(0);
    int error = real_brk(end);
    if (error)
        mapping_made(BY_CALLER, MAP_FAILED, 0);
    else
        count_break(BY_CALLER, before, (uintptr_t)end);
    return error;
}

/* ---- Shared memory of System V. */

REAL_FUNCTION(void *, shmat, (int id, const void *address, int flags), (id, address, flags))
REAL_FUNCTION(int, shmdt, (const void *p), (p))

INTERPOSE(void *, shmat, int id, const void *address, int flags) {
    struct shmid_ds segment = {.shm_segsz = 0};
    void *p = real_shmat(id, address, flags);
    if (UNLIKELY(mappings_wanted) && (p == MAP_FAILED || shmctl(id, IPC_STAT, &segment) == 0))
        mapping_made(BY_CALLER, p, os_whole_pages(segment.shm_segsz));
    return p;
}

INTERPOSE(int, shmdt, const void *p) {
    if (LIKELY(!mappings_wanted))
        return real_shmdt(p);
    struct mapping_call call = mapping_call_begin(p, 0);
    int error = real_shmdt(p);
    if (!error)
        mapping_unmade(&call);
    return error;
}
