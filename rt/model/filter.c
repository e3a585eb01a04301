/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sites that are asked for by name. */
#include "model/filter.h"

#include "base/words.h"
#include "names/names.h"

#include <string.h>

/* The stack that this runs on is the program's, and may be small. */
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

/* "f(int)" is found as "f" too. */
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

bool filter_is_shown_function(const char *pattern, const char *function) {
    char shown[NAME_SIZE];
    if (!function || filter_is_function(pattern, function))
        return function;
    name_function(shown, function, NAME_SIZE);
    return wildcard_match(pattern, shown);
}

bool filter_is_type(const char *pattern, const char *type) {
    char shown[NAME_SIZE];
    if (!type || wildcard_match(pattern, type))
        return type;
    name_type(shown, type, NAME_SIZE);
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

/* Takes the kind off the filter. */
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

/* ---- Leaks that somebody knows of. */

enum { PATTERN_SIZE = 512 };

/* Of wildcard_match, which is for whole names. Returns what is behind the line; the pattern is empty if it
 * has none. */
static const char *take_line(const char *text, char pattern[PATTERN_SIZE]) {
    static const char what[] = "leak:";
    size_t length = strcspn(text, "\r\n");
    const char *end = text + length, *at = text + strspn(text, " \t"), *next = end + strspn(end, "\r\n");
    pattern[0] = '\0';
    if (strncmp(at, what, strlen(what)) != 0 || (size_t)(end - at) >= PATTERN_SIZE - 2)
        return next;
    at += strlen(what);
    while (end > at && strchr(" \t", end[-1]))
        end--;
    bool is_begin = at<end && * at == '^', is_end = end> at && end[-1] == '$';
    at += is_begin;
    end -= is_end;
    if (end <= at)
        return next;
    strcat(pattern, is_begin ? "" : "*");
    strncat(pattern, at, (size_t)(end - at));
    strcat(pattern, is_end ? "" : "*");
    return next;
}

const char *suppress_wrong(const char *text) {
    char pattern[PATTERN_SIZE];
    while (*text) {
        const char *line = text + strspn(text, " \t\r\n");
        text = take_line(line, pattern);
        if (!*pattern && *line && *line != '#')
            return line;
    }
    return NULL;
}

static bool is_name(const char *pattern, const char *name) {
    return name && wildcard_match(pattern, name);
}

static bool is_known_place(const char *pattern, const struct place *place) {
    return is_name(pattern, place->function) || is_name(pattern, place->file);
}

static bool is_site(const char *pattern, const struct report_site *site) {
    const struct report_stack *stack = site->main_stack;
    bool is_it = is_known_place(pattern, &site->view.at) || is_name(pattern, site->view.module);
    for (size_t i = 0; !is_it && i < site->view.inlined_count; i++)
        is_it = is_known_place(pattern, &site->view.inlined[i]);
    for (size_t i = 0; !is_it && stack && i < stack->frame_count; i++)
        is_it = is_name(pattern, stack->frames[i].function);
    return is_it;
}

bool suppress_matches(const char *text, const struct report_site *site) {
    char pattern[PATTERN_SIZE];
    while (*text) {
        text = take_line(text, pattern);
        if (*pattern && is_site(pattern, site))
            return true;
    }
    return false;
}
