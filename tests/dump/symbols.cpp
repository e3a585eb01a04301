/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Code for address look-ups: inlined chains, templates, functions of other files, local classes.
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace shapes {
template <class T> struct Box {
    std::vector<T> items;
    __attribute__((noinline)) void add(T item) {
        items.push_back(item);
    }
    void twice(T item) {
        add(item);
        items.push_back(item);
    }
};
} // namespace shapes

namespace {
struct Hidden {
    int *numbers;
    Hidden() : numbers(new int[3]()) {
    }
    ~Hidden() {
        delete[] numbers;
    }
};
} // namespace

static inline __attribute__((always_inline)) char *innermost(int n) {
    return static_cast<char *>(std::malloc(n));
}

static inline __attribute__((always_inline)) char *middle(int n) {
    return innermost(n + 1);
}

static char *volatile kept;

static inline char *outer(int n) {
    char *first = middle(n);
    kept = first;
    char *second = middle(n + 2);
    first[0] = second[0] = 0;
    std::free(first);
    return second;
}

int main(int count, char **words) {
    shapes::Box<std::string> box;
    std::map<std::string, int> counts;
    for (int i = 0; i < count; i++) {
        box.twice(words[i]);
        counts[words[i]]++;
    }
    Hidden hidden;
    auto lambda = [&](int k) { return outer(k); };
    std::free(lambda(count));
    return counts.size() + hidden.numbers[0] == 0;
}
