/* Starting threads: the peak is found in another way as soon as there are several (tally.h), and only before
 * the second one exists can the first one change over without a lock.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "interpose.h"
#include "next.h"
#include "peak.h"

#include <pthread.h>
#include <threads.h>

#ifdef ALLOCSITE_STATIC

extern int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
#define real_pthread_create __real_pthread_create

#else

static int real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                               void *argument) {
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!real)
        real = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))next_behind(
            "pthread_create");
    return real(thread, attributes, start, argument);
}

static int real_thrd_create(thrd_t *thread, thrd_start_t start, void *argument) {
    static int (*real)(thrd_t *, thrd_start_t, void *);
    if (!real)
        real = (int (*)(thrd_t *, thrd_start_t, void *))next_behind("thrd_create");
    return real(thread, start, argument);
}

/* The C library's own does not call pthread_create by its name. */
INTERPOSE(int, thrd_create, thrd_t *thread, thrd_start_t start, void *argument) {
    peak_several_threads();
    return real_thrd_create(thread, start, argument);
}

#endif

INTERPOSE(int, pthread_create, pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
          void *argument) {
    peak_several_threads();
    return real_pthread_create(thread, attributes, start, argument);
}
