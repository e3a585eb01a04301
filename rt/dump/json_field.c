/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Members of JSON objects that somebody else wrote. */
#include "json_field.h"

#include <stdio.h>
#include <string.h>

/* Writes "sites[3].inlined[0]."; nothing for the document itself. */
static size_t write_path(const struct json_at *at, char *path, size_t size) {
    if (!at->parent)
        return 0;
    size_t used = write_path(at->parent, path, size);
    if (used >= size)
        return used;
    return used + (size_t)snprintf(path + used, size - used, "%s[%zu].", at->array, at->index);
}

bool json_field_wrong(const struct json_at *at, const char *name, const char *what, struct reason *why) {
    char path[128] = "";
    write_path(at, path, sizeof path);
    return reason_set(why, "%s%s %s", path, name, what);
}

bool json_field_exists(const struct json_at *at, const char *name) {
    return json_object_get(at->object, name) != NULL;
}

static const json_t *member(const struct json_at *at, const char *name, struct reason *why) {
    const json_t *value = json_object_get(at->object, name);
    if (!value)
        json_field_wrong(at, name, "is missing", why);
    return value;
}

bool json_field_u64(const struct json_at *at, const char *name, uint64_t *number, struct reason *why) {
    const json_t *value = member(at, name, why);
    if (!value)
        return false;
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return json_field_wrong(at, name, "is not a count", why);
    *number = (uint64_t)json_integer_value(value);
    return true;
}

bool json_field_u32(const struct json_at *at, const char *name, uint32_t *number, struct reason *why) {
    uint64_t wide;
    if (!json_field_u64(at, name, &wide, why))
        return false;
    *number = (uint32_t)wide;
    return wide == *number || json_field_wrong(at, name, "is too large", why);
}

bool json_field_bool(const struct json_at *at, const char *name, bool *truth, struct reason *why) {
    const json_t *value = member(at, name, why);
    if (!value)
        return false;
    *truth = json_is_true(value);
    return json_is_boolean(value) || json_field_wrong(at, name, "is neither true nor false", why);
}

bool json_field_text(const struct json_at *at, const char *name, const char **text, struct reason *why) {
    const json_t *value = member(at, name, why);
    if (!value)
        return false;
    *text = json_string_value(value);
    return *text || json_field_wrong(at, name, "is not a string", why);
}

bool json_field_text_or_null(const struct json_at *at, const char *name, const char **text,
                             struct reason *why) {
    *text = NULL;
    return json_is_null(json_object_get(at->object, name)) || json_field_text(at, name, text, why);
}

bool json_field_array(const struct json_at *at, const char *name, const json_t **array, struct reason *why) {
    *array = member(at, name, why);
    return *array && (json_is_array(*array) || json_field_wrong(at, name, "is not an array", why));
}

/* Only as it is written, in lower case: one id has one form. */
static bool parse_id(const char *text, uint64_t *id) {
    *id = 0;
    for (size_t i = 0; i < 16; i++) {
        const char *digits = "0123456789abcdef", *digit = text[i] ? strchr(digits, text[i]) : NULL;
        if (!digit)
            return false;
        *id = *id << 4 | (uint64_t)(digit - digits);
    }
    return text[16] == '\0';
}

bool json_field_id(const struct json_at *at, const char *name, uint64_t *id, bool *is_null,
                   struct reason *why) {
    const char *text;
    if (!json_field_text_or_null(at, name, &text, why))
        return false;
    *is_null = !text;
    return !text || parse_id(text, id) || json_field_wrong(at, name, "is not 16 hexadecimal digits", why);
}

bool json_field_address(const struct json_at *at, const char *name, uint64_t *address, struct reason *why) {
    const char *text;
    if (!json_field_text(at, name, &text, why))
        return false;
    size_t digits = strncmp(text, "0x", 2) == 0 ? strspn(text + 2, "0123456789abcdef") : 0;
    *address = strtoull(text, NULL, 16);
    return (digits && digits <= 16 && !text[2 + digits]) || json_field_wrong(at, name, "is no address", why);
}

bool json_field_object(struct json_at *at, const struct json_at *parent, const char *array, size_t index,
                       struct reason *why) {
    const json_t *object = json_array_get(json_object_get(parent->object, array), index);
    *at = (struct json_at){object, parent, array, index};
    if (json_is_object(object))
        return true;
    char name[64];
    snprintf(name, sizeof name, "%s[%zu]", array, index);
    return json_field_wrong(parent, name, "is not an object", why);
}
