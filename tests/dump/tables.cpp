/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A C++ program with difficult names and inline chains: templates, lambdas, operators, local classes,
 * anonymous namespaces, conversions, initializers of globals, allocations deep in headers. */
#include <functional>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <vector>

namespace {
struct Buffer {
    int *values = new int[4];
    ~Buffer() { delete[] values; }
    operator std::string() const { return std::string(100 + values[0], 'x'); }
};
} // namespace

template <class T> struct Tree {
    T value;
    std::unique_ptr<Tree> left, right;

    void insert(T added) {
        auto &child = added < value ? left : right;
        if (child)
            return child->insert(added);
        child = std::make_unique<Tree>();
        child->value = added;
    }

    bool operator<(const Tree &other) const {
        auto copy = std::make_unique<T>(value);
        return *copy < other.value;
    }
};

static std::map<std::string, Buffer> table;
static std::vector<std::string> names = {"one", "two", std::string(Buffer())};
volatile void *kept;

template <class T, class F> auto call_with(F function, T argument) -> decltype(function(argument)) {
    struct Local {
        static T *copy(const T &value) { return new T(value); }
    };
    kept = Local::copy(argument);
    return function(argument);
}

int main(int count, char **arguments) {
    Tree<std::string> tree;
    std::function<void(const std::string &)> insert = [&](const std::string &text) {
        tree.insert(text);
        kept = [](auto value) { return new decltype(value)(value); }(text.size());
    };
    for (int i = 0; i < count; i++)
        insert(arguments[i]);
    table["a"];
    std::string text = std::regex_replace(names[0], std::regex(arguments[0]), names[2]);
    return call_with([](const std::string &a) { return a.size(); }, text) > 3 && tree < tree;
}
