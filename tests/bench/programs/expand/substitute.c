/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "expand.h"

#include <string.h>

char *substituted(struct names *names, struct words *arguments) {
    (void)names;
    const char *from = words_at(arguments, 0), *to = words_at(arguments, 1);
    struct text text = {0};
    for (const char *at = words_at(arguments, 2), *found; *at; at = found + strlen(from)) {
        found = strstr(at, from);
        text_add(&text, at, found ? (size_t)(found - at) : strlen(at));
        if (!found)
            break;
        text_add(&text, to, strlen(to));
    }
    return text_end(&text);
}
