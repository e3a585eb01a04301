/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "expand.h"

#include <string.h>

static void reserve(struct text *text, size_t more) {
    if (text->length + more <= text->room)
        return;
    text->room = 2 * text->room + more;
    text->chars = resize(text->chars, text->room);
}

void text_put(struct text *text, char character) {
    reserve(text, 1);
    text->chars[text->length++] = character;
}

void text_add(struct text *text, const char *chars, size_t length) {
    reserve(text, length);
    memcpy(text->chars + text->length, chars, length);
    text->length += length;
}

void text_join(struct text *text, const char *word) {
    if (text->length)
        text_put(text, ' ');
    text_add(text, word, strlen(word));
}

char *text_end(struct text *text) {
    text_put(text, '\0');
    return text->chars;
}
