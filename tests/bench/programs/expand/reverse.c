/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "expand.h"

#include <string.h>

char *reverse(struct names *names, struct words *arguments) {
    (void)names;
    const char *chars = words_at(arguments, 0);
    struct text text = {0};
    for (size_t left = strlen(chars); left > 0; left--)
        text_put(&text, chars[left - 1]);
    return text_end(&text);
}
