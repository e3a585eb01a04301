// An inline function that does not allocate as written never stores a context: destructors that only free,
// getters. If the optimizer removes an allocation from this file's copy, another file's copy may still have
// it.
// RUN: %irxx -O1 -fplugin=%plugin -mllvm -allocsite-contexts %s | %check
// RUN: %irxx -O0 -fplugin=%plugin -mllvm -allocsite-contexts %s | %check
#define APART __attribute__((noinline))
struct Node {
    Node *left = nullptr, *right = nullptr;
    APART ~Node() noexcept {
        delete left;
        delete right;
    }
};
APART inline int elided(int n) {
    int *p = new int(n);
    n = *p + 1;
    delete p;
    return n;
}
APART inline int calls(int (*hook)()) {
    return hook();
}
template <class T> struct Base {
    virtual T get() {
        return 0;
    }
};
APART inline int byTable(Base<int> &base) {
    return base.get();
}
extern template struct Base<long>;

// CHECK-LABEL: define {{.*}} @_Z5clearP4Node(
// CHECK-NOT: __liballocsite_v1_context
// CHECK: call {{.*}}@_ZN4NodeD{{[12]}}Ev
// CHECK: ret
void clear(Node *node) {
    node->~Node();
}

// CHECK-LABEL: define {{.*}} @_Z3runiPFivER4BaseIiE(
// CHECK: store volatile
// CHECK-NEXT: {{.*}}call {{.*}}@_Z6elidedi
// CHECK: store volatile
// CHECK-NEXT: {{.*}}call {{.*}}@_Z5callsPFivE
// CHECK: store volatile
// CHECK-NEXT: {{.*}}call {{.*}}@_Z7byTableR4BaseIiE
int run(int n, int (*hook)(), Base<int> &base) {
    return elided(n) + calls(hook) + byTable(base);
}
