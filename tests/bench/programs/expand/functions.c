/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "expand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    function *function;
} functions[] = {
    {"upper", upper}, {"reverse", reverse},   {"sort", sorted},   {"join", joined},
    {"each", each},   {"subst", substituted}, {"count", counted},
};

function *function_find(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strlen(functions[i].name) == length && memcmp(functions[i].name, name, length) == 0)
            return functions[i].function;
    fprintf(stderr, "no function %.*s\n", (int)length, name);
    exit(1);
}
