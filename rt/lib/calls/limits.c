/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory limits that the program sets, such as a shell's ulimit. The runtime has mapped terabytes, so with
 * such a limit every call of the allocator would fail. These functions therefore raise the limit in the
 * kernel. The program, and any program that it executes, gets the limit that was set. Children of
 * posix_spawn(3), and of functions that use it, are not handled. */
#define _GNU_SOURCE
#include "lib/calls/interpose.h"

#include "lib/base/os.h"
#include "lib/base/state.h"

#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(sizeof(struct rlimit) == sizeof(struct rlimit64), "both structures are equal");

/* The limit that the program set, and the limit that the kernel got for it, which is valid until a direct
 * system call changes it. The two are equal if nothing was raised. */
static struct limit { struct rlimit64 reported, set; } of_all, of_data;

static struct limit *limit_of(int resource) {
    return resource == RLIMIT_AS ? &of_all : resource == RLIMIT_DATA ? &of_data : NULL;
}

static int limits_call_kernel(pid_t process, int resource, const struct rlimit64 *to, struct rlimit64 *from) {
    return (int)syscall(SYS_prlimit64, process, resource, to, from);
}

static void limits_hide_headroom(const struct limit *limit, struct rlimit64 *of_kernel) {
    if (of_kernel->rlim_cur == limit->set.rlim_cur)
        of_kernel->rlim_cur = limit->reported.rlim_cur;
    if (of_kernel->rlim_max == limit->set.rlim_max)
        of_kernel->rlim_max = limit->reported.rlim_max;
}

/* Returns the raised limit: at most `most`, unless the program itself wants more. */
static uint64_t raise_to(uint64_t wanted, uint64_t most) {
    uint64_t raised;
    if (__builtin_add_overflow(wanted, __atomic_load_n(&os_mapped, __ATOMIC_RELAXED), &raised))
        return RLIM64_INFINITY;
    return raised > most && wanted <= most ? most : raised;
}

static int limits_change(int resource, struct limit *limit, const struct rlimit64 *wanted) {
    struct rlimit64 now = {0, 0}, set;
    if (limits_call_kernel(0, resource, NULL, &now) != 0)
        return -1;
    set.rlim_max = raise_to(wanted->rlim_max, now.rlim_max);
    set.rlim_cur = raise_to(wanted->rlim_cur, wanted->rlim_cur <= wanted->rlim_max ? set.rlim_max : 0);
    if (limits_call_kernel(0, resource, &set, NULL) != 0)
        return -1;
    *limit = (struct limit){*wanted, set};
    return 0;
}

static bool is_this_process(pid_t process) {
    return process == 0 || process == os_process();
}

static int limits_apply(pid_t process, int resource, const struct rlimit64 *to, struct rlimit64 *from) {
    struct limit *known = !runtime_off && is_this_process(process) ? limit_of(resource) : NULL;
    if (!known)
        return limits_call_kernel(process, resource, to, from);
    struct rlimit64 before;
    if (limits_call_kernel(0, resource, NULL, &before) != 0)
        return -1;
    limits_hide_headroom(known, &before);
    if (to && limits_change(resource, known, to) != 0)
        return -1;
    if (from)
        *from = before;
    return 0;
}

#define LIMITS(suffix)                                                                                       \
    INTERPOSE(int, getrlimit##suffix, __rlimit_resource_t resource, struct rlimit##suffix *from) {           \
        return limits_apply(0, (int)resource, NULL, (struct rlimit64 *)from);                                \
    }                                                                                                        \
    INTERPOSE(int, setrlimit##suffix, __rlimit_resource_t resource, const struct rlimit##suffix *to) {       \
        return limits_apply(0, (int)resource, (const struct rlimit64 *)to, NULL);                            \
    }                                                                                                        \
    INTERPOSE(int, prlimit##suffix, pid_t process, enum __rlimit_resource resource,                          \
              const struct rlimit##suffix *to, struct rlimit##suffix *from) {                                \
        return limits_apply(process, (int)resource, (const struct rlimit64 *)to, (struct rlimit64 *)from);   \
    }

LIMITS()
LIMITS(64)

static bool is_raised(const struct limit *limit) {
    return limit->reported.rlim_cur != limit->set.rlim_cur || limit->reported.rlim_max != limit->set.rlim_max;
}

static void change_all(bool raise) {
    int error = errno;
    for (int resource = RLIMIT_DATA; resource != -1; resource = resource == RLIMIT_DATA ? RLIMIT_AS : -1) {
        const struct limit *limit = limit_of(resource);
        struct rlimit64 now;
        if (!is_raised(limit) || limits_call_kernel(0, resource, NULL, &now) != 0)
            continue;
        if (raise)
            now = limit->set;
        else
            limits_hide_headroom(limit, &now);
        limits_call_kernel(0, resource, &now, NULL);
    }
    errno = error;
}

void limits_lower(void) {
    change_all(false);
}

void limits_raise(void) {
    change_all(true);
}
