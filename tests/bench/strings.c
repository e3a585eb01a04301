/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What C programs do with the heap: nodes, duplicated strings, growing arrays. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    char *text;
};

static struct node *cons(struct node *next, const char *text) {
    struct node *node = malloc(sizeof *node);
    node->next = next;
    node->text = strdup(text);
    return node;
}

static size_t gather(struct node *list) {
    char **all = NULL;
    size_t used = 0, room = 0;
    while (list) {
        struct node *next = list->next;
        if (used == room)
            all = realloc(all, (room = room ? 2 * room : 8) * sizeof *all);
        all[used++] = list->text;
        free(list);
        list = next;
    }
    for (size_t i = 0; i < used; i++)
        free(all[i]);
    free(all);
    return used;
}

int main(int count, char **arguments) {
    long rounds = count > 1 ? atol(arguments[1]) : 60;
    size_t total = 0;
    for (long round = 0; round < rounds; round++) {
        struct node *list = NULL;
        char text[64];
        for (int i = 0; i < 50000; i++) {
            snprintf(text, sizeof text, "line %d of the text", i);
            list = cons(list, text);
        }
        total += gather(list);
    }
    return total == 0;
}
