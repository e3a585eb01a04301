// Containers allocate what is in them, in nodes or arrays.
// REQUIRES: types
// RUN: %typedxx -O0 -std=c++17 -c %s -o %t.O0.o && %sites %t.O0.o --format=json | %check
// RUN: %typedxx -O2 -std=c++17 -c %s -o %t.O2.o && %sites %t.O2.o --format=json | %check
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>
struct Item {
    double x[5];
};
// CHECK-DAG: "callee":"{{[^"]*}}","type":"Item"
void add(std::vector<Item> &items) {
    items.reserve(100);
}
// CHECK-DAG: "callee":"{{[^"]*}}","type":"std::_Rb_tree_node<std::pair<const int, Item>>"
void put(std::map<int, Item> &items) {
    items[1] = Item();
}
// CHECK-DAG: "callee":"std::map::operator[]","type":"char or std::_Rb_tree_node<std::pair<const std::basic_string<char>, Item>>"
void name(std::map<std::string, Item> &items, const std::string &name) {
    items[name] = Item();
}
// CHECK-DAG: "callee":"std::make_unique","type":"std::vector<Item>"
std::unique_ptr<std::vector<Item>> one() {
    return std::make_unique<std::vector<Item>>();
}
// What is made elsewhere, with nothing known of it:
// CHECK-DAG: "callee":"std::basic_string::operator+=","type":"wchar_t"
void wide(std::wstring &text) {
    text += L"text";
}
// CHECK-DAG: "callee":"std::basic_ofstream::basic_ofstream","type":"bytes"
void open(const char *name) {
    std::ofstream file(name);
}
