/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Builds and walks complete binary trees: only small nodes, the worst case for counting allocations.
#include <cstdio>
#include <cstdlib>
#include <memory>

struct Node {
    std::unique_ptr<Node> left, right;
    long value = 0;
};

static std::unique_ptr<Node> grow(int depth, long value) {
    auto node = std::make_unique<Node>();
    node->value = value;
    if (depth > 0) {
        node->left = grow(depth - 1, 2 * value);
        node->right = grow(depth - 1, 2 * value + 1);
    }
    return node;
}

static long sum(const Node &node) {
    long below = node.left ? sum(*node.left) + sum(*node.right) : 0;
    return below + node.value;
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    auto lasting = grow(14, 1);
    long total = 0;
    for (int round = 0; round < rounds; round++)
        for (int depth = 4; depth <= 14; depth += 2)
            total += sum(*grow(depth, round));
    printf("%ld\n", total + sum(*lasting));
}
