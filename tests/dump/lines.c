/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines and callers that a report must show. "@ CALLS BYTES" has a line's counts if pass-through functions
 * are attributed to their callers. */
#include "lines.h"

#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

struct node {
    struct node *next;
    char *name;
};

struct node *table[4];

/* Keeps its block, so it is no pass-through function. */
NOINLINE static void add(const char *name, int hash) {
    struct node *node = need(sizeof *node); /* @ 7 112 */
    node->name = copy(name);                /* @ 7 42 */
    node->next = table[hash];
    table[hash] = node;
}

NOINLINE static void load(void) {
    for (int i = 0; i < 4; i++)
        add("loads", i);
}

NOINLINE static void parse(void) {
    for (int i = 0; i < 3; i++)
        add("parse", i);
}

NOINLINE static void recurse(int depth) {
    if (depth > 0)
        recurse(depth - 1);
    else
        table[3]->name = copy("deep"); /* @ 1 5 */
}

NOINLINE static void *either(size_t size) {
    return size ? need(size) : stored(); /* @ 1 3 */
}

int main(void) {
    char *text = NULL;
    free(either(3));
    load();
    parse();
    recurse(5);
    for (size_t size = 1; size <= 4; size++)
        grow(&text, size); /* @ 4 10 */
    free(text);
    return 0;
}
