/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory that the program has registered as a root of the search for leaked blocks. The reader finds the list
 * (root.h). The list is lock-free, and a forked child continues with its parent's list. */
#include "lib/allocsite.h"
#include "lib/base/macros.h"
#include "lib/base/os.h"
#include "lib/base/state.h"
#include "root.h"

#include <errno.h>

#define ROOTS_MOST   65536
#define ROOT_CLAIMED 1 /* value of `begin` while the entry is being written */

struct registered {
    uintptr_t begin, end; /* begin 0: the entry is free */
};

static struct registered *registered;
static uint32_t registered_count; /* entries that were ever used */

const struct root_list root_registered = {.entries = &registered,
                                          .count = &registered_count,
                                          .most = ROOTS_MOST,
                                          .entry_size = sizeof(struct registered)};

static struct registered *registered_list(void) {
    struct registered *list = __atomic_load_n(&registered, __ATOMIC_ACQUIRE), *none = NULL;
    if (list)
        return list;
    list = os_map_unnoted(ROOTS_MOST * sizeof *list, OS_FORK_KEEPS);
    if (!list ||
        __atomic_compare_exchange_n(&registered, &none, list, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        if (list)
            os_note_mapping(list, ROOTS_MOST * sizeof *list, OS_FORK_KEEPS);
        return list;
    }
    os_unmap(list, ROOTS_MOST * sizeof *list);
    return none;
}

static bool replace_begin(struct registered *entry, uintptr_t from, uintptr_t to) {
    return __atomic_compare_exchange_n(&entry->begin, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static void count_entry(uint32_t index) {
    uint32_t count = __atomic_load_n(&registered_count, __ATOMIC_RELAXED);
    while (count <= index && !__atomic_compare_exchange_n(&registered_count, &count, index + 1, true,
                                                          __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

static int root_add(struct registered *list, uintptr_t begin, uintptr_t end) {
    for (uint32_t i = 0; i < ROOTS_MOST; i++) {
        if (__atomic_load_n(&list[i].begin, __ATOMIC_RELAXED) || !replace_begin(&list[i], 0, ROOT_CLAIMED))
            continue;
        list[i].end = end;
        __atomic_store_n(&list[i].begin, begin, __ATOMIC_RELEASE);
        count_entry(i);
        return 0;
    }
    return ENOSPC;
}

static int root_remove(struct registered *list, uintptr_t begin, uintptr_t end) {
    uint32_t count = __atomic_load_n(&registered_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++)
        if (__atomic_load_n(&list[i].begin, __ATOMIC_ACQUIRE) == begin && list[i].end == end &&
            replace_begin(&list[i], begin, 0))
            return 0;
    return ENOENT;
}

static int roots_change(const void *memory, size_t size, int how(struct registered *, uintptr_t, uintptr_t)) {
    uintptr_t begin = (uintptr_t)memory, end;
    int error = errno;
    runtime_start();
    errno = error;
    if (runtime_off)
        return ENOSYS;
    if (begin <= ROOT_CLAIMED || !size || __builtin_add_overflow(begin, size, &end))
        return EINVAL;
    struct registered *list = registered_list();
    errno = error;
    return list ? how(list, begin, end) : ENOMEM;
}

ALLOCSITE_EXPORT int __allocsite_api_v1_register_root(const void *memory, size_t size) {
    return roots_change(memory, size, root_add);
}

ALLOCSITE_EXPORT int __allocsite_api_v1_unregister_root(const void *memory, size_t size) {
    return roots_change(memory, size, root_remove);
}
