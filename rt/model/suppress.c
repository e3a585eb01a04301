/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Matches sites against known leaks. */
#include "model/suppress.h"

#include "base/words.h"

#include <string.h>

enum { PATTERN_SIZE = 512 };

/* Converts a line to a pattern for wildcard_match, which matches whole names. Returns the next line; the
 * pattern is empty if the line has none. */
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
    bool is_match = is_known_place(pattern, &site->view.at) || is_name(pattern, site->view.module);
    for (size_t i = 0; !is_match && i < site->view.inlined_count; i++)
        is_match = is_known_place(pattern, &site->view.inlined[i]);
    for (size_t i = 0; !is_match && stack && i < stack->frame_count; i++)
        is_match = is_name(pattern, stack->frames[i].function);
    return is_match;
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
