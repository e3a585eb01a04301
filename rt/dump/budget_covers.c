/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which sites a limit of a budget is for. */
#include "budget.h"
#include "../wildcard.h"

#include <string.h>

/* The whole path, or its end from any folder on. */
static bool covers_path(const char *pattern, const char *path) {
    bool is_match = path && wildcard_match(pattern, path);
    while (path && !is_match && (path = strchr(path, '/')))
        is_match = wildcard_match(pattern, ++path);
    return is_match;
}

static bool covers_function(const char *pattern, const struct subject *subject) {
    for (size_t i = 0; i < subject->function_count; i++)
        if (wildcard_match(pattern, subject->names[i]))
            return true;
    return false;
}

static bool covers_file(const char *pattern, const struct subject *subject) {
    for (size_t i = subject->function_count; i < subject->count; i++)
        if (covers_path(pattern, subject->names[i]))
            return true;
    return false;
}

static bool covers_id(const char *pattern, uint64_t id) {
    char text[17];
    for (int i = 0; i < 16; i++)
        text[i] = "0123456789abcdef"[id >> (60 - 4 * i) & 15];
    text[16] = '\0';
    return wildcard_match(pattern, text);
}

bool budget_covers(const struct limit *limit, const struct subject *subject) {
    const struct site_view *view = &subject->site->view;
    switch (limit->kind) {
    case BUDGET_SITE:
        return view->sited && covers_id(limit->pattern, view->id);
    case BUDGET_FUNCTION:
        return view->sited && covers_function(limit->pattern, subject);
    case BUDGET_FILE:
        return view->sited && covers_file(limit->pattern, subject);
    case BUDGET_TYPE:
        return view->type && wildcard_match(limit->pattern, view->type);
    case BUDGET_CALLEE:
        return view->callee && wildcard_match(limit->pattern, view->callee);
    case BUDGET_MODULE:
        return covers_path(limit->pattern, subject->module);
    case BUDGET_UNSITED:
        return !view->sited && covers_path(limit->pattern, subject->module);
    default:
        return true;
    }
}
