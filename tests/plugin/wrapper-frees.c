// A function that only gives its own parameter to functions of other files that could free is a wrapper if one of those does: it has
// a mark before its code. Not one that surely frees something else, and not one that hands on something else.
// RUN: %typed -O0 -S -emit-llvm -o - %s | %check
// REQUIRES: types
// CHECK-COUNT-2: define {{.*}}@{{begins|passes}}({{.*}} align 32 prefix [4 x i32] [i32 0, i32 0, i32 -1592736489, i32 0]
// CHECK-NOT: prefix
#include <stdlib.h>
struct text {
    char *bytes;
    size_t length;
};
void elsewhere(void *block);
void text_free(struct text text);
void begins(struct text text) {
    text_free(text);
}
void passes(void *block) {
    elsewhere(block);
}
void takes_apart(void *block, struct text *text) {
    elsewhere(block);
    free(text->bytes);
}
void another(struct text *text) {
    elsewhere(text->bytes);
}
