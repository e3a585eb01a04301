// Paths are mapped by -ffile-prefix-map.
// RUN: %clang -O2 -ffile-prefix-map=%S=/mapped -c %s -o %t.o && %sites %t.o --format=json | %check
// CHECK: "file":"/mapped/file-prefix-map.c"
#include <stdlib.h>
void *p(void) {
    return malloc(1);
}
