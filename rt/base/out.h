/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A buffered writer on a file descriptor.
 *
 * Uses neither stdio nor malloc, so the runtime can report from inside a process whose heap it counts.
 * The first failing write is remembered and everything after it is dropped: callers write on and look
 * at the result of out_flush once. Not thread-safe; a struct out belongs to one thread. */
#ifndef ALLOCSITE_BASE_OUT_H
#define ALLOCSITE_BASE_OUT_H

#include <stddef.h>
#include <stdint.h>

struct out {
    int fd;      /* borrowed: never closed here; -1: data is all there is */
    int error;   /* errno of the first write that failed; 0: none */
    size_t used; /* bytes waiting in data */
    char *data;  /* the caller's, must outlive the writer */
    size_t size; /* of data, at least 1 */
};

void out_open(struct out *, int fd, char *buffer, size_t size);

/* To memory: text is NUL-terminated and cut to size, at least 1. */
void out_open_memory(struct out *, char *text, size_t size);
void out_char(struct out *, char);
void out_text(struct out *, const char *);
void out_bytes(struct out *, const char *, size_t);
void out_u64(struct out *, uint64_t);

/* Text with what could confuse a terminal or a reader as question marks: control characters, line separators,
 * what changes the direction of writing (Bidi_Control of Unicode), stray bytes. NULL is "?". */
void out_plain(struct out *, const char *);

/* The same for one character, of a text that does not end there; returns how many bytes it has. */
size_t out_plain_character(struct out *, const char *);

/* Sixteen lower-case hexadecimal digits. */
void out_hex16(struct out *, uint64_t);

/* Lower-case hexadecimal digits, as many as it takes. */
void out_hex(struct out *, uint64_t);

/* A JSON string in quotes, null for NULL. Bytes that are not UTF-8 become U+FFFD, one for each byte; what a
 * terminal would obey is escaped. */
void out_json_string(struct out *, const char *);

/* Writes what is waiting. 0, or the errno of the first write that failed since out_open. */
int out_flush(struct out *);

/* Length of the UTF-8 character at s, 1 to 4; 0: the byte there is not the start of a valid one. */
size_t utf8_length(const char *s);

#endif
