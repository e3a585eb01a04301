/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/allocator_list.h"

#include "base/arrays.h"
#include "base/words.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_ARGUMENT = 255, LARGEST_LIST = 1 << 24 };

/* A part of the text; not terminated. */
struct span {
    const char *at;
    size_t size;
};

static struct span span_of(const char *from, const char *to) {
    return (struct span){from, (size_t)(to - from)};
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static struct span span_trim(struct span span) {
    while (span.size && is_blank(*span.at))
        span = (struct span){span.at + 1, span.size - 1};
    while (span.size && is_blank(span.at[span.size - 1]))
        span.size--;
    return span;
}

static bool is_text(struct span span, const char *text) {
    return span.size == strlen(text) && memcmp(span.at, text, span.size) == 0;
}

static const char *last_of(struct span span, char wanted) {
    for (const char *at = span.at + span.size; at > span.at; at--)
        if (at[-1] == wanted)
            return at - 1;
    return NULL;
}

__attribute__((format(printf, 2, 3))) static bool list_complain(struct list_error *error, const char *format,
                                                                ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return false;
}

/* The arguments of "%.*s" that quote the beginning of a bad line. */
#define SHOWN(span) (int)((span).size < 60 ? (span).size : 60), (span).at

static const char *const kinds[] = {
    [LISTED_WRAPPER] = "wrapper", [LISTED_ALLOC] = "alloc",   [LISTED_REALLOC] = "realloc",
    [LISTED_FREE] = "free",       [LISTED_MARK] = "mark",     [LISTED_RELEASE] = "release",
    [LISTED_CHUNK] = "chunk",     [LISTED_IGNORE] = "ignore",
};

static bool read_kind(enum listed_kind *kind, struct span word, struct list_error *error) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (is_text(word, kinds[i])) {
            *kind = (enum listed_kind)i;
            return true;
        }
    }
    return list_complain(error, "unknown kind '%.*s'", SHOWN(word));
}

static bool read_number(uint32_t *number, struct span digits) {
    uint64_t value = 0;
    for (size_t i = 0; i < digits.size; i++) {
        if (digits.at[i] < '0' || digits.at[i] > '9' || value > UINT32_MAX / 10)
            return false;
        value = value * 10 + (uint64_t)(digits.at[i] - '0');
    }
    *number = (uint32_t)value;
    return digits.size > 0 && value > 0 && value <= UINT32_MAX;
}

static uint8_t *argument_named(struct listed_function *function, struct span name) {
    return is_text(name, "size")      ? &function->size
           : is_text(name, "count")   ? &function->count
           : is_text(name, "align")   ? &function->align
           : is_text(name, "pointer") ? &function->pointer
           : is_text(name, "arena")   ? &function->arena
                                      : NULL;
}

/* `word`: NAME=N. */
static bool read_argument(struct listed_function *function, struct span word, struct list_error *error) {
    const char *equals = memchr(word.at, '=', word.size);
    struct span name = equals ? span_of(word.at, equals) : word;
    uint8_t *argument = argument_named(function, name);
    bool is_bytes = is_text(name, "bytes");
    uint32_t number;
    if (!equals || (!argument && !is_bytes))
        return list_complain(error, "unknown argument '%.*s'", SHOWN(name));
    if (!read_number(&number, span_of(equals + 1, word.at + word.size)) ||
        (argument && number > LARGEST_ARGUMENT))
        return list_complain(error, "'%.*s' is not a number from 1 to %u", SHOWN(word),
                             is_bytes ? UINT32_MAX : LARGEST_ARGUMENT);
    if (is_bytes)
        function->bytes = number;
    else
        *argument = (uint8_t)number;
    return true;
}

/* Checks that the arguments without which the runtime could not count, or would count wrongly, are
 * present. */
static bool has_required_arguments(const struct listed_function *function, struct list_error *error) {
    bool allocates = function->kind == LISTED_ALLOC || function->kind == LISTED_REALLOC;
    bool takes = function->kind == LISTED_FREE || function->kind == LISTED_REALLOC;
    bool has_arena = function->kind != LISTED_MARK && function->kind != LISTED_RELEASE;
    const char *missing = allocates && !function->size && !function->bytes ? "size=N or bytes=N"
                          : takes && !function->pointer                    ? "pointer=N"
                          : !has_arena && !function->arena                 ? "arena=N"
                                                                           : NULL;
    return !missing || list_complain(error, "%s needs %s", kinds[function->kind], missing);
}

bool listed_function_read(struct listed_function *function, const char *text, size_t size,
                          struct list_error *error) {
    *function = (struct listed_function){.kind = LISTED_IGNORE};
    struct span remaining = span_trim((struct span){text, size});
    for (bool is_first = true; is_first || remaining.size; is_first = false) {
        size_t length = 0;
        while (length < remaining.size && !is_blank(remaining.at[length]))
            length++;
        struct span word = {remaining.at, length};
        if (is_first ? !read_kind(&function->kind, word, error) : !read_argument(function, word, error))
            return false;
        remaining = span_trim((struct span){remaining.at + length, remaining.size - length});
    }
    return has_required_arguments(function, error);
}

