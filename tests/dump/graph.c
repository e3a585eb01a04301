/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program that builds known graphs and prints their edges itself: "edge FROM FIELD TO" for each. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next, *previous;
};

struct tree {
    struct tree *left, *right;
    unsigned colour : 1, depth : 7;
};

struct __attribute__((packed)) packed {
    char tag;
    struct node *at;
    short more;
};

struct holder {
    struct {
        struct node *first;
        long count;
    } nodes;
    struct tree *trees[3];
    union {
        struct node *node;
        uint64_t number;
    };
    const struct packed *packed;
    void *anything;
    double numbers[2];
};

struct link {
    struct link *next;
};

struct item {
    char name[20];
    struct link link;
};

struct flexible {
    size_t count;
    struct node *items[];
};

struct holder *holder;
static struct flexible *flexible;
static struct item *items;
struct tree **pointers;

static void print_edge(const void *from, const char *field, const void *to) {
    if (to)
        printf("edge %p %s %p\n", from, field, to);
}

static struct node *make_list(int count) {
    struct node *first = NULL, *last = NULL;
    for (int i = 0; i < count; i++) {
        struct node *node = calloc(1, sizeof *node);
        *node = (struct node){.value = i, .previous = last};
        if (last)
            last->next = node;
        first = first ? first : node;
        last = node;
    }
    for (struct node *node = first; node; node = node->next) {
        print_edge(node, "next", node->next);
        print_edge(node, "previous", node->previous);
    }
    return first;
}

static struct tree *make_tree(unsigned depth) {
    struct tree *tree = malloc(sizeof *tree);
    *tree = (struct tree){.depth = depth};
    if (depth) {
        tree->left = make_tree(depth - 1);
        tree->right = make_tree(depth - 1);
    }
    print_edge(tree, "left", tree->left);
    print_edge(tree, "right", tree->right);
    return tree;
}

static void make_holder(void) {
    holder = calloc(1, sizeof *holder);
    holder->nodes.first = make_list(5);
    holder->nodes.count = 5;
    for (int i = 0; i < 3; i++)
        holder->trees[i] = make_tree((unsigned)i);
    holder->node = make_list(2);
    struct packed *packed = malloc(sizeof *packed);
    *packed = (struct packed){.at = make_list(1)};
    holder->packed = packed;
    holder->anything = malloc(40);
    holder->numbers[0] = holder->numbers[1] = 1.5;
    print_edge(holder, "nodes.first", holder->nodes.first);
    for (int i = 0; i < 3; i++)
        print_edge(holder, "trees[]", holder->trees[i]);
    print_edge(holder, "node", holder->node);
    print_edge(holder, "packed", packed);
    print_edge(packed, "at", packed->at);
    printf("odd %p at %p\n", (void *)packed, (void *)packed->at);
    print_edge(holder, "anything", holder->anything);
}

static void make_items(void) {
    for (int i = 0; i < 3; i++) {
        struct item *item = calloc(1, sizeof *item);
        item->link.next = items ? &items->link : NULL;
        print_edge(item, "link.next", items);
        items = item;
    }
}

static void make_arrays(void) {
    flexible = malloc(sizeof *flexible + 3 * sizeof *flexible->items);
    pointers = malloc(2 * sizeof *pointers);
    struct holder *several = calloc(2, sizeof *several);
    flexible->count = 3;
    for (int i = 0; i < 3; i++) {
        flexible->items[i] = make_list(1);
        print_edge(flexible, "items[]", flexible->items[i]);
    }
    for (int i = 0; i < 2; i++) {
        pointers[i] = make_tree(0);
        print_edge(pointers, "[]", pointers[i]);
        several[i].anything = pointers;
        print_edge(several, "anything", pointers);
    }
    holder->node->next->next = (struct node *)several; /* of another type than declared */
    print_edge(holder->node->next, "next", several);
}

/* A cycle without other references. */
static __attribute__((noinline)) void lose(void) {
    struct node *one = calloc(1, sizeof *one), *two = calloc(1, sizeof *two);
    one->next = two;
    two->previous = one;
    print_edge(one, "next", two);
    print_edge(two, "previous", one);
    printf("lost %p %p\n", (void *)one, (void *)two);
}

/* Runs further down the stack than later calls, so that no pointer remains in the stack above. */
static __attribute__((noinline)) void make_all(void) {
    volatile char space[1 << 16];
    space[0] = 0;
    make_holder();
    make_items();
    make_arrays();
    lose();
    space[1] = 0;
}

int main(void) {
    make_all();
    puts("ready");
    fflush(stdout);
    return getchar() == EOF;
}
