/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A buffered writer on a file descriptor, without stdio, malloc and cancellation points. */
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

/* Pipes and terminals are shared, so another process may have made the descriptor non-blocking. */
static void out_wait(int fd) {
    struct pollfd output = {.fd = fd, .events = POLLOUT};
    syscall(SYS_ppoll, &output, 1, NULL, NULL, 0);
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
            out_wait(out->fd);
        else if (errno != EINTR)
            out->error = errno;
    }
    out->used = 0;
    return out->error;
}

/* Returns false if the writer writes to memory and that is full. */
static int out_has_room(struct out *out) {
    if (out->used == out->size && out->fd >= 0)
        out_flush(out);
    return out->used < out->size;
}

void out_char(struct out *out, char c) {
    if (out_has_room(out))
        out->data[out->used++] = c;
}

void out_bytes(struct out *out, const char *bytes, size_t n) {
    while (n && out_has_room(out)) {
        size_t capacity = out->size - out->used;
        size_t part = n < capacity ? n : capacity;
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

/* ---- JSON. */

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
