/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "expand.h"

#include <string.h>

size_t scan_word(const char *chars) {
    return strcspn(chars, " ");
}

/* Returns the end of the argument, skipping nested parentheses. */
size_t scan_argument(const char *chars, char end) {
    size_t length = 0;
    for (int depth = 0; chars[length] && (depth || chars[length] != end); length++)
        depth += (chars[length] == '(') - (chars[length] == ')');
    return length;
}
