/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads a budget. */
#include "dump/compare/check.h"

#include "base/words.h"
#include "dump/base/memory.h"
#include "model/filter.h"

#include <stdlib.h>
#include <string.h>

static const char *const kinds[BUDGET_KINDS] = {
    [BUDGET_TOTAL] = "total",   [BUDGET_SITE] = "site",       [BUDGET_FUNCTION] = "function",
    [BUDGET_FILE] = "file",     [BUDGET_TYPE] = "type",       [BUDGET_CALLEE] = "callee",
    [BUDGET_MODULE] = "module", [BUDGET_UNSITED] = "unsited", [BUDGET_STACK] = "stack",
};

struct reading {
    struct budget *budget;
    size_t capacity; /* number of limits that fit */
    char *patterns;  /* where the next pattern is stored */
    const char *at;  /* in a line that ends with a NUL */
    struct limit next;
};

static void skip_spaces(struct reading *reading) {
    reading->at += strspn(reading->at, " \t\r");
}

static bool is_at_end(const struct reading *reading) {
    return !*reading->at || *reading->at == '#';
}

static size_t word_length(const struct reading *reading) {
    return strspn(reading->at, "abcdefghijklmnopqrstuvwxyz");
}

static const char *const option_names[] = {"line", "skip", "stop", NULL};

/* The option at the start of the line; NULL: the line is a limit. */
static const char *line_option_at(const struct reading *reading) {
    size_t length = word_length(reading);
    for (size_t i = 0; option_names[i]; i++)
        if (strlen(option_names[i]) == length && memcmp(option_names[i], reading->at, length) == 0)
            return option_names[i];
    return NULL;
}

static const char *read_kind(struct reading *reading) {
    size_t length = word_length(reading);
    enum budget_kind kind = 0;
    while (kind < BUDGET_KINDS &&
           (strlen(kinds[kind]) != length || memcmp(kinds[kind], reading->at, length) != 0))
        kind++;
    reading->at += length;
    reading->next.kind = kind;
    if (kind == BUDGET_KINDS || (*reading->at && !strchr(" \t\r", *reading->at)))
        return "does not begin with total, site, function, file, type, callee, module, unsited, stack, line, "
               "skip or stop";
    return NULL;
}

static const char *read_quoted(struct reading *reading) {
    for (reading->at++; *reading->at != '"'; reading->at++) {
        if (*reading->at == '\\' && !(*++reading->at == '"' || *reading->at == '\\'))
            return "has a backslash in quotes that precedes neither a quote nor a backslash";
        if (!*reading->at)
            return "has a quote that is not closed";
        *reading->patterns++ = *reading->at;
    }
    reading->at++;
    return *reading->at && !strchr(" \t\r", *reading->at) ? "has something right after a closing quote"
                                                          : NULL;
}

static const char *read_pattern(struct reading *reading) {
    const char *wrong = NULL;
    reading->next.pattern = NULL;
    skip_spaces(reading);
    if (reading->next.kind == BUDGET_TOTAL)
        return NULL;
    if (is_at_end(reading))
        return "has no pattern";
    reading->next.pattern = reading->patterns;
    if (*reading->at == '"')
        wrong = read_quoted(reading);
    else
        while (*reading->at && !strchr(" \t\r", *reading->at))
            *reading->patterns++ = *reading->at++;
    *reading->patterns++ = '\0';
    return wrong ? wrong : *reading->next.pattern ? NULL : "has an empty pattern";
}

static const char *read_amount(struct reading *reading) {
    struct limit *limit = &reading->next;
    const char *wrong = amount_read(&reading->at, measure_is_bytes(limit->measure), &limit->most);
    if (wrong || is_at_end(reading) || strchr(" \t\r", *reading->at))
        return wrong;
    return measure_is_bytes(limit->measure) ? "has something right after a number"
                                            : "has something right after a number of calls or blocks";
}

/* "allocs <= 100" */
static const char *read_limit(struct reading *reading) {
    size_t length = word_length(reading);
    reading->next.measure = measure_named(reading->at, length);
    if (reading->next.measure == MEASURES)
        return "does not limit bytes, allocs, live, peak, blocks, failed or leaked";
    if (reading->next.measure == MEASURE_LEAKED && reading->next.kind == BUDGET_STACK)
        return "limits leaked bytes, which are unknown by stack";
    reading->at += length;
    skip_spaces(reading);
    if (strncmp(reading->at, "<=", 2) != 0)
        return "has no <= after the name of a limit";
    reading->at += 2;
    skip_spaces(reading);
    const char *wrong = read_amount(reading);
    skip_spaces(reading);
    return wrong;
}

