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
    int fd;      /* borrowed, never closed here; -1: writes to `data` only */
    int error;   /* errno of the first failed write; 0: none */
    size_t used; /* bytes in data that are not written yet */
    char *data;  /* owned by the caller; must outlive the writer */
    size_t size; /* of data; at least 1 */
};

void out_open(struct out *, int fd, char *buffer, size_t size);

/* Writes to memory: text is NUL-terminated and cut to size, which is at least 1. */
void out_open_memory(struct out *, char *text, size_t size);
void out_char(struct out *, char);
void out_text(struct out *, const char *);
void out_bytes(struct out *, const char *, size_t);
void out_u64(struct out *, uint64_t);

/* Sixteen lower-case hexadecimal digits. */
void out_hex16(struct out *, uint64_t);

/* Lower-case hexadecimal digits without leading zeros. */
void out_hex(struct out *, uint64_t);

/* Writes the buffered bytes. Returns 0, or the errno of the first write that failed since out_open. */
int out_flush(struct out *);

/* ---- Untrusted text (text.c): names of functions, files and types, command lines, reasons. These functions
 * prevent it from becoming a terminal's control sequence, a formula, a link or an HTML element. A format that
 * only one file writes is quoted there, with out_plain_character for each character. */

/* Returns the length of the UTF-8 character at s, 1 to 4; 0 if the byte does not start a valid one. */
size_t utf8_length(const char *s);

/* For terminals and lines of text. Control characters, line separators, characters that change the direction
 * of writing (Unicode's Bidi_Control) and invalid bytes become question marks. NULL is written as "?". */
void out_plain(struct out *, const char *);

/* Like out_plain for one character; returns its length in bytes. The text must not be at its end. */
size_t out_plain_character(struct out *, const char *);

/* Writes a JSON string in quotes, null for NULL. Each byte that is not valid UTF-8 becomes U+FFFD. Characters
 * that out_plain replaces are escaped. */
void out_json_string(struct out *, const char *);

/* A code span of Markdown, in which HTML, links, mentions and emphasis have no effect, also in the cell of a
 * table. NULL is written as "?". */
void out_code(struct out *, const char *);

/* A part of a code span; the caller writes the backquotes. */
void out_code_part(struct out *, const char *);

/* A field of TSV. An apostrophe precedes a field that a spreadsheet would take for a formula. */
void out_field(struct out *, const char *);

/* A field of CSV; the caller writes the quotes. out_quoted_part continues it, without the check for a
 * formula. NULL writes nothing. */
void out_quoted(struct out *, const char *);
void out_quoted_part(struct out *, const char *);

/* A property or message of a GitHub Actions workflow command: %, line ends and `special` are encoded. */
void out_command(struct out *, const char *, const char *special);

/* Writes "%2F", as in URIs. */
void out_percent(struct out *, char);

/* ---- JSON. Commas and quotes are written here alone. It needs no stack of open objects: only the innermost
 * open object or array can be written to, and after a closed one the next value always needs a comma. */

struct json {
    struct out *out;
    bool follows;      /* the current object or array has a member or element already */
    const char *space; /* written before the next one; NULL: nothing */
};

/* Members of an object; elements of an array if key is NULL. json_key: the caller writes the value. */
void json_key(struct json *, const char *key);
void json_number(struct json *, const char *key, uint64_t);
void json_text(struct json *, const char *key, const char *); /* NULL: null */
void json_flag(struct json *, const char *key, bool);
void json_id(struct json *, const char *key, uint64_t);      /* "0123456789abcdef" */
void json_address(struct json *, const char *key, uint64_t); /* "0x1f" */

/* bracket: { or [ to open, } or ] to close. */
void json_open(struct json *, const char *key, char bracket);
void json_close(struct json *, char bracket);

/* Begins a document with these two members, and ends it with a line end. */
struct json json_begin(struct out *, const char *format, uint64_t version);
void json_end(struct json *);

/* Starts a new line for the next member or element. */
static inline void json_line(struct json *json) {
    json->space = "\n";
}

/* json_line and json_open. */
void json_open_line(struct json *, const char *key, char bracket);

#endif
