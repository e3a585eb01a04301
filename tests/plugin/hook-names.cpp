// A call by a pointer has the name of what holds that: a variable, a member, a virtual function.
// REQUIRES: types
// RUN: %typedxx -O0 -c %s -o %t.o && %sites %t.o --format=json | %check
// RUN: %typedxx -O2 -c %s -o %t.o && %sites %t.o --format=json | %check
extern "C" void *(*hook)(unsigned long size);
struct Table {
    void *(*alloc)(Table &table, unsigned long size);
    static void *(*shared[2])(unsigned long size);
};
struct Heap {
    virtual int *take(unsigned long size);
};
void *kept[10];
void call(Table &table, Heap &heap, void *(*given)(unsigned long), int i) {
    // CHECK-DAG: "line":[[@LINE+1]],"column":15,"callee":"hook","type":"bytes"
    kept[0] = hook(1);
    // CHECK-DAG: "line":[[@LINE+1]],"column":15,"callee":"hook","type":"bytes"
    kept[1] = (*hook)(2);
    // CHECK-DAG: "line":[[@LINE+1]],"column":15,"callee":"alloc","type":"bytes"
    kept[2] = table.alloc(table, 3);
    // CHECK-DAG: "line":[[@LINE+1]],"column":15,"callee":"given","type":"bytes"
    kept[3] = given(4);
    // CHECK-DAG: "line":[[@LINE+1]],"column":20,"callee":"take","type":"int"
    kept[4] = heap.take(5);
    // CHECK-DAG: "line":[[@LINE+1]],"column":15,"callee":"by pointer","type":"bytes"
    kept[5] = Table::shared[i](6);
}
