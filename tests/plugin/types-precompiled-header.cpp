// Functions and templates that come from a precompiled header have their types as well.
// REQUIRES: types
// RUN: %typedxx -x c++-header %S/Inputs/types-precompiled.h -o %t.pch
// RUN: %typedxx -include-pch %t.pch -c %s -o %t.o && %sites %t.o --format=json | tr '{' '\n' | %check
// CHECK-DAG: "file":"{{[^"]*}}types-precompiled.h",{{.*}}"type":"Item"
// CHECK-DAG: "file":"{{[^"]*}}types-precompiled.h",{{.*}}"type":"ns::Box<Item>"
// CHECK-DAG: "line":[[@LINE+2]],{{.*}}"type":"ns::Box<int>"
void *use() {
    ns::Box<int> *box = new ns::Box<int>;
    return box->x = item()->x, box->again(make<ns::Box<Item>>());
}
