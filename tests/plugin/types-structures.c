// Of a call that returns a block in a structure the line names the structure. A number is a count by its name where it is narrower
// than a size.
// REQUIRES: types
// RUN: %typed -O0 -c %s -o %t.O0.o && %sites %t.O0.o --format=json | %check
// RUN: %typed -O2 -c %s -o %t.O2.o && %sites %t.O2.o --format=json | %check
// RUN: %typed -O2 -S -emit-llvm -o - %s | %check --check-prefix=COUNTS
#include <stdlib.h>
struct slice {
    char *text;
    size_t length;
};
__attribute__((noinline)) static struct slice sliced(size_t size) {
    return (struct slice){malloc(size), size};
}
struct closure;
struct closure *closure(int nupvalues), *numbered(int itemCount), *coloured(int colour);
void lines(struct slice *to, struct slice (*hook)(size_t n), struct closure **closures) {
    // CHECK-DAG: "line":[[@LINE+1]],"column":13,"callee":"sliced","type":"struct slice"
    to[0] = sliced(100);
    // CHECK-DAG: "line":[[@LINE+1]],"column":13,"callee":"hook","type":"struct slice"
    to[1] = hook(100);
    // COUNTS: call {{.*}}@closure.sited.
    closures[0] = closure(1);
    // COUNTS: call {{.*}}@numbered.sited.
    closures[1] = numbered(1);
    // COUNTS: call {{.*}}@coloured(
    closures[2] = coloured(1);
}
