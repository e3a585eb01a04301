/* The sited calls of open_memstream and open_wmemstream.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _GNU_SOURCE
#include "entry.h"
#include "streams.h"

#include <stdio.h>
#include <wchar.h>

static FILE *opened(FILE *stream) {
    if (!stream)
        scope_call_failed();
    else if (local.scope.active)
        stream_remember(stream, local.scope.slot);
    return stream;
}

ENTRY(FILE *, open_memstream, char **block, size_t *size) {
    SCOPED(site);
    return opened(open_memstream(block, size));
}

ENTRY(FILE *, open_wmemstream, wchar_t **block, size_t *size) {
    SCOPED(site);
    return opened(open_wmemstream(block, size));
}
