/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages of Protocol Buffers. */
#include "dump/export/proto.h"

#include "dump/base/memory.h"

#include <stdbool.h>
#include <stdlib.h>

enum { WIRE_NUMBER = 0, WIRE_BYTES = 2 };

void message_element(struct message *message, uint64_t value) {
    for (bool is_last = false; !is_last; value >>= 7) {
        is_last = value < 0x80;
        memory_grow(&message->bytes, message->size, &message->room, 1);
        message->bytes[message->size++] = (unsigned char)((value & 0x7F) | (is_last ? 0 : 0x80));
    }
}

static void put_key(struct message *message, unsigned field, unsigned wire) {
    message_element(message, field << 3 | wire);
}

void message_number(struct message *message, unsigned field, uint64_t value) {
    if (!value)
        return;
    put_key(message, field, WIRE_NUMBER);
    message_element(message, value);
}

void message_bytes(struct message *message, unsigned field, const void *bytes, size_t size) {
    put_key(message, field, WIRE_BYTES);
    message_element(message, size);
    for (size_t i = 0; i < size; i++) {
        memory_grow(&message->bytes, message->size, &message->room, 1);
        message->bytes[message->size++] = ((const unsigned char *)bytes)[i];
    }
}

void message_add(struct message *message, unsigned field, struct message *part) {
    message_bytes(message, field, part->bytes, part->size);
    part->size = 0;
}

void message_free(struct message *message) {
    free(message->bytes);
}
