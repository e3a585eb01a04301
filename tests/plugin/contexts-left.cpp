// A calling context is also stored before calls that do not return normally: those that may throw, and tail
// calls that must stay. A function that catches keeps its own number.
// RUN: %irxx -O2 -fplugin=%plugin -mllvm -allocsite-contexts %s | %check
void elsewhere(int), other(int);

// A tail call that would leave no frame becomes an ordinary call.
// CHECK-LABEL: define {{.*}} @_Z5jumpsPv(
// CHECK: %[[V:.*]] = add i64
// CHECK: store volatile i64 %[[V]], {{.*}}@__liballocsite_v1_context
// CHECK-NEXT: notail call {{.*}}@_Z9elsewherei
void jumps(void *) {
    elsewhere(1);
}

// A musttail callee reads the number that the caller's caller has stored.
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

// main is called once, so its caller's number is a constant, whatever constructors have stored before.
// CHECK-LABEL: define {{.*}} @main(
// CHECK-NOT: load volatile
// CHECK: ptrtoint
// CHECK-NOT: load volatile
// CHECK: store volatile
// CHECK-NEXT: notail call {{.*}}@_Z9elsewherei
int main() {
    elsewhere(2);
}
