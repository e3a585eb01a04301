// Before LTO, the function shares a comdat with its descriptors: there !associated aborts LLVM 19 and 22.
// RUN: %clang -O2 -flto -c %s -o - | %dis | %check
// RUN: %clang -O2 -flto=thin -c %s -o - | %dis | %check
// CHECK-DAG: $extern_ = comdat nodeduplicate
// CHECK-DAG: $[[LOCAL:local\..*]] = comdat nodeduplicate
// CHECK-DAG: @__allocsite_sites.extern_ = {{.*}}comdat($extern_)
// CHECK-DAG: @__allocsite_sites.local = {{.*}}comdat($[[LOCAL]])
// CHECK-DAG: define {{.*}}@extern_({{.*}}comdat
// CHECK-NOT: !associated
#include <stdlib.h>
__attribute__((noinline)) static void *local(int n) {
    return malloc(n);
}
void *extern_(int n) {
    return n ? local(n) : malloc(7);
}
