/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Interposed functions that count nothing, but that the runtime must notice. */
#define _GNU_SOURCE
#include "lib/base/local.h"
#include "lib/base/stack.h"
#include "lib/base/state.h"
#include "lib/calls/interpose.h"
#include "lib/count/peak.h"
#include "lib/count/threads.h"
#include "lib/custom_alloc/custom.h"
#include "lib/heap/underlying.h"
#include "lib/registry/modules.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <threads.h>
#include <unistd.h>

struct __jmp_buf_tag;

#define JUMPS(X)                                                                                             \
    X(longjmp)                                                                                               \
    X(_longjmp)                                                                                              \
    X(siglongjmp)                                                                                            \
    X(__longjmp_chk)

#ifdef ALLOCSITE_STATIC

#define REAL(name)    __real_##name
#define DECLARE(name) extern __attribute__((noreturn)) void __real_##name(struct __jmp_buf_tag *, int);
#define FIND(name)

extern pid_t __real_fork(void);
#define real_fork __real_fork
#define find_fork()

#else

#define REAL(name)    real_##name
#define DECLARE(name) static void (*real_##name)(struct __jmp_buf_tag *, int);
#define FIND(name)    real_##name = (void (*)(struct __jmp_buf_tag *, int))underlying_symbol_after(#name);

#endif

JUMPS(DECLARE)

#ifndef ALLOCSITE_STATIC

static pid_t (*real_fork)(void);

static void find_fork(void) {
    if (!real_fork)
        real_fork = (pid_t(*)(void))underlying_symbol_after("fork");
}

/* Done early, because the first call may come from a signal handler. */
__attribute__((constructor)) static void find_all(void) {
    find_fork();
    JUMPS(FIND)
}

#endif

/* A jump abandons everything that the thread was doing: a custom allocator, a replaced delete or, if a
 * handler of a stack overflow jumps, an event that is half counted. */
static void leave_all(void) {
    local.releaser = 0;
    local.released = NULL;
    if (local.custom)
        custom_leave(0);
    if (local.begun)
        gap_set(GAP_TORN);
    local.begun = 0;
}

#define JUMP(name)                                                                                           \
    INTERPOSE(__attribute__((noreturn)) void, name, struct __jmp_buf_tag *to, int value) {                   \
        leave_all();                                                                                         \
        REAL(name)(to, value);                                                                               \
        __builtin_unreachable();                                                                             \
    }
JUMPS(JUMP)

/* ---- fork. The kernel has wiped all thread structures in the child. If a signal handler calls fork, the
 * interrupted code continues in the child as well, and may already have checked that there are tallies. So
 * the child keeps the pointers to them. */

INTERPOSE(pid_t, fork, void) {
    struct thread *thread = local.thread;
    struct tally *tallies = thread ? thread->tallies : NULL;
    struct extra *extras = thread ? thread->extras : NULL;
    find_fork();
    pid_t process = real_fork();
    if (process == 0 && thread) {
        thread->tallies = tallies;
        thread->extras = extras;
    }
    if (process == 0)
        forked_within_event = local.begun;
    return process;
}

/* ---- mlockall. The kernel would allocate a page for every mapped address, and the shadow table alone has
 * terabytes of them. So pages are locked when they are touched. */

REAL_FUNCTION(int, mlockall, (int flags), (flags))

INTERPOSE(int, mlockall, int flags) {
    return real_mlockall(runtime_off ? flags : flags | MCL_ONFAULT);
}

/* ---- Starting threads. The peak is measured in another way if there are several threads (count/tally.h).
 * The first thread can change over without a lock only before the second one exists. */

REAL_FUNCTION(int, pthread_create,
              (pthread_t * thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument),
              (thread, attributes, start, argument))

/* attributes: NULL for the default ones. Functions are looked up before a second thread exists: a child that
 * a system call forks runs no handler that could look them up, and another thread may have held the dynamic
 * loader's lock at the fork. */
static void note_thread(const pthread_attr_t *attributes) {
    pthread_attr_t usual;
    size_t size = 0, guard = 0;
    if (__libc_single_threaded)
        interpose_find_all();
    if (!attributes && pthread_attr_init(&usual) == 0)
        attributes = &usual;
    if (attributes && pthread_attr_getstacksize(attributes, &size) == 0 &&
        pthread_attr_getguardsize(attributes, &guard) == 0)
        stack_note_thread(size > guard ? size - guard : 1);
    peak_several_threads();
}

#ifndef ALLOCSITE_STATIC

REAL_FUNCTION(int, thrd_create, (thrd_t * thread, thrd_start_t start, void *argument),
              (thread, start, argument))

/* The C library's thrd_create does not call the interposed pthread_create. */
INTERPOSE(int, thrd_create, thrd_t *thread, thrd_start_t start, void *argument) {
    note_thread(NULL);
    return real_thrd_create(thread, start, argument);
}

#endif

INTERPOSE(int, pthread_create, pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
          void *argument) {
    note_thread(attributes);
    return real_pthread_create(thread, attributes, start, argument);
}

/* ---- dlclose. Afterwards an address may belong to another module. */

#ifndef ALLOCSITE_STATIC

REAL_FUNCTION(int, dlclose, (void *handle), (handle))

INTERPOSE(int, dlclose, void *handle) {
    if (!runtime_off && instrumented_note())
        rebind_look();
    unload_begin();
    int error = real_dlclose(handle);
    unload_end();
    return error;
}

#endif

/* ---- fclose. A report at exit may still need the descriptors of the standard streams. */

REAL_FUNCTION(int, fclose, (FILE * stream), (stream))

INTERPOSE(int, fclose, FILE *stream) {
    if (UNLIKELY(stream == stderr || stream == stdout))
        descriptor_keep(fileno(stream));
    return real_fclose(stream);
}
