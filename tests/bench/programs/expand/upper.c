/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "expand.h"

#include <ctype.h>
#include <string.h>

char *upper(struct names *names, struct words *arguments) {
    (void)names;
    const char *chars = words_at(arguments, 0);
    char *made = copy(chars, strlen(chars));
    for (char *at = made; *at; at++)
        *at = (char)toupper((unsigned char)*at);
    return made;
}
