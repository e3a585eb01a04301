/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Matching sites with stack_sites. */
#include "stack_sites.h"
#include "../wildcard.h"
#include "descriptor.h"
#include "options.h"

#include <string.h>

/* The stack that this runs on is the program's, and may be small. */
#define NAME_MOST 512

static bool is_path(const char *pattern, const char *path) {
    for (; path; path = strchr(path, '/'), path += path != NULL)
        if (wildcard_match(pattern, path))
            return true;
    return false;
}

static bool is_name(const char *pattern, const char *name) {
    return name && wildcard_match(pattern, name);
}

/* "f(int)" is found as "f" too. */
static bool is_function(const char *pattern, const char *function) {
    char name[NAME_MOST];
    const char *end =
        function ? strchr(function + (strncmp(function, "operator(", 9) == 0 ? 10 : 0), '(') : NULL;
    if (is_name(pattern, function) || !end || (size_t)(end - function) >= sizeof name)
        return is_name(pattern, function);
    memcpy(name, function, (size_t)(end - function));
    name[end - function] = '\0';
    return is_name(pattern, name);
}

static void write_line(char *to, uint32_t line) {
    char digits[12], *at = digits + sizeof digits - 1;
    *at = '\0';
    do
        *--at = (char)('0' + line % 10);
    while (line /= 10);
    *to = ':';
    strcpy(to + 1, at);
}

static bool is_line(const char *pattern, const struct place *place) {
    char text[NAME_MOST + 16];
    size_t length = place->file ? strlen(place->file) : 0;
    if (!length || !place->line || length >= NAME_MOST)
        return false;
    memcpy(text, place->file, length);
    write_line(text + length, place->line);
    return is_path(pattern, text);
}

static bool is_place(const char *pattern, struct place place) {
    return is_path(pattern, place.file) || is_line(pattern, &place) || is_function(pattern, place.function);
}

static bool is_id(const char *pattern, uint64_t id) {
    char digits[17] = "";
    for (int i = 0; i < 16; i++)
        digits[i] = "0123456789abcdef"[id >> (60 - 4 * i) & 15];
    return wildcard_match(pattern, digits);
}

static bool is_site(const char *pattern, const struct allocsite_site *site) {
    if (is_id(pattern, site->hash) || is_name(pattern, descriptor_request(site, false)) ||
        is_name(pattern, descriptor_request(site, true)) ||
        is_place(pattern, descriptor_place(&site->scope, site->line, site->column)))
        return true;
    for (const struct allocsite_frame *frame = descriptor_frame(&site->caller); frame;
         frame = descriptor_frame(&frame->caller))
        if (is_place(pattern, descriptor_place(&frame->scope, frame->line, frame->column)))
            return true;
    return false;
}

bool stack_sites_select(const char *patterns, const struct record *record) {
    char pattern[OPTIONS_PATH_SIZE];
    while (*patterns) {
        size_t length = strcspn(patterns, ",");
        memcpy(pattern, patterns, length);
        pattern[length] = '\0';
        if (record->site ? is_site(pattern, record->site) : is_path(pattern, record->module->path))
            return true;
        patterns += length + (patterns[length] == ',');
    }
    return false;
}
