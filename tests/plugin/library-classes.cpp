// What a library of C++ allocates, of which the compiler sees a header alone, is billed to the line that calls it, with and
// without debug information. Not so calls of what says that it allocates nothing.
// REQUIRES: types
// RUN: %typedxx -O0 -isystem %S/Inputs/system -S -emit-llvm %s -o - | %check
// RUN: %typedxx -O0 -g0 -isystem %S/Inputs/system -S -emit-llvm %s -o - | %check
// RUN: %typedxx -O2 -isystem %S/Inputs/system -S -emit-llvm %s -o - | %check
// RUN: %typedxx -O2 -I %S/Inputs/system -S -emit-llvm %s -o - | %check --check-prefix=OWN
#include <shelf/rack.h>
// OWN-NOT: store volatile {{.*}}lifted
// CHECK-LABEL: define {{.*}}@_Z4fillv(
// CHECK: store volatile {{.*}}__allocsite_sites{{.*}}lifted
// CHECK-NEXT: {{call|invoke}} {{.*}}@_ZN5shelf4RackC1Ev(
// CHECK: store volatile {{.*}}__allocsite_sites{{.*}}lifted
// CHECK-NEXT: {{call|invoke}} {{.*}}@_ZN5shelf4Rack3putEi(
void fill() {
    shelf::Rack rack;
    rack.put(1);
}
// CHECK-LABEL: define {{.*}}@_Z5countRKN5shelf4RackE(
// CHECK-NOT: lifted
int count(const shelf::Rack &rack) {
    return rack.count();
}
// CHECK-LABEL: define {{.*}}@_Z3anyv(
// CHECK: store volatile {{.*}}__allocsite_sites{{.*}}lifted
// CHECK-NEXT: call {{.*}}@_ZN5shelf4findEPKc(
shelf::Rack *any() {
    return shelf::find("any");
}
