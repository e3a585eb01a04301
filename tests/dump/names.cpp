/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Types and functions whose names are shortened, a long list, and instances that differ only in the middle of
 * their names. */
#include <allocsite.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct Node {
    std::shared_ptr<Node> next;
    int number;
};

struct Cell {
    struct Link *link;
};
struct Link {
    Cell *cell;
};

void *kept[2];

namespace a_namespace_with_a_long_name {
template <class Key, class Value, int Number, class Other> struct Cache {
    char text[Number];
    [[gnu::noinline]] static void make(int where) {
        kept[where] = new Cache;
    }
};
struct a_type_with_a_name_that_is_rather_long {};
template <int Number>
using Long = Cache<std::map<std::string, std::vector<a_type_with_a_name_that_is_rather_long>>, std::string,
                   Number, a_type_with_a_name_that_is_rather_long>;
} // namespace a_namespace_with_a_long_name

std::shared_ptr<Node> head;
Cell *cells;

int main() {
    for (int i = 0; i < 1000; i++) {
        auto node = std::make_shared<Node>();
        node->next = head;
        head = node;
    }
    for (int i = 0; i < 100; i++) {
        Cell *cell = new Cell;
        cell->link = new Link{cells};
        cells = cell;
    }
    a_namespace_with_a_long_name::Long<3>::make(0);
    a_namespace_with_a_long_name::Long<17>::make(1);
    int status = allocsite_graph("names.graph");
    _Exit(status);
}
