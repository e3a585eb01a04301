/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The data of the page, compressed, as text. */
#include "dump/html/pack.h"

#include "dump/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

enum { PIECE = 3 << 14 }; /* whole groups of three bytes */

struct packing {
    struct out *out;
    z_stream stream;
    unsigned char packed[PIECE];
    char data[1 << 16];
};

static void put_base64(struct out *out, const unsigned char *bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t group = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0);
        char text[4] = {digits[group >> 18], digits[group >> 12 & 63], digits[group >> 6 & 63],
                        digits[group & 63]};
        if (left < 3)
            text[3] = '=';
        if (left < 2)
            text[2] = '=';
        out_bytes(out, text, sizeof text);
    }
}

static void empty(struct packing *packing) {
    put_base64(packing->out, packing->packed, sizeof packing->packed - packing->stream.avail_out);
    packing->stream.next_out = packing->packed;
    packing->stream.avail_out = sizeof packing->packed;
}

/* A piece is written when it is full, so that only the last one ends with a part of a group. */
static void deflate_piece(struct packing *packing, size_t size, int flush) {
    z_stream *stream = &packing->stream;
    stream->next_in = (Bytef *)packing->data;
    stream->avail_in = (uInt)size;
    for (int result = Z_OK; stream->avail_in || (flush == Z_FINISH && result != Z_STREAM_END);) {
        if (!stream->avail_out)
            empty(packing);
        result = deflate(stream, flush);
    }
}

/* The fastest level: the slowest one makes a tenth less of it in three times the time. */
static void pack_file(struct packing *packing, int fd) {
    memory_need(deflateInit2(&packing->stream, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK
                    ? packing
                    : NULL);
    packing->stream.next_out = packing->packed;
    packing->stream.avail_out = sizeof packing->packed;
    ssize_t size = 0;
    for (off_t at = 0; (size = pread(fd, packing->data, sizeof packing->data, at)) > 0; at += size)
        deflate_piece(packing, (size_t)size, Z_NO_FLUSH);
    deflate_piece(packing, 0, Z_FINISH);
    empty(packing);
    deflateEnd(&packing->stream);
    if (size < 0)
        packing->out->error = errno;
}

/* What writes the data knows of files alone. */
void pack_write_packed(struct out *out, const struct html *html) {
    struct packing *packing = memory_zeros(1, sizeof *packing);
    struct out data;
    int fd = memfd_create("page", MFD_CLOEXEC);
    packing->out = out;
    out_open(&data, fd, packing->data, sizeof packing->data);
    if (fd >= 0)
        pack_write(&data, html);
    int error = fd < 0 ? errno : out_flush(&data);
    if (error)
        out->error = error;
    else
        pack_file(packing, fd);
    close(fd);
    free(packing);
}
