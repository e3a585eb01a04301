// A block that comes back in a structure has the type that the wrapper tells of, and is told as the structure where nobody knows
// more. What another file knows replaces a weak string. A number is a count by its name where it is narrower than a size.
// REQUIRES: types
// RUN: %typed -O0 -c %s -o %t.O0.o && %sites %t.O0.o --format=json | %check
// RUN: %typed -O2 -c %s -o %t.O2.o && %sites %t.O2.o --format=json | %check
// RUN: %typed -O2 -S -emit-llvm -o - %s | %check --check-prefix=COUNTS
// RUN: %typed -O2 -S -emit-llvm -o - %s | %check --check-prefix=LINKED
#include <stdlib.h>
struct slice {
    char *text;
    size_t length;
};
__attribute__((noinline)) static struct slice sliced(size_t size) {
    return (struct slice){malloc(size), size};
}
struct object {
    int count;
    struct slice members[];
};
struct handle {
    long kind;
    struct object *object;
};
// LINKED-DAG: @handle_new.sited.type = hidden unnamed_addr constant [14 x i8] c"struct object\00"
__attribute__((noinline)) struct handle handle_new(int count) {
    struct object *made = malloc(sizeof(struct object) + count * sizeof(struct slice));
    made->count = count;
    return (struct handle){1, made};
}
// LINKED-DAG: @elsewhere.sited.type = weak hidden unnamed_addr constant [14 x i8] c"struct handle\00"
struct handle elsewhere(size_t size);
void handles(struct handle *to) {
    // CHECK-DAG: "line":[[@LINE+1]],"column":13,"callee":"handle_new","type":"struct object"
    to[0] = handle_new(100);
    to[1] = elsewhere(100);
}
struct closure;
struct closure *closure(int nupvalues), *numbered(int itemCount), *coloured(int colour);
void lines(struct slice *to, struct slice (*hook)(size_t n), struct closure **closures) {
    // CHECK-DAG: "line":[[@LINE+1]],"column":13,"callee":"sliced","type":"char"
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
