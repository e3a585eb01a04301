/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "expand.h"

#include <stdio.h>

char *counted(struct names *names, struct words *arguments) {
    (void)names;
    struct words *words = split(words_at(arguments, 0));
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%zu", words->count);
    words_end(words);
    return copy(digits, (size_t)length);
}
