// What the C++ standard library allocates is billed to the program's line that calls it, inlined or not, whether it is
// a template or only declared, and with lines but no debug info as well.
// RUN: %clangxx -std=c++17 -O0 -c %s -o %t.O0.o && %sites %t.O0.o | %check
// RUN: %clangxx -std=c++17 -O2 -c %s -o %t.O2.o && %sites %t.O2.o | %check
// RUN: %clangxx -std=c++17 -O2 -g0 -Rpass=^$ -c %s -o %t.g0.o && %sites %t.g0.o | %check
// Without lifting the library's own lines are.
// RUN: %clangxx -std=c++17 -O2 %nolift -c %s -o %t.no.o && %sites %t.no.o | %check --check-prefix=NOLIFT
// A site in the program is the first one that is not in the library; there are none for what cannot allocate.
// RUN: %clangxx -std=c++17 -O0 -c %s -o %t.O0.o && %sites %t.O0.o | %check --check-prefix=OTHERS
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <memory_resource>
#include <string>
#include <vector>
struct Item {
    double x[5];
};
// CHECK-DAG: lift-library.cpp:[[@LINE+3]]:{{[0-9]+}} {{ *}}std::vector::push_back {{ *}}push(
// NOLIFT: /c++/{{.*}} operator new
void push(std::vector<Item> &items) {
    items.push_back({});
}
// CHECK-DAG: lift-library.cpp:[[@LINE+2]]:{{[0-9]+}} {{ *}}std::map::operator[] {{ *}}put(
void put(std::map<int, Item> &items) {
    items[1] = {};
}
// CHECK-DAG: lift-library.cpp:[[@LINE+2]]:{{[0-9]+}} {{ *}}std::make_unique {{ *}}one(
std::unique_ptr<Item> one() {
    return std::make_unique<Item>();
}
// CHECK-DAG: lift-library.cpp:[[@LINE+2]]:{{[0-9]+}} {{ *}}std::basic_string::append {{ *}}grow(
void grow(std::string &text) {
    text.append("xyz");
}
// CHECK-DAG: lift-library.cpp:[[@LINE+2]]:{{[0-9]+}} {{ *}}std::vector::reserve {{ *}}pooled(
void pooled(std::pmr::vector<Item> &items) {
    items.reserve(9);
}
// CHECK-DAG: lift-library.cpp:[[@LINE+2]]:{{[0-9]+}} {{ *}}std::function::function {{ *}}copy(
std::function<void()> copy(const std::function<void()> &one) {
    return one;
}
// OTHERS-NOT: {{ }}next(
// OTHERS-NOT: terminate
std::map<int, Item>::iterator next(std::map<int, Item>::iterator at) noexcept {
    return std::next(at);
}
