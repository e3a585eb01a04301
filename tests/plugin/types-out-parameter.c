// Functions that store the block through a pointer parameter: the pointer gives the type.
// REQUIRES: types
// RUN: %typed -D_GNU_SOURCE -O0 -c %s -o %t.o && %sites %t.o --format=json | %check
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
struct foo {
    int x;
};
void gets_them(struct foo **foo, int n) {
    void *block;
    char *text;
    // CHECK-DAG: "line":[[@LINE+1]],{{.*}}"callee":"posix_memalign","type":"struct foo"
    if (posix_memalign((void **)foo, 64, 128))
        return;
    // CHECK-DAG: "line":[[@LINE+1]],{{.*}}"callee":"posix_memalign","type":"long"
    if (posix_memalign(&block, 64, n * sizeof(long)))
        return;
    // CHECK-DAG: "line":[[@LINE+1]],{{.*}}"callee":"asprintf","type":"char"
    asprintf(&text, "%d", n);
}
FILE *opens_them(char **text, wchar_t **wide, size_t *size) {
    // CHECK-DAG: "line":[[@LINE+1]],{{.*}}"callee":"open_wmemstream","type":"int"
    FILE *stream = open_wmemstream(wide, size);
    // CHECK-DAG: "line":[[@LINE+1]],{{.*}}"callee":"open_memstream","type":"char"
    return stream ? stream : open_memstream(text, size);
}
