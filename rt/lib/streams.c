/* Memory streams opened by sited calls, and fclose, which hands their block over.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _GNU_SOURCE
#include "streams.h"
#include "interpose.h"
#include "next.h"
#include "runtime.h"

/* Streams open at once; more are their module's. */
#define STREAMS 64

static struct {
    const FILE *stream;
    uint32_t slot;
} streams[STREAMS];

static uint32_t streams_open;

void stream_remember(const FILE *stream, uint32_t slot) {
    for (int i = 0; i < STREAMS; i++) {
        const FILE *none = NULL;
        if (__atomic_compare_exchange_n(&streams[i].stream, &none, stream, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {
            streams[i].slot = slot;
            __atomic_fetch_add(&streams_open, 1, __ATOMIC_RELEASE);
            return;
        }
    }
}

uint32_t stream_forget(const FILE *stream) {
    if (LIKELY(__atomic_load_n(&streams_open, __ATOMIC_ACQUIRE) == 0))
        return NO_SLOT;
    for (int i = 0; i < STREAMS; i++)
        if (__atomic_load_n(&streams[i].stream, __ATOMIC_ACQUIRE) == stream) {
            uint32_t slot = streams[i].slot;
            __atomic_store_n(&streams[i].stream, NULL, __ATOMIC_RELEASE);
            __atomic_fetch_sub(&streams_open, 1, __ATOMIC_RELEASE);
            return slot;
        }
    return NO_SLOT;
}

#ifdef ALLOCSITE_STATIC

extern int __real_fclose(FILE *);
#define real_fclose __real_fclose

#else

static int real_fclose(FILE *stream) {
    static int (*real)(FILE *);
    if (!real)
        real = (int (*)(FILE *))next_symbol("fclose");
    return real(stream);
}

#endif

/* Closing a memory stream trims its block by a realloc. */
INTERPOSE(int, fclose, FILE *stream) {
    if (UNLIKELY(stream == stderr || stream == stdout))
        exit_keep_descriptor(fileno(stream));
    uint32_t slot = stream_forget(stream);
    if (LIKELY(slot == NO_SLOT))
        return real_fclose(stream);
    __attribute__((cleanup(scope_close))) struct scope around = scope_open(slot, false, 0, 0);
    (void)around;
    return real_fclose(stream);
}
