// Templates of a library in a precompiled header have types where they are instantiated, without debug
// information.
// REQUIRES: types
// RUN: %typedxx -gline-tables-only -x c++-header %S/Inputs/types-precompiled-library.h -o %t.pch
// RUN: %typedxx -gline-tables-only -include-pch %t.pch -c %s -o %t.o
// RUN: %sites %t.o --format=json | tr '{' '\n' | %check
// CHECK: "function":"{{[^"]*}}new_allocator<Item>::allocate({{.*}}"callee":"operator new","type":"Item"
void grow(std::vector<Item> &items) {
    items.push_back({1});
}
