/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "expand.h"

#include <stdlib.h>

static size_t limited(size_t length, size_t most) {
    return length < most ? length : most;
}

/* Returns the expanded arguments. The last argument of `each` is expanded later, once per word. */
static struct words *arguments_of(struct names *names, function *called, const char *chars, size_t length) {
    struct words *arguments = take(sizeof *arguments);
    *arguments = (struct words){0};
    for (size_t i = 0, size; i <= length; i += size + 1) {
        size = limited(scan_argument(chars + i, ','), length - i);
        int isBody = called == each && arguments->count == 2;
        words_add(arguments, isBody ? copy(chars + i, size) : expand(names, chars + i, size));
    }
    return arguments;
}

char *call(struct names *names, function *called, const char *chars, size_t length) {
    struct words *arguments = arguments_of(names, called, chars, length);
    char *value = called(names, arguments);
    words_end(arguments);
    return value;
}
