/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Matches sites by name. */
#include "model/filter.h"

#include "base/words.h"
#include "names/names.h"

#include <string.h>

/* Small, because this runs on the program's stack. */
#define NAME_MOST 512

bool filter_is_path(const char *pattern, const char *path) {
    while (path && !wildcard_match(pattern, path)) {
        const char *slash = strchr(path, '/');
        path = slash ? slash + 1 : NULL;
    }
    return path;
}

bool filter_is_name(const char *pattern, const char *name) {
    return name && wildcard_match(pattern, name);
}

/* "f" also matches "f(int)". */
bool filter_is_function(const char *pattern, const char *function) {
    char name[NAME_MOST];
    const char *end =
        function ? strchr(function + (strncmp(function, "operator(", 9) == 0 ? 10 : 0), '(') : NULL;
    if (filter_is_name(pattern, function) || !end || (size_t)(end - function) >= sizeof name)
        return filter_is_name(pattern, function);
    memcpy(name, function, (size_t)(end - function));
    name[end - function] = '\0';
    return filter_is_name(pattern, name);
}

/* Longer names are cut before they are matched. */
#define WHOLE_MOST 65536

static size_t whole_size(const char *name) {
    size_t size = name_whole_size(name);
    return size < WHOLE_MOST ? size : WHOLE_MOST;
}

bool filter_is_shown_function(const char *pattern, const char *function) {
    if (!function || filter_is_function(pattern, function))
        return function;
    size_t size = whole_size(function);
    char shown[size];
    name_function_whole(shown, size, function);
    return wildcard_match(pattern, shown);
}

bool filter_is_type(const char *pattern, const char *type) {
    if (!type || wildcard_match(pattern, type))
        return type;
    size_t size = whole_size(type);
    char shown[size];
    name_type_whole(shown, size, type);
    return wildcard_match(pattern, shown);
}

static bool is_line(const char *pattern, const struct place *place) {
    char text[NAME_MOST + 16], digits[12] = "";
    size_t length = place->file ? strlen(place->file) : 0;
    if (!length || !place->line || length >= NAME_MOST)
        return false;
    memcpy(text, place->file, length);
    text[length] = ':';
    strcpy(text + length + 1, digits_before(digits + sizeof digits - 1, place->line, 10));
    return filter_is_path(pattern, text);
}

static bool is_file(const char *pattern, const struct place *place) {
    return filter_is_path(pattern, place->file) || is_line(pattern, place);
}

bool filter_is_place(const char *pattern, const struct place *place) {
    return is_file(pattern, place) || filter_is_function(pattern, place->function);
}

bool filter_is_id(const char *pattern, uint64_t id) {
    char digits[17] = "";
    for (int i = 0; i < 16; i++)
        digits[i] = "0123456789abcdef"[id >> (60 - 4 * i) & 15];
    return wildcard_match(pattern, digits);
}

enum { OF_SITE = 1, OF_FILE = 2, OF_FUNCTION = 4, OF_TYPE = 8, OF_MODULE = 16, OF_CALLEE = 32, OF_ALL = 63 };

/* Removes the kind from the filter and returns its number. */
static unsigned take_kind(const char **filter) {
    static const char *const kinds[] = {"site=", "file=", "function=", "type=", "module=", "callee="};
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(*filter, kinds[i], strlen(kinds[i])) == 0) {
            *filter += strlen(kinds[i]);
            return 1u << i;
        }
    return OF_ALL;
}

static bool is_place(unsigned of, const char *pattern, const struct place *place) {
    return (of & OF_FILE && is_file(pattern, place)) ||
           (of & OF_FUNCTION && filter_is_shown_function(pattern, place->function));
}

bool filter_matches(const char *filter, const struct site_view *view) {
    unsigned of = take_kind(&filter);
    if ((of & OF_SITE && filter_is_id(filter, view->id)) ||
        (of & OF_TYPE && filter_is_type(filter, view->type)) ||
        (of & OF_CALLEE && filter_is_name(filter, view->callee)) ||
        (of & OF_MODULE && filter_is_path(filter, view->module)) || is_place(of, filter, &view->at))
        return true;
    for (size_t i = 0; i < view->inlined_count; i++)
        if (is_place(of, filter, &view->inlined[i]))
            return true;
    return false;
}
