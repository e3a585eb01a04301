/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Points as lines of JSON. Reads only what it writes: one object of strings, numbers and arrays of strings.
 */
#include "base/hash.h"
#include "dump/base/memory.h"
#include "dump/run/sweep.h"

#include <stddef.h>
#include <string.h>

const struct sweep_verdict_text sweep_verdicts[SWEEP_VERDICT_COUNT] = {
#define SWEEP_TEXT(verdict, name, level, meaning) {name, level, meaning},
    SWEEP_VERDICTS(SWEEP_TEXT)
#undef SWEEP_TEXT
};

void sweep_texts_add(struct sweep_texts *texts, char *text) {
    memory_grow(&texts->list, texts->count, &texts->capacity, sizeof *texts->list);
    texts->list[texts->count++] = text;
}

enum kind { ID, NUMBER, TEXT, TEXTS, VERDICT };

static const struct member {
    const char *name;
    enum kind kind;
    size_t offset;
} members[] = {
#define MEMBER(name, kind)                                                                                   \
    { #name, kind, offsetof(struct sweep_point, name) }
    MEMBER(id, ID),         MEMBER(verdict, VERDICT), MEMBER(function, TEXT),       MEMBER(file, TEXT),
    MEMBER(line, NUMBER),   MEMBER(callee, TEXT),     MEMBER(calls, NUMBER),        MEMBER(failed, NUMBER),
    MEMBER(leaked, NUMBER), MEMBER(status, NUMBER),   MEMBER(signal, NUMBER),       MEMBER(message, TEXT),
    MEMBER(known, NUMBER),  MEMBER(output, ID),       MEMBER(milliseconds, NUMBER), MEMBER(details, TEXTS),
    MEMBER(at, TEXTS),      MEMBER(stack, TEXTS),
#undef MEMBER
};

enum { MEMBERS = sizeof members / sizeof *members };

static void write_texts(struct json *json, const char *key, const struct sweep_texts *texts) {
    json_open(json, key, '[');
    for (size_t i = 0; i < texts->count; i++)
        json_text(json, NULL, texts->list[i]);
    json_close(json, ']');
}

void sweep_point_write(struct json *json, const struct sweep_point *point) {
    for (const struct member *member = members; member < members + MEMBERS; member++) {
        const void *at = (const char *)point + member->offset;
        uint64_t number = member->kind == TEXT || member->kind == TEXTS ? 0 : *(const uint64_t *)at;
        if (member->kind == ID)
            json_id(json, member->name, number);
        else if (member->kind == NUMBER)
            json_number(json, member->name, number);
        else if (member->kind == VERDICT)
            json_text(json, member->name, sweep_verdicts[number].name);
        else if (member->kind == TEXT)
            json_text(json, member->name, *(char *const *)at);
        else
            write_texts(json, member->name, at);
    }
}

/* ---- Reading. */

/* Reads the string at **at and moves *at past it. The caller frees it. NULL: there is no string. The writer
 * escapes only quotes, backslashes, and control characters, which become question marks, as they do on
 * terminals. */
static char *read_string(const char **at) {
    const char *from = *at;
    size_t used = 0;
    if (*from++ != '"')
        return NULL;
    char *text = memory_zeros(strlen(from), 1);
    while (*from && *from != '"') {
        bool is_code = strncmp(from, "\\u", 2) == 0;
        from += *from == '\\' && from[1];
        text[used++] = is_code ? '?' : *from;
        from += is_code ? strnlen(from, 5) : 1;
    }
    *at = from + (*from == '"');
    return text;
}

static void read_texts(struct sweep_texts *texts, const char **at) {
    char *text;
    *at += **at == '[';
    while ((text = read_string(at))) {
        sweep_texts_add(texts, text);
        *at += **at == ',';
    }
    *at += **at == ']';
}

static uint64_t verdict_named(const char *name) {
    uint64_t verdict = SWEEP_VERDICT_COUNT - 1;
    while (verdict && strcmp(sweep_verdicts[verdict].name, name) != 0)
        verdict--;
    return verdict;
}

static void read_value(struct sweep_point *point, const struct member *member, const char **at) {
    void *to = (char *)point + member->offset;
    if (member->kind == TEXTS) {
        read_texts(to, at);
        return;
    }
    char *text = read_string(at);
    if (member->kind == ID && text)
        *(uint64_t *)to = strtoull(text, NULL, 16);
    if (member->kind == VERDICT && text)
        *(uint64_t *)to = verdict_named(text);
    if (member->kind == NUMBER)
        *(uint64_t *)to = strtoull(*at, NULL, 10);
    if (member->kind == TEXT)
        *(char **)to = text;
    else
        free(text);
}

bool sweep_point_read(struct sweep_point *point, const char *line) {
    const char *at = line + (*line == ',');
    *point = (struct sweep_point){.id = 0};
    if (strncmp(at, "{\"id\":", 6) != 0)
        return false;
    for (at++; *at && *at != '}';) {
        char *name = read_string(&at);
        at += *at == ':';
        for (const struct member *member = members; name && member < members + MEMBERS; member++)
            if (strcmp(member->name, name) == 0)
                read_value(point, member, &at);
        free(name);
        at += strcspn(at, ",}");
        at += *at == ',';
    }
    return true;
}

static void free_texts(struct sweep_texts *texts) {
    for (size_t i = 0; i < texts->count; i++)
        free(texts->list[i]);
    free(texts->list);
}

void sweep_point_free(struct sweep_point *point) {
    for (const struct member *member = members; member < members + MEMBERS; member++) {
        void *at = (char *)point + member->offset;
        if (member->kind == TEXT)
            free(*(char **)at);
        else if (member->kind == TEXTS)
            free_texts(at);
    }
}

/* Functions without their lines, which change with each edit above them. */
uint64_t sweep_point_fingerprint(const struct sweep_point *point) {
    uint64_t hash = stable_hash_number(stable_hash_begin(), point->verdict);
    for (size_t i = 0; i < point->stack.count; i++) {
        const char *text = point->stack.list[i], *end = strstr(text, " at ");
        hash = stable_hash_text(hash, text, end ? (size_t)(end - text) : strlen(text));
    }
    return stable_hash_end(hash);
}
