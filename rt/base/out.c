/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A buffered writer on a file descriptor, without stdio, malloc and points where a thread can be cancelled.
 */
#include "base/out.h"

#include "base/words.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void out_open(struct out *out, int fd, char *buffer, size_t size) {
    *out = (struct out){.fd = fd, .data = buffer, .size = size};
}

void out_open_memory(struct out *out, char *text, size_t size) {
    memset(text, 0, size);
    out_open(out, -1, text, size - 1);
}

/* Somebody made the descriptor non-blocking: pipes and terminals are shared by processes. */
static void wait_for_room(int fd) {
    struct pollfd room = {.fd = fd, .events = POLLOUT};
    syscall(SYS_ppoll, &room, 1, NULL, NULL, 0);
}

int out_flush(struct out *out) {
    size_t done = 0;
    while (done < out->used && !out->error) {
        ssize_t n = syscall(SYS_write, out->fd, out->data + done, out->used - done);
        if (n > 0)
            done += (size_t)n;
        else if (n == 0)
            out->error = EIO;
        else if (errno == EAGAIN)
            wait_for_room(out->fd);
        else if (errno != EINTR)
            out->error = errno;
    }
    out->used = 0;
    return out->error;
}

/* False: this is memory, and it is full. */
static int make_room(struct out *out) {
    if (out->used == out->size && out->fd >= 0)
        out_flush(out);
    return out->used < out->size;
}

void out_char(struct out *out, char c) {
    if (make_room(out))
        out->data[out->used++] = c;
}

void out_bytes(struct out *out, const char *bytes, size_t n) {
    while (n && make_room(out)) {
        size_t room = out->size - out->used;
        size_t part = n < room ? n : room;
        memcpy(out->data + out->used, bytes, part);
        out->used += part;
        bytes += part;
        n -= part;
    }
}

void out_text(struct out *out, const char *text) {
    out_bytes(out, text, strlen(text));
}

void out_u64(struct out *out, uint64_t value) {
    char digits[20], *end = digits + sizeof digits, *at = digits_before(end, value, 10);
    out_bytes(out, at, (size_t)(end - at));
}

void out_hex16(struct out *out, uint64_t value) {
    for (int shift = 60; shift >= 0; shift -= 4)
        out_char(out, "0123456789abcdef"[value >> shift & 15]);
}

void out_hex(struct out *out, uint64_t value) {
    char digits[16], *end = digits + sizeof digits, *at = digits_before(end, value, 16);
    out_bytes(out, at, (size_t)(end - at));
}

static size_t announced_length(unsigned char lead) {
    if (lead < 0x80)
        return 1;
    if (lead >= 0xC2 && lead <= 0xDF)
        return 2;
    if (lead >= 0xE0 && lead <= 0xEF)
        return 3;
    if (lead >= 0xF0 && lead <= 0xF4)
        return 4;
    return 0;
}

/* Overlong forms, surrogates and what lies above U+10FFFF differ from valid ones in the second byte only. */
static int second_byte_fits(unsigned char lead, unsigned char second) {
    unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    return second >= low && second <= high;
}

size_t utf8_length(const char *s) {
    const unsigned char *bytes = (const unsigned char *)s;
    size_t length = announced_length(bytes[0]);
    if (length > 1 && !second_byte_fits(bytes[0], bytes[1]))
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
    return length;
}

static uint32_t code_of(const char *s, size_t length) {
    uint32_t code = (unsigned char)*s & (length == 1 ? 0x7F : 0x7F >> length);
    for (size_t i = 1; i < length; i++)
        code = code << 6 | ((unsigned char)s[i] & 0x3F);
    return code;
}

/* Unicode's PropList.txt has the ranges: controls (Cc), U+2028 and U+2029, Bidi_Control. All have four
 * digits. */
static bool is_plain(uint32_t code) {
    bool is_control = code < 0x20 || (code >= 0x7F && code < 0xA0);
    bool is_direction = code == 0x61C || code == 0x200E || code == 0x200F ||
                        (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    return !is_control && !is_direction && code != 0x2028 && code != 0x2029;
}

static void json_escaped(struct out *out, uint32_t code) {
    out_text(out, "\\u");
    for (int shift = 12; shift >= 0; shift -= 4)
        out_char(out, "0123456789abcdef"[code >> shift & 15]);
}

/* The ASCII characters that stand everywhere as they are: nearly all of nearly all texts, and one by one they
 * took half of the time of an export. */
static size_t simple_length(const char *s) {
    size_t length = 0;
    while (s[length] >= ' ' && s[length] < 0x7F && s[length] != '"' && s[length] != '\\')
        length++;
    return length;
}

static const char *put_simple(struct out *out, const char *s) {
    size_t length = simple_length(s);
    out_bytes(out, s, length);
    return s + length;
}

void out_json_string(struct out *out, const char *s) {
    if (!s) {
        out_text(out, "null");
        return;
    }
    out_char(out, '"');
    while (*(s = put_simple(out, s))) {
        size_t length = utf8_length(s);
        if (length == 0)
            out_text(out, "\xEF\xBF\xBD");
        else if (!is_plain(code_of(s, length)))
            json_escaped(out, code_of(s, length));
        else {
            if (*s == '"' || *s == '\\')
                out_char(out, '\\');
            out_bytes(out, s, length);
        }
        s += length ? length : 1;
    }
    out_char(out, '"');
}

size_t out_plain_character(struct out *out, const char *at) {
    size_t length = utf8_length(at);
    if (length == 0 || !is_plain(code_of(at, length)))
        out_char(out, '?');
    else
        out_bytes(out, at, length);
    return length ? length : 1;
}

void out_plain(struct out *out, const char *text) {
    for (text = put_simple(out, text ? text : "?"); *text; text = put_simple(out, text))
        text += out_plain_character(out, text);
}

/* ---- JSON as it comes. */

void json_key(struct json *json, const char *key) {
    out_text(json->out, json->follows ? "," : "");
    out_text(json->out, json->space ? json->space : "");
    json->follows = true;
    json->space = NULL;
    if (!key)
        return;
    out_char(json->out, '"');
    out_text(json->out, key);
    out_text(json->out, "\":");
}

void json_number(struct json *json, const char *key, uint64_t value) {
    json_key(json, key);
    out_u64(json->out, value);
}

void json_text(struct json *json, const char *key, const char *value) {
    json_key(json, key);
    out_json_string(json->out, value);
}

void json_flag(struct json *json, const char *key, bool value) {
    json_key(json, key);
    out_text(json->out, value ? "true" : "false");
}

void json_id(struct json *json, const char *key, uint64_t id) {
    json_key(json, key);
    out_char(json->out, '"');
    out_hex16(json->out, id);
    out_char(json->out, '"');
}

void json_address(struct json *json, const char *key, uint64_t address) {
    json_key(json, key);
    out_text(json->out, "\"0x");
    out_hex(json->out, address);
    out_char(json->out, '"');
}

void json_open(struct json *json, const char *key, char bracket) {
    json_key(json, key);
    out_char(json->out, bracket);
    json->follows = false;
}

void json_open_line(struct json *json, const char *key, char bracket) {
    json_line(json);
    json_open(json, key, bracket);
}

void json_close(struct json *json, char bracket) {
    out_char(json->out, bracket);
    json->follows = true;
    json->space = NULL;
}

struct json json_begin(struct out *out, const char *format, uint64_t version) {
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    json_text(&json, "format", format);
    json_number(&json, "version", version);
    return json;
}

void json_end(struct json *json) {
    json_close(json, '}');
    out_char(json->out, '\n');
}
