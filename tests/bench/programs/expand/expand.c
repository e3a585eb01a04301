/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "expand.h"

#include <stdlib.h>
#include <string.h>

/* Expands the content of parentheses: a variable, or a function with its arguments. */
static char *expand_name(struct names *names, const char *chars, size_t length) {
    size_t name = scan_word(chars);
    if (name < length)
        return call(names, function_find(chars, name), chars + name + 1, length - name - 1);
    struct variable *variable = names_find(names, chars, length);
    return variable ? expand(names, variable->value, strlen(variable->value)) : copy("", 0);
}

char *expand(struct names *names, const char *chars, size_t length) {
    struct text text = {0};
    for (size_t i = 0; i < length; i++) {
        if (chars[i] != '$') {
            text_put(&text, chars[i]);
            continue;
        }
        size_t inner = scan_argument(chars + i + 2, ')');
        char *value = expand_name(names, chars + i + 2, inner);
        text_add(&text, value, strlen(value));
        free(value);
        i += inner + 2;
    }
    return text_end(&text);
}
