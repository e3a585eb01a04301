/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* JSON as it comes. */
#include "base/json.h"

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
