/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parses arithmetic formulas into trees, evaluates each for 16 values and frees it: many small blocks, with
 * as much work on them as in a compiler or interpreter. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    char operation; /* 'n': a number, 'x': the variable */
    double number;
    struct node *left, *right;
};

static struct node *make(char operation, double number, struct node *left, struct node *right) {
    struct node *node = malloc(sizeof *node);
    *node = (struct node){operation, number, left, right};
    return node;
}

static struct node *parse_sum(const char **at);

static struct node *parse_factor(const char **at) {
    if (**at == '(') {
        ++*at;
        struct node *inner = parse_sum(at);
        ++*at;
        return inner;
    }
    if (**at == 'x') {
        ++*at;
        return make('x', 0, NULL, NULL);
    }
    double number = 0;
    while (isdigit((unsigned char)**at))
        number = 10 * number + *(*at)++ - '0';
    return make('n', number, NULL, NULL);
}

static struct node *parse_product(const char **at) {
    struct node *product = parse_factor(at);
    while (**at == '*' || **at == '/') {
        char operation = *(*at)++;
        product = make(operation, 0, product, parse_factor(at));
    }
    return product;
}

static struct node *parse_sum(const char **at) {
    struct node *sum = parse_product(at);
    while (**at == '+' || **at == '-') {
        char operation = *(*at)++;
        sum = make(operation, 0, sum, parse_product(at));
    }
    return sum;
}

static double evaluate(const struct node *node, double x) {
    if (node->operation == 'n')
        return node->number;
    if (node->operation == 'x')
        return x;
    double left = evaluate(node->left, x), right = evaluate(node->right, x);
    switch (node->operation) {
    case '+':
        return left + right;
    case '-':
        return left - right;
    case '*':
        return left * right;
    default:
        return left / right;
    }
}

static void drop(struct node *node) {
    if (!node)
        return;
    drop(node->left);
    drop(node->right);
    free(node);
}

int main(int argc, char **argv) {
    static const char *const formulas[] = {
        "3*x*x+2*x+1",
        "(x+1)*(x+2)*(x+3)*(x+4)/(x*x+1)",
        "100-(x-(50+x*(2-x/(3+x))))*17/(x+19)",
        "1+x*(1+x/2*(1+x/3*(1+x/4*(1+x/5*(1+x/6*(1+x/7*(1+x/8)))))))",
    };
    long rounds = argc > 1 ? atol(argv[1]) : 1;
    double total = 0;
    for (long round = 0; round < rounds; round++) {
        const char *at = formulas[round % 4];
        struct node *formula = parse_sum(&at);
        for (int x = 0; x < 16; x++)
            total += evaluate(formula, x);
        drop(formula);
    }
    printf("%.6g\n", total);
}
