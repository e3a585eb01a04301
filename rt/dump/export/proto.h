/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages of Protocol Buffers, as far as pprof's profiles need them: numbers and bytes, and arrays of
 * numbers. A code generator for these two kinds of fields would be more to build and to keep than this. */
#ifndef ALLOCSITE_DUMP_EXPORT_PROTO_H
#define ALLOCSITE_DUMP_EXPORT_PROTO_H

#include <stddef.h>
#include <stdint.h>

/* All zero: empty. */
struct message {
    unsigned char *bytes;
    size_t size, room;
};

/* Add a field. 0 is what a reader takes a missing one for, so it is not written. */
void message_number(struct message *, unsigned field, uint64_t);
void message_bytes(struct message *, unsigned field, const void *, size_t);

/* Adds the message and empties it. */
void message_add(struct message *, unsigned field, struct message *part);

/* An element of an array, which is written even if it is 0; the array is added as a message is. */
void message_element(struct message *array, uint64_t);

void message_free(struct message *);

#endif
