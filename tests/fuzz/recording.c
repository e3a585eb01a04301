/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads a recording and shows its last and its first moment.
 *
 * An input without the magic of recordings is uncompressed and is packed here, so altered bytes are bytes
 * that are read. It has for each block a length (two bytes, little endian) and that many bytes.
 * pack_recording.py converts a recording into such an input. */
#include "exports.h"

#include "dump/load/loaded.h"
#include "dump/record/recording.h"
#include "dump/view/view.h"
#include "write/formats.h"

#include <stdlib.h>
#include <string.h>

static void ignore(void *context, const struct report_breach *breach) {
    (void)context;
    if (!breach->law)
        abort();
}

static void show_history(const struct moment *moment) {
    struct history history;
    struct report_limits limits = {.top = 3};
    struct out out = fuzz_out();
    for (int is_growth = 0; is_growth < 2; is_growth++) {
        history_make(&history, moment, &limits, is_growth);
        history_text(&out, &history, &limits, is_growth);
        history_json(&out, &history, &limits);
        history_free(&history);
    }
}

static void show(const void *bytes, size_t size, const char *at, uint8_t choice) {
    struct moment moment;
    struct reason why;
    struct out out = fuzz_out();
    char *copy = malloc(size + 1);
    if (!copy)
        return;
    memcpy(copy, bytes, size);
    if (!moment_load(&moment, copy, size, at, &why)) {
        free(copy);
        return;
    }
    report_prepare(&moment.report, &(struct report_limits){.top = 0});
    report_check(&moment.report, ignore, NULL);
    report_write(&out, &moment.report, (enum report_format)(choice % FORMATS));
    fuzz_export(&moment.report, &moment, choice);
    show_history(&moment);
    moment_free(&moment);
}

static void put_u32(uint8_t *at, uint64_t number) {
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(number >> 8 * i);
}

/* A stored block. Compressed ones would only test zlib. */
static size_t pack_block(uint8_t *to, const uint8_t *plain, uint16_t size) {
    uint8_t *bytes = to + RECORDING_BLOCK;
    bytes[0] = 0;
    bytes[1] = (uint8_t)size;
    bytes[2] = (uint8_t)(size >> 8);
    bytes[3] = (uint8_t)~bytes[1];
    bytes[4] = (uint8_t)~bytes[2];
    memcpy(bytes + 5, plain, size);
    put_u32(to, size + 5u);
    put_u32(to + 4, crc32(0, bytes, size + 5u));
    return RECORDING_BLOCK + 5u + size;
}

static size_t pack(uint8_t *to, const uint8_t *data, size_t size) {
    size_t used = RECORDING_HEADER;
    memset(to, 0, RECORDING_HEADER);
    memcpy(to, RECORDING_MAGIC, RECORDING_MAGIC_SIZE);
    to[RECORDING_MAGIC_SIZE] = RECORDING_VERSION;
    for (size_t at = 0; at + 2 <= size;) {
        size_t length = data[at] | (size_t)data[at + 1] << 8, remaining = size - at - 2;
        length = length < remaining ? length : remaining;
        used += pack_block(to + used, data + at + 2, (uint16_t)length);
        at += 2 + length;
    }
    return used;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static uint8_t packed[1 << 20];
    uint8_t choice = 0;
    for (size_t i = 0; i < size; i++)
        choice ^= data[i];
    bool is_packed = recording_is(data, size);
    if (!is_packed && size > sizeof packed / 16)
        return 0;
    size_t used = is_packed ? size : pack(packed, data, size);
    show(is_packed ? data : packed, used, choice & 1 ? "0" : NULL, choice);
    return 0;
}
