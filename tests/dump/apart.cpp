/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instances of one template whose names differ only deep in the arguments, and overloads. */
#include <allocsite.h>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace a_namespace_with_a_long_name {
template <class T> struct Layer { T *value; };
template <class T> struct Leaf { T *value; };
template <class T>
using Layers = Layer<Layer<Layer<std::map<std::string, Layer<Layer<Layer<std::vector<Leaf<T>>>>>>>>>;

template <class First, class Second> struct Holder {
    Layers<First> *first;
    Layers<Second> *second;
    [[gnu::noinline]] static void *make() {
        return new Holder();
    }
};
} // namespace a_namespace_with_a_long_name

using a_namespace_with_a_long_name::Holder;
using a_namespace_with_a_long_name::Layers;

[[gnu::noinline]] static void *make(int) {
    return malloc(1);
}

[[gnu::noinline]] static void *make(double) {
    return malloc(2);
}

void *blocks[8];

int main() {
    // "int" is part of "unsigned int", and "long" occurs in both places.
    blocks[0] = Holder<Layers<int>, Layers<long>>::make();
    blocks[1] = Holder<Layers<unsigned>, Layers<long>>::make();
    blocks[2] = Holder<Layers<long>, Layers<long>>::make();
    blocks[3] = Holder<Layers<long>, Layers<int>>::make();
    blocks[4] = make(1);
    blocks[5] = make(1.0);
    int status = allocsite_graph("apart.graph");
    _Exit(status);
}
