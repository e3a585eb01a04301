// A constructor that is told how large a part of its object is to be is a wrapper under the name that other files call it by (C1) as
// well as by that of its code (C2); so is what makes the object with it, whose own block is its own.
// RUN: %clangxx -O0 -c %s -o %t.O0.o && %dump wrappers %t.O0.o | %check
// RUN: %clangxx -O2 -c %s -o %t.O2.o && %dump wrappers %t.O2.o | %check
// CHECK: # found by their bodies
// CHECK-NEXT: fun:_ZN5table4makeEl=wrapper
// CHECK-NEXT: fun:_ZN5table4roomEl=wrapper
// CHECK-NEXT: fun:_ZN5tableC1El=wrapper
// CHECK-NEXT: fun:_ZN5tableC2El=wrapper
// CHECK-NOT: {{.}}
#include <stdlib.h>
struct base {
    virtual ~base() {}
};
struct table : base {
    int *items;
    long size, used;
    table(long n);
    table();
    void room(long n);
    static table *make(long n);
    static table *make();
};
void table::room(long n) {
    int *fresh = static_cast<int *>(malloc(n * sizeof(int)));
    size = n;
    items = fresh;
}
table::table(long n) {
    long size = 4;
    while (size < n)
        size *= 2;
    room(size);
    used = 0;
}
table::table() : items(static_cast<int *>(malloc(4))), size(1), used(0) {}
table *table::make(long n) {
    return new table(n);
}
table *table::make() {
    return new table;
}
