/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Unpacks MiniDebugInfo: symbols of static functions that Fedora and Android leave in stripped files. */
#include "dump/elf/unpack.h"

#ifdef ALLOCSITE_HAVE_LZMA
#include "dump/base/memory.h"

#include <lzma.h>
#include <stdint.h>
#include <stdlib.h>

/* Limits of memory. The symbols of a library of 100 MB take 5 MB, but a few bytes of xz can expand to
 * gigabytes. */
enum { UNPACKED_MOST = 1 << 28, DECODER_MOST = 1 << 28 };

/* Grows the buffer until the stream ends. */
static bool lzma_unpack(lzma_stream *stream, unsigned char **buffer, size_t *capacity) {
    lzma_ret status = LZMA_OK;
    while (status == LZMA_OK && *capacity < UNPACKED_MOST) {
        *buffer = memory_need(realloc(*buffer, *capacity * 2));
        stream->next_out = *buffer + stream->total_out;
        stream->avail_out = *capacity * 2 - stream->total_out;
        *capacity *= 2;
        status = lzma_code(stream, LZMA_FINISH);
    }
    return status == LZMA_STREAM_END;
}

unsigned char *mini_debug_unpack(const unsigned char *bytes, size_t size, size_t *unpacked) {
    lzma_stream stream = LZMA_STREAM_INIT;
    size_t capacity = size < 1 << 10 ? 1 << 10 : size;
    unsigned char *buffer = NULL;
    if (lzma_stream_decoder(&stream, DECODER_MOST, 0) != LZMA_OK)
        return NULL;
    stream.next_in = bytes;
    stream.avail_in = size;
    bool is_whole = lzma_unpack(&stream, &buffer, &capacity);
    *unpacked = stream.total_out;
    lzma_end(&stream);
    if (is_whole)
        return buffer;
    free(buffer);
    return NULL;
}
#else
unsigned char *mini_debug_unpack(const unsigned char *bytes, size_t size, size_t *unpacked) {
    (void)bytes;
    (void)size;
    (void)unpacked;
    return NULL;
}
#endif
