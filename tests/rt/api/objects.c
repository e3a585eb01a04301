/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a report for each of its arguments, while objects of two types are live. */
#include <allocsite.h>

#include <stdlib.h>

struct node {
    struct node *next;
    char text[40];
};

struct user {
    long id;
};

static struct node *nodes;
static struct user *users[3];

__attribute__((noinline)) static void push(void) {
    struct node *node = malloc(sizeof *node);
    node->next = nodes;
    nodes = node;
}

__attribute__((noinline)) static void fill(void) {
    for (int i = 0; i < 40; i++)
        push();
    __asm__ volatile("");
}

int main(int count, char **arguments) {
    fill();
    push();
    for (int i = 0; i < 3; i++)
        users[i] = malloc(sizeof *users[i]);
    for (int i = 0; i < 5; i++) {
        struct node *node = nodes;
        nodes = node->next;
        free(node);
    }
    for (int i = 1; i < count; i++) {
        int error = allocsite_report_to(1, arguments[i]);
        if (error)
            return error;
    }
    return 0;
}
