// What a library of C allocates, of which the compiler sees a header alone, is billed to the line that calls it: the call
// leaves its site, whatever it returns. Not so calls of what says that it allocates nothing, of what does not return, and of
// what the language brings, but for what is known to allocate. A function that is called back sets aside what was left.
// REQUIRES: types
// RUN: %typedxx -x c -O2 -isystem %S/Inputs/system -S -emit-llvm %s -o - | %check
// RUN: %typedxx -O0 -isystem %S/Inputs/system -S -emit-llvm %s -o - | %check
// RUN: %typedxx -O2 -isystem %S/Inputs/system -S -emit-llvm %s -o - | %check
// RUN: %typedxx -O2 -I %S/Inputs/system -fplugin=%plugin -mllvm "-allocsite-library=*/shelf/*" -S -emit-llvm %s -o - | %check
// RUN: %typedxx -O2 -I %S/Inputs/system -S -emit-llvm %s -o - | %check --check-prefix=OWN
// RUN: %typedxx -O2 -isystem %S/Inputs/system -fplugin=%plugin -mllvm -allocsite-library=none -S -emit-llvm %s -o - | %check --check-prefix=OWN
// RUN: %typedxx -O2 -isystem %S/Inputs/system -fplugin=%plugin -mllvm -allocsite-lift=0 -S -emit-llvm %s -o - | %check --check-prefix=OWN
#include <shelf/shelf.h>
#include <stdio.h>
#ifdef __cplusplus
extern "C" {
#endif
// OWN-NOT: store volatile {{.*}}lifted
// CHECK-LABEL: define {{.*}}@user(
// CHECK: store volatile {{.*}}__allocsite_sites{{.*}}lifted
// CHECK-NEXT: call {{.*}}@shelf_new(
// CHECK: store volatile {{.*}}__allocsite_sites{{.*}}lifted
// CHECK-NEXT: call {{.*}}@shelf_set(
// CHECK: store volatile {{.*}}null{{.*}}lifted
int user(void) {
    return shelf_set(shelf_new(), "text");
}
// CHECK-LABEL: define {{.*}}@quiet(
// CHECK-NOT: lifted
int quiet(struct shelf *shelf) {
    int character = getchar();
    if (!shelf_count(shelf))
        shelf_fail(shelf);
    return shelf_clear(shelf) + character;
}
// CHECK-LABEL: define {{.*}}@see(
// CHECK: [[OUTER:%.*]] = load volatile {{.*}}lifted
// CHECK: call {{.*}}@shelf_set(
// CHECK: store volatile {{.*}}[[OUTER]], {{.*}}lifted
void see(const char *text, void *data) {
    shelf_set((struct shelf *)data, text);
}
// CHECK-LABEL: define {{.*}}@all(
// CHECK: store volatile {{.*}}__allocsite_sites{{.*}}lifted
// CHECK-NEXT: call {{.*}}@shelf_each(
void all(struct shelf *shelf) {
    shelf_each(shelf, see, shelf);
}
#ifdef __cplusplus
}
#endif
