// A calling context is stored before calls that do not return here as well: those that may throw, and what has to be a tail
// call. What catches goes on with its own, as it was.
// RUN: %irxx -O2 -fplugin=%plugin -mllvm -allocsite-contexts %s | %check
void elsewhere(int), other(int);

// A tail call would leave no frame.
// CHECK-LABEL: define {{.*}} @_Z5jumpsPv(
// CHECK: %[[V:.*]] = add i64
// CHECK: store volatile i64 %[[V]], {{.*}}@__liballocsite_v1_context
// CHECK-NEXT: notail call {{.*}}@_Z9elsewherei
void jumps(void *) {
    elsewhere(1);
}

// Where the frame surely is gone, the callee finds what its caller's caller has stored.
// CHECK-LABEL: define {{.*}} @_Z4musti(
// CHECK: %[[X:.*]] = load volatile i64, {{.*}}@__liballocsite_v1_context
// CHECK: store volatile i64 %[[X]], {{.*}}@__liballocsite_v1_context
// CHECK-NEXT: musttail call {{.*}}@_Z9elsewherei
void must(int n) {
    [[clang::musttail]] return elsewhere(n + 1);
}

// CHECK-LABEL: define {{.*}} @_Z7catchesi(
// CHECK: %[[V:.*]] = add i64
// CHECK: store volatile i64 %[[V]], {{.*}}@__liballocsite_v1_context
// CHECK-NEXT: invoke {{.*}}@_Z9elsewherei
// CHECK: landingpad
// CHECK-NOT: load volatile
// CHECK: store volatile i64 %[[V]], {{.*}}@__liballocsite_v1_context
// CHECK-NEXT: {{.*call|invoke}} {{.*}}@_Z5otheri
void catches(int n) {
    try {
        elsewhere(n);
    } catch (int thrown) {
        other(thrown);
    }
}

// main is called once, whatever constructors have stored before.
// CHECK-LABEL: define {{.*}} @main(
// CHECK-NOT: load volatile
// CHECK: ptrtoint
// CHECK-NOT: load volatile
// CHECK: store volatile
// CHECK-NEXT: notail call {{.*}}@_Z9elsewherei
int main() {
    elsewhere(2);
}
