/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Who frees: the caller of a function that frees for it, if only in the end; but what takes a tree apart does so itself.
#include <stdlib.h>

struct node {
    struct node *left, *right;
};

static __attribute__((noinline)) void give_back(void *p, int tries) {
    if (tries)
        give_back(p, tries - 1);
    else
        free(p);
}

static __attribute__((noinline)) void drop(struct node *node) {
    if (!node)
        return;
    drop(node->left);
    drop(node->right);
    free(node); // of a node
}

static __attribute__((noinline)) struct node *grow(int depth) {
    struct node *node = calloc(1, sizeof *node);
    if (depth) {
        node->left = grow(depth - 1);
        node->right = grow(depth - 1);
    }
    return node;
}

int main(void) {
    void *volatile p = malloc(10);
    give_back(p, 3);
    drop(grow(3));
}
