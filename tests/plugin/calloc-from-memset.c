// malloc and memset that LLVM turns into calloc become a call of the runtime's calloc with the site of the
// malloc.
// RUN: %ir -O0 %s | %check --check-prefix=PLAIN
// RUN: %ir -O2 %s | %check --check-prefix=FOLDED
// PLAIN: i32 -512, i32 [[@LINE+9]],
// PLAIN: call {{.*}}@__liballocsite_v1_malloc(
// FOLDED: i32 -512, i32 [[@LINE+7]],
// FOLDED: c"malloc\00"
// FOLDED: define {{.*}}@zeroed(
// FOLDED: call {{.*}}@__liballocsite_v1_calloc(i64 {{.*}}1, i64 {{.*}}%{{[^,]*}}, {{.*}}@__allocsite_sites.zeroed
#include <stdlib.h>
#include <string.h>
void *zeroed(size_t n) {
    void *p = malloc(n);
    if (p)
        memset(p, 0, n);
    return p;
}
