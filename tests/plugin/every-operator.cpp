// Every form of operator new and delete.
// RUN: %irxx -std=c++17 -O0 -fsized-deallocation %s | %check
// RUN: %irxx -std=c++17 -O2 -fsized-deallocation %s | %check
// CHECK-DAG: call {{.*}}@__liballocsite_v1__Znwm(
// CHECK-DAG: call {{.*}}@__liballocsite_v1__Znam(
// CHECK-DAG: call {{.*}}@__liballocsite_v1__ZnwmRKSt9nothrow_t(
// CHECK-DAG: call {{.*}}@__liballocsite_v1__ZnamRKSt9nothrow_t(
// CHECK-DAG: call {{.*}}@__liballocsite_v1__ZnwmSt11align_val_t(
// CHECK-DAG: call {{.*}}@__liballocsite_v1__ZnamSt11align_val_t(
// CHECK-DAG: call {{.*}}@__liballocsite_v1__ZnwmSt11align_val_tRKSt9nothrow_t(
// CHECK-DAG: call {{.*}}@__liballocsite_v1__ZnamSt11align_val_tRKSt9nothrow_t(
// CHECK-DAG: call {{.*}}@__liballocsite_v1__ZdlPv(
// CHECK-DAG: call {{.*}}@__liballocsite_v1__ZdaPv(
// CHECK-DAG: call {{.*}}@__liballocsite_v1__ZdlPvm(
// CHECK-DAG: call {{.*}}@__liballocsite_v1__ZdaPvm(
// CHECK-DAG: call {{.*}}@__liballocsite_v1__ZdlPvRKSt9nothrow_t(
// CHECK-DAG: call {{.*}}@__liballocsite_v1__ZdaPvRKSt9nothrow_t(
// CHECK-DAG: call {{.*}}@__liballocsite_v1__ZdlPvSt11align_val_t(
// CHECK-DAG: call {{.*}}@__liballocsite_v1__ZdaPvSt11align_val_t(
// CHECK-DAG: call {{.*}}@__liballocsite_v1__ZdlPvmSt11align_val_t(
// CHECK-DAG: call {{.*}}@__liballocsite_v1__ZdaPvmSt11align_val_t(
// CHECK-DAG: call {{.*}}@__liballocsite_v1__ZdlPvSt11align_val_tRKSt9nothrow_t(
// CHECK-DAG: call {{.*}}@__liballocsite_v1__ZdaPvSt11align_val_tRKSt9nothrow_t(
#include <new>
void take(void *);
void news(std::size_t n, std::align_val_t a) {
    take(operator new(n));
    take(operator new[](n));
    take(operator new(n, std::nothrow));
    take(operator new[](n, std::nothrow));
    take(operator new(n, a));
    take(operator new[](n, a));
    take(operator new(n, a, std::nothrow));
    take(operator new[](n, a, std::nothrow));
}
void deletes(void **p, std::size_t n, std::align_val_t a) {
    operator delete(p[0]);
    operator delete[](p[1]);
    operator delete(p[2], n);
    operator delete[](p[3], n);
    operator delete(p[4], std::nothrow);
    operator delete[](p[5], std::nothrow);
    operator delete(p[6], a);
    operator delete[](p[7], a);
    operator delete(p[8], n, a);
    operator delete[](p[9], n, a);
    operator delete(p[10], a, std::nothrow);
    operator delete[](p[11], a, std::nothrow);
}
