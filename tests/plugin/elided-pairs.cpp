// Unused blocks are elided, as without the plugin.
// RUN: %irxx -O0 %s | %check --check-prefix=KEPT
// RUN: %irxx -O2 %s | %check --check-prefix=ELIDED
// KEPT-DAG: call {{.*}}@__liballocsite_v1_malloc(
// KEPT-DAG: call {{.*}}@__liballocsite_v1_free(
// KEPT-DAG: call {{.*}}@__liballocsite_v1__Znwm(
// KEPT-DAG: call {{.*}}@__liballocsite_v1__ZdlPv
// ELIDED-NOT: allocsite
#include <stdlib.h>
void c() {
    free(malloc(8));
}
int cxx() {
    int *p = new int(3);
    int value = *p;
    delete p;
    return value;
}
