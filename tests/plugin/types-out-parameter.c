// Functions that store the block through a pointer parameter: the pointer gives the type.
// REQUIRES: types
// RUN: %typed -O0 -c %s -o %t.o && %sites %t.o --format=json | %check
#include <stdlib.h>
struct foo {
    int x;
};
void gets_them(struct foo **foo, int n) {
    void *block;
    // CHECK-DAG: "line":[[@LINE+1]],{{.*}}"callee":"posix_memalign","type":"struct foo"
    if (posix_memalign((void **)foo, 64, 128))
        return;
    // CHECK-DAG: "line":[[@LINE+1]],{{.*}}"callee":"posix_memalign","type":"long"
    if (posix_memalign(&block, 64, n * sizeof(long)))
        return;
}
