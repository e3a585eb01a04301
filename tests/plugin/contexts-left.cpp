// A calling context is stored before calls that do not return here as well: tail calls, and those that may throw. What
// catches goes on with its own, as it was.
// RUN: %irxx -O2 -fplugin=%plugin -mllvm -allocsite-contexts %s | %check
void elsewhere(int), other(int);

// CHECK-LABEL: define {{.*}} @_Z5jumpsi(
// CHECK: %[[V:.*]] = add i64
// CHECK: store volatile i64 %[[V]], {{.*}}@__liballocsite_v1_context
// CHECK-NEXT: tail call {{.*}}@_Z9elsewherei
void jumps(int n) {
    elsewhere(n);
}

// CHECK-LABEL: define {{.*}} @_Z4musti(
// CHECK: %[[V:.*]] = add i64
// CHECK: store volatile i64 %[[V]], {{.*}}@__liballocsite_v1_context
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
// CHECK-NEXT: {{call|invoke}} {{.*}}@_Z5otheri
void catches(int n) {
    try {
        elsewhere(n);
    } catch (int thrown) {
        other(thrown);
    }
}
