/* Names of functions and files for people.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "report_names.h"
#include "out.h"

#include <string.h>

#define NAME_COLUMNS 72

struct name {
    char *text;
    size_t used;
    size_t columns; /* characters so far */
    int cut;
};

/* One character, of any number of bytes; a control character or a stray byte becomes a question mark. */
static size_t put_character(struct name *name, const char *at) {
    size_t length = utf8_length(at);
    const char *shown = length == 0 || (unsigned char)*at < 0x20 || *at == 0x7F ? "?" : at;
    size_t size = shown == at ? length : 1;
    if (name->columns >= NAME_COLUMNS - 3 || name->used + size + 4 > NAME_SIZE) {
        name->cut = 1;
    } else {
        memcpy(name->text + name->used, shown, size);
        name->used += size;
        name->columns++;
    }
    return length ? length : 1;
}

static void put_text(struct name *name, const char *text) {
    while (*text)
        text += put_character(name, text);
}

/* Length of "operator<<" and the like, whose angle brackets open nothing; 0: not here. */
static size_t operator_length(const char *at) {
    static const char word[] = "operator";
    if (strncmp(at, word, sizeof word - 1) != 0)
        return 0;
    size_t symbol = strspn(at + sizeof word - 1, "<>-=");
    return symbol ? sizeof word - 1 + symbol : 0;
}

static void put_without_arguments(struct name *name, const char *at) {
    int depth = 0;
    while (*at) {
        size_t skip = operator_length(at);
        if (!skip && *at == '<' && depth++ == 0)
            put_text(name, "<...>");
        if (depth == 0)
            for (const char *end = at + (skip ? skip : 1); at < end;)
                at += put_character(name, at);
        else {
            depth -= !skip && *at == '>' && at[-1] != '-';
            at += skip ? skip : 1;
        }
    }
}

void name_function(char text[NAME_SIZE], const char *function) {
    struct name name = {.text = text};
    if (!function)
        function = "?";
    if (strlen(function) < NAME_COLUMNS - 3)
        put_text(&name, function);
    else
        put_without_arguments(&name, function);
    strcpy(text + name.used, name.cut ? "..." : "");
}
