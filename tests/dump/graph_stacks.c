/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks of one site from several call paths, some of which are freed. Prints the number of remaining blocks
 * per path. */
#include <stdio.h>
#include <stdlib.h>

struct chained {
    struct chained *next;
    long number;
};

static struct chained *nodes;

#define APART __attribute__((noinline))

APART static void add(long number) {
    struct chained *node = malloc(sizeof *node);
    *node = (struct chained){nodes, number};
    nodes = node;
}

APART static void drop(void) {
    struct chained *node = nodes;
    nodes = node->next;
    free(node);
}

APART static void load(int count) {
    for (int i = 0; i < count; i++)
        add(i);
}

APART static void parse(int count) {
    load(count);
    add(0);
}

APART static void dismiss(void) {
    add(1);
    drop();
    printf("way main;parse;load;add 5\nway main;parse;add 1\nway main;load;add 3\nway main;add 1\nready\n");
}

int main(void) {
    parse(5);
    load(3);
    add(1);
    dismiss();
    fflush(stdout);
    getchar();
    return 0;
}
