// Calls that free have no type, neither that of their argument nor that of a `new` at the same position.
// REQUIRES: types
// RUN: %typedxx -O0 -c %s -o %t.o && %sites %t.o --format=json | %check
// RUN: %clangxx -O0 -c %s -o %t.debug.o && %sites %t.debug.o --format=json | %check
// CHECK-NOT: "callee":"{{free|operator delete}}","type":"
#include <cstdlib>
struct item {
    item();
};
item *make() {
    return new item;
}
void lose(item **items, item ***more) {
    free(items);
    ::operator delete(more);
}
