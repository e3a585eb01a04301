/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "expand.h"

#include <stdlib.h>
#include <string.h>

void set(struct variable *variable, const char *value, size_t length) {
    free(variable->value);
    variable->value = copy(value, length);
}

/* A line `name = value`. */
void define(struct names *names, const char *line) {
    size_t length = scan_word(line);
    const char *value = line + length + strspn(line + length, " =");
    set(names_add(names, line, length), value, strlen(value));
}
