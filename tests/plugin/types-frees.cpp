// What frees has no type, not even that of what it takes a pointer to, or of the `new` in whose place it stands.
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
