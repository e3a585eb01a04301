// Calls that what is only declared cannot hand on a block at, nor take one back: of what writes where it is told to, in a file that has it
// write to a variable; and of what is given a part of some thing, or a variable. Not where nothing is told, nor where a buffer is to keep what is given or the
// name says that a text is copied.
// RUN: %typed -O0 -S -emit-llvm -o - %s | %check
// REQUIRES: types
// CHECK-LABEL: define {{.*}}@main
// CHECK-NOT: @__liballocsite_v1_lifted
// CHECK: call {{.*}}@copies(
// CHECK-NOT: @__liballocsite_v1_lifted
// CHECK: call {{.*}}@copies(
// CHECK-NOT: @__liballocsite_v1_lifted
// CHECK: call {{.*}}@digests(
// CHECK-NOT: @__liballocsite_v1_lifted
// CHECK: call {{.*}}@member(
// CHECK: @__liballocsite_v1_lifted
// CHECK: call {{.*}}@copies({{.*}}null
// CHECK: @__liballocsite_v1_lifted
// CHECK: call {{.*}}@appends(
// CHECK: @__liballocsite_v1_lifted
// CHECK: call {{.*}}@frees(
// CHECK-LABEL: define {{.*}}@keeps
// CHECK: @__liballocsite_v1_lifted
// CHECK: call {{.*}}@push(
// CHECK-LABEL: define {{.*}}@saves
// CHECK: @__liballocsite_v1_lifted
// CHECK: call {{.*}}@my_strnsave(
#include <stddef.h>
struct thing {
    int kind;
    int count;
};
char *copies(char *to, const char *from);
char *appends(char *to, const char *text);
void digests(char *digest);
void member(void *thing);
void frees(void *block);
struct vector {
    void **items;
    int count, room;
};
void push(struct vector *vector, void *item);
int main(int argc, char **argv) {
    char text[100], digest[16];
    copies(text, argv[0]);
    copies(argv[0], text);
    digests(digest);
    member(&((struct thing *)argv)->count);
    argv[0] = copies(NULL, text);
    argv[0] = appends(argv[0], text);
    frees(argv[0]);
    return argc;
}
void keeps(struct vector *vector) {
    static int item;
    push(vector, &item);
}
char *my_strnsave(char *text, size_t n);
char *saves(void) {
    static char text[10];
    return my_strnsave(text, 5);
}