/* Returns the `=` that separates the pattern from its description. The pattern may itself hold blanks and
 * `=`, so it is the last `=` that does not belong to an argument (NAME=N). */
static const char *find_equals(struct span line) {
    for (;;) {
        const char *equals = last_of(line, '=');
        if (!equals)
            return NULL;
        const char *name = equals;
        while (name > line.at && name[-1] >= 'a' && name[-1] <= 'z')
            name--;
        if (name == equals || name == line.at || !is_blank(name[-1]))
            return equals;
        line = span_trim(span_of(line.at, name));
    }
}

static bool add_entry(struct allocator_list *list, const struct list_entry *entry, struct span pattern,
                      struct list_error *error) {
    char *copy = strndup(pattern.at, pattern.size);
    if (!copy || !array_grow(&list->entries, list->count, &list->capacity, sizeof *list->entries)) {
        free(copy);
        return list_complain(error, "out of memory");
    }
    list->entries[list->count] = *entry;
    list->entries[list->count++].pattern = copy;
    return true;
}

static bool read_subject(enum list_subject *subject, struct span prefix, struct list_error *error) {
    if (is_text(prefix, "fun"))
        *subject = LIST_FUNCTIONS;
    else if (is_text(prefix, "src"))
        *subject = LIST_SOURCES;
    else if (is_text(prefix, "type"))
        *subject = LIST_TYPES;
    else
        return list_complain(error, "unknown prefix '%.*s'", SHOWN(prefix));
    return true;
}

static bool read_line(struct allocator_list *list, const char *file, struct span line,
                      struct list_error *error) {
    struct list_entry entry = {.file = file, .line = error->line};
    const char *colon = memchr(line.at, ':', line.size), *end = line.at + line.size;
    if (!colon)
        return list_complain(error, "'%.*s' is no fun:, src: or type:", SHOWN(line));
    if (!read_subject(&entry.subject, span_of(line.at, colon), error))
        return false;
    const char *equals = find_equals(span_of(colon + 1, end));
    struct span pattern = span_trim(span_of(colon + 1, equals ? equals : end));
    if (!equals || !pattern.size || memchr(pattern.at, '\0', pattern.size))
        return list_complain(error, "'%.*s' is not PREFIX:PATTERN=KIND", SHOWN(line));
    if (!listed_function_read(&entry.function, equals + 1, (size_t)(end - equals - 1), error))
        return false;
    if (entry.subject != LIST_FUNCTIONS && entry.function.kind != LISTED_IGNORE)
        return list_complain(error, "only functions can be '%s'", kinds[entry.function.kind]);
    return add_entry(list, &entry, pattern, error);
}

/* Reports whether a line is a section header, and sets `ours`. Sections of other tools may be in the same
 * list. */
static bool read_section(struct span line, bool *ours) {
    if (line.size < 2 || line.at[0] != '[' || line.at[line.size - 1] != ']')
        return false;
    char name[64] = "";
    if (line.size - 2 < sizeof name)
        memcpy(name, line.at + 1, line.size - 2);
    *ours = wildcard_match(name, "allocsite");
    return true;
}

bool allocator_list_add(struct allocator_list *list, const char *file, const char *text, size_t size,
                        struct list_error *error) {
    const char *end = text + size;
    bool ours = true;
    *error = (struct list_error){0};
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        struct span line = span_trim(span_of(text, newline ? newline : end));
        text = newline ? newline + 1 : end;
        error->line++;
        if (!line.size || *line.at == '#' || read_section(line, &ours) || !ours)
            continue;
        if (!read_line(list, file, line, error))
            return false;
    }
    return true;
}

static bool read_all(FILE *file, char *text, size_t *size) {
    *size = fread(text, 1, LARGEST_LIST, file);
    return !ferror(file);
}

bool allocator_list_read(struct allocator_list *list, const char *path, struct list_error *error) {
    size_t size;
    *error = (struct list_error){0};
    FILE *file = fopen(path, "re");
    char *text = file ? malloc(LARGEST_LIST) : NULL;
    bool is_read = text && read_all(file, text, &size);
    if (!is_read)
        list_complain(error, "%s", strerror(errno));
    else if (size == LARGEST_LIST)
        is_read = list_complain(error, "longer than 16 MiB");
    is_read = is_read && allocator_list_add(list, path, text, size, error);
    free(text);
    if (file)
        fclose(file);
    return is_read;
}

const struct list_entry *allocator_list_find(const struct allocator_list *list, const char *const *names,
                                             size_t count) {
    for (size_t i = list->count; i-- > 0;) {
        const struct list_entry *entry = &list->entries[i];
        for (size_t name = 0; entry->subject == LIST_FUNCTIONS && name < count; name++)
            if (wildcard_match(entry->pattern, names[name]))
                return entry;
    }
    return NULL;
}

bool allocator_list_ignores(const struct allocator_list *list, enum list_subject subject, const char *name) {
    for (size_t i = 0; i < list->count; i++)
        if (list->entries[i].subject == subject && wildcard_match(list->entries[i].pattern, name))
            return true;
    return false;
}