static const char *read_limits(struct reading *reading) {
    struct budget *budget = reading->budget;
    skip_spaces(reading);
    if (is_at_end(reading))
        return "has no limit";
    while (!is_at_end(reading)) {
        const char *wrong = read_limit(reading);
        if (wrong)
            return wrong;
        memory_grow(&budget->limits, budget->count, &reading->capacity, sizeof *budget->limits);
        budget->limits[budget->count++] = reading->next;
    }
    return NULL;
}

static const char *read_line_option(struct reading *reading, const char *name) {
    reading->at += strlen(name);
    reading->next.kind = BUDGET_KINDS;
    reading->budget->has_line = true;
    const char *wrong = read_pattern(reading);
    skip_spaces(reading);
    if (!wrong && !is_at_end(reading))
        return "has something after its value";
    return wrong ?: line_options_set(&reading->budget->line, name, reading->next.pattern);
}

/* Drops the whole line if a part of it is wrong. */
static const char *read_line(struct reading *reading, const char *line) {
    size_t before = reading->budget->count;
    reading->at = line;
    skip_spaces(reading);
    if (is_at_end(reading))
        return NULL;
    const char *option = line_option_at(reading);
    if (option)
        return read_line_option(reading, option);
    const char *wrong = read_kind(reading) ?: read_pattern(reading) ?: read_limits(reading);
    if (wrong)
        reading->budget->count = before;
    return wrong;
}

static void read_lines(struct reading *reading, char *text, size_t size, budget_complaint *complain,
                       void *context) {
    for (char *line = text, *end = text + size; line < end;) {
        char *newline = memchr(line, '\n', (size_t)(end - line));
        char *line_end = newline ?: end;
        *line_end = '\0';
        reading->next.line++;
        const char *wrong =
            strlen(line) == (size_t)(line_end - line) ? read_line(reading, line) : "has a NUL byte";
        if (wrong)
            complain(context, reading->next.line, wrong);
        line = line_end + 1;
    }
}

void budget_read(struct budget *budget, const char *bytes, size_t size, budget_complaint *complain,
                 void *context) {
    /* A pattern is followed by at least a separator, which its NUL replaces. */
    *budget = (struct budget){.patterns = memory_zeros(size, 1)};
    struct reading reading = {.budget = budget, .patterns = budget->patterns};
    char *text = memory_zeros(size, 1);
    memcpy(text, bytes, size);
    read_lines(&reading, text, size, complain, context);
    free(text);
}

void budget_free(struct budget *budget) {
    free(budget->limits);
    free(budget->patterns);
}

const char *budget_kind_name(enum budget_kind kind) {
    return kinds[kind];
}

void budget_write_pattern(struct out *out, const char *pattern) {
    bool is_quoted = *pattern == '#' || *pattern == '"' || strchr(pattern, ' ');
    const char *quote = is_quoted ? "\"" : "";
    out_text(out, quote);
    while (*pattern) {
        if (is_quoted && (*pattern == '"' || *pattern == '\\'))
            out_char(out, '\\');
        pattern += out_plain_character(out, pattern);
    }
    out_text(out, quote);
}

/* ---- Matching sites against a limit. */

static bool covers_function(const char *pattern, const struct subject *subject) {
    for (size_t i = 0; i < subject->function_count; i++)
        if (wildcard_match(pattern, subject->names[i]))
            return true;
    return false;
}

static bool covers_file(const char *pattern, const struct subject *subject) {
    for (size_t i = subject->function_count; i < subject->count; i++)
        if (filter_is_path(pattern, subject->names[i]))
            return true;
    return false;
}

bool budget_covers(const struct limit *limit, const struct subject *subject) {
    const struct site_view *view = &subject->site->view;
    switch (limit->kind) {
    case BUDGET_SITE:
        return view->sited && filter_is_id(limit->pattern, view->id);
    case BUDGET_FUNCTION:
        return view->sited && covers_function(limit->pattern, subject);
    case BUDGET_FILE:
        return view->sited && covers_file(limit->pattern, subject);
    case BUDGET_TYPE:
        return filter_is_name(limit->pattern, view->type) ||
               filter_is_name(limit->pattern, subject->shown_type);
    case BUDGET_CALLEE:
        return view->callee && wildcard_match(limit->pattern, view->callee);
    case BUDGET_MODULE:
        return filter_is_path(limit->pattern, subject->module);
    case BUDGET_UNSITED:
        return !view->sited && filter_is_path(limit->pattern, subject->module);
    case BUDGET_STACK:
        return subject->site->way && wildcard_match(limit->pattern, subject->site->way);
    default:
        return true;
    }
}
