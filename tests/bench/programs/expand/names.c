/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "expand.h"

#include <stdlib.h>
#include <string.h>

static struct variable **bucket(struct names *names, const char *name, size_t length) {
    return &names->first[hash(name, length) % (sizeof names->first / sizeof *names->first)];
}

struct variable *names_find(struct names *names, const char *name, size_t length) {
    struct variable *variable = *bucket(names, name, length);
    while (variable && (strlen(variable->name) != length || memcmp(variable->name, name, length) != 0))
        variable = variable->next;
    return variable;
}

struct variable *names_add(struct names *names, const char *name, size_t length) {
    struct variable *variable = names_find(names, name, length);
    if (variable)
        return variable;
    struct variable **first = bucket(names, name, length);
    variable = take(sizeof *variable);
    *variable = (struct variable){*first, copy(name, length), NULL};
    return *first = variable;
}

void names_end(struct names *names) {
    for (size_t i = 0; i < sizeof names->first / sizeof *names->first; i++)
        for (struct variable *variable = names->first[i], *next; variable; variable = next) {
            next = variable->next;
            free(variable->name);
            free(variable->value);
            free(variable);
        }
}
