// Blocks that containers allocate have a type at the line in the header, and each line of the program that
// calls it is a separate inline chain.
// REQUIRES: types
// RUN: %typedxx -O0 -std=c++17 -c %s -o %t.O0.o && %sites %t.O0.o | %check
// RUN: %typedxx -O2 -std=c++17 -c %s -o %t.O2.o && %sites %t.O2.o | %check
#include <map>
#include <memory>
#include <string>
#include <vector>
struct Item {
    double x[5];
};
// CHECK-DAG: operator new  {{.*}}allocate(unsigned long, void const*)  type Item
void add(std::vector<Item> &items) {
    items.reserve(100);
}
// CHECK-DAG: operator new  {{.*}}allocate(unsigned long, void const*)  type std::_Rb_tree_node<std::pair<const int, Item>>
void put(std::map<int, Item> &items) {
    items[1] = Item();
}
// CHECK-DAG: operator new  {{.*}}std::make_unique<{{.*}}  type std::vector<Item>
std::unique_ptr<std::vector<Item>> one() {
    return std::make_unique<std::vector<Item>>();
}
