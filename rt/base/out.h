/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A buffered writer on a file descriptor.
 *
 * Uses neither stdio nor malloc, so the runtime can report from inside a process whose heap it counts.
 * The first failing write is remembered and everything after it is dropped: callers write on and look
 * at the result of out_flush once. Not thread-safe; a struct out belongs to one thread. */
#ifndef ALLOCSITE_BASE_OUT_H
#define ALLOCSITE_BASE_OUT_H

#include <stdbool.h>
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

/* Sixteen lower-case hexadecimal digits. */
void out_hex16(struct out *, uint64_t);

/* Lower-case hexadecimal digits, as many as it takes. */
void out_hex(struct out *, uint64_t);

/* Writes what is waiting. 0, or the errno of the first write that failed since out_open. */
int out_flush(struct out *);

/* ---- Text that others chose (text.c): names of functions, files and types, command lines, reasons.
 * These functions keep it from being anything else where it is written: an order to a terminal, a formula, a
 * link, an element of HTML. A format that one file writes quotes its own syntax there, and takes each
 * character from out_plain_character.
 */

/* Length of the UTF-8 character at s, 1 to 4; 0: the byte there is not the start of a valid one. */
size_t utf8_length(const char *s);

/* For terminals and lines of text: control characters, line separators, characters that change the direction
 * of writing (Bidi_Control of Unicode) and stray bytes become question marks. NULL is "?". */
void out_plain(struct out *, const char *);

/* The same for one character, of a text that does not end there; returns how many bytes it has. */
size_t out_plain_character(struct out *, const char *);

/* A JSON string in quotes, null for NULL. Bytes that are not UTF-8 become U+FFFD, one for each byte; what a
 * terminal would obey is escaped. */
void out_json_string(struct out *, const char *);

/* A code span of Markdown, in which neither HTML nor links, mentions or emphasis are recognised, also in the
 * cell of a table. NULL is "?". */
void out_code(struct out *, const char *);

/* A part of a code span whose backquotes the caller writes. */
void out_code_part(struct out *, const char *);

/* A field of TSV. One that a spreadsheet would take for a formula gets an apostrophe in front. */
void out_field(struct out *, const char *);

/* The same within the quotes of CSV, which the caller writes; parts behind the first are part of no formula.
 * NULL is nothing. */
void out_quoted(struct out *, const char *);
void out_quoted_part(struct out *, const char *);

/* A property or the message of a workflow command of GitHub Actions: percent signs, ends of lines and the
 * special characters are encoded. */
void out_command(struct out *, const char *, const char *special);

/* "%2F", as in URIs. */
void out_percent(struct out *, char);

/* ---- JSON as it comes: commas and quotes are put here and nowhere else. Needs no memory: of all that is
 * open, only the innermost object or array can be written to, and what was before a closed one is always
 * something.
 */

struct json {
    struct out *out;
    bool follows;      /* in the same object or array something stands before */
    const char *space; /* in front of what comes next; NULL: none */
};

/* Members of an object, or elements of an array if the key is NULL. The value that follows json_key is the
 * caller's. */
void json_key(struct json *, const char *key);
void json_number(struct json *, const char *key, uint64_t);
void json_text(struct json *, const char *key, const char *); /* NULL: null */
void json_flag(struct json *, const char *key, bool);
void json_id(struct json *, const char *key, uint64_t);      /* "0123456789abcdef" */
void json_address(struct json *, const char *key, uint64_t); /* "0x1f" */

/* bracket: { or [, and the one that fits it. */
void json_open(struct json *, const char *key, char bracket);
void json_close(struct json *, char bracket);

/* A whole document: the object with these two members, and its end with that of its line. */
struct json json_begin(struct out *, const char *format, uint64_t version);
void json_end(struct json *);

/* The next member or element begins a line. */
static inline void json_line(struct json *json) {
    json->space = "\n";
}

/* Opens one that does. */
void json_open_line(struct json *, const char *key, char bracket);

#endif
