/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory streams opened by sited calls, and fclose, which hands their block over. */
#define _GNU_SOURCE

#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/os.h"
#include "lib/base/slot.h"
#include "lib/base/state.h"
#include "lib/paths/scope.h"

#include "lib/base/table.h"
#include "lib/calls/entry.h"
#include "lib/calls/interpose.h"
#include "lib/heap/next.h"

#include <stdio.h>
#include <wchar.h>

struct open_stream {
    const FILE *stream; /* NULL: the place is free */
    uint32_t slot;
};

static struct table places = {.element = sizeof(struct open_stream), .first = 64};
static uint32_t places_used; /* none behind these was ever taken */
static uint32_t streams_open;

static void place_used(uint32_t index) {
    uint32_t used = __atomic_load_n(&places_used, __ATOMIC_RELAXED);
    while (used <= index && !__atomic_compare_exchange_n(&places_used, &used, index + 1, false,
                                                         __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

static void stream_remember(const FILE *stream, uint32_t slot) {
    struct open_stream *place;
    for (uint32_t i = 0; (place = table_at(&places, i)); i++) {
        const FILE *none = NULL;
        if (!__atomic_compare_exchange_n(&place->stream, &none, stream, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED))
            continue;
        place->slot = slot;
        place_used(i);
        __atomic_fetch_add(&streams_open, 1, __ATOMIC_RELEASE);
        return;
    }
    hole_set(HOLE_MEMORY);
}

static struct open_stream *place_of(const FILE *stream) {
    uint32_t used = __atomic_load_n(&places_used, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < used; i++) {
        struct open_stream *place = table_peek(&places, i);
        if (place && __atomic_load_n(&place->stream, __ATOMIC_ACQUIRE) == stream)
            return place;
    }
    return NULL;
}

/* NO_SLOT: no sited call has opened it. */
static uint32_t stream_forget(const FILE *stream) {
    if (LIKELY(__atomic_load_n(&streams_open, __ATOMIC_ACQUIRE) == 0))
        return NO_SLOT;
    struct open_stream *place = place_of(stream);
    if (!place)
        return NO_SLOT;
    uint32_t slot = place->slot;
    __atomic_store_n(&place->stream, NULL, __ATOMIC_RELEASE);
    __atomic_fetch_sub(&streams_open, 1, __ATOMIC_RELEASE);
    return slot;
}

BEHIND(int, fclose, (FILE * stream), (stream))

/* Closing a memory stream trims its block by a realloc. */
INTERPOSE(int, fclose, FILE *stream) {
    if (UNLIKELY(stream == stderr || stream == stdout))
        descriptor_keep(fileno(stream));
    uint32_t slot = stream_forget(stream);
    if (LIKELY(slot == NO_SLOT))
        return real_fclose(stream);
    __attribute__((cleanup(scope_close))) struct scope around =
        scope_open(slot, false, FAMILY_MALLOC, 0, 0, NULL);
    (void)around;
    return real_fclose(stream);
}

/* ---- The sited calls of open_memstream and open_wmemstream. */

static FILE *opened(FILE *stream) {
    if (!stream)
        scope_call_failed();
    else if (local.scope.active)
        stream_remember(stream, local.scope.slot);
    return stream;
}

ALLOCSITE_EXPORT FILE *__liballocsite_v1_open_memstream(char **block, size_t *size,
                                                        struct allocsite_site *site) {
    SCOPED(site);
    return opened(open_memstream(block, size));
}

ALLOCSITE_EXPORT FILE *__liballocsite_v1_open_wmemstream(wchar_t **block, size_t *size,
                                                         struct allocsite_site *site) {
    SCOPED(site);
    return opened(open_wmemstream(block, size));
}
