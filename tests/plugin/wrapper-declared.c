// What could be a wrapper by its declaration alone leaves its site: what opens a file by its name; what adds to a thing that only its own
// file knows, or is given a size alone; what prints to a text, whether or not that is named constant; what is given one text alone, be it a variable;
// what copies a structure of buffers; what makes an object that ends in an array of one element, as before C99. Not what asks
// such a thing for something.
// RUN: %typed -O0 -S -emit-llvm -o - %s | %check
// REQUIRES: types
// CHECK-LABEL: define {{.*}}@user
// CHECK: @__liballocsite_v1_lifted
// CHECK: call {{.*}}@opened(
// CHECK: @__liballocsite_v1_lifted
// CHECK: call {{.*}}@opened_at(
// CHECK: @__liballocsite_v1_lifted
// CHECK: call {{.*}}@array_add(
// CHECK: @__liballocsite_v1_lifted
// CHECK: call {{.*}}@array_load(
// CHECK: @__liballocsite_v1_lifted
// CHECK: @formatted
// CHECK: @__liballocsite_v1_lifted
// CHECK: call {{.*}}@copy(
// CHECK-LABEL: define {{.*}}@copier
// CHECK: @__liballocsite_v1_lifted
// CHECK: call {{.*}}@pair_copy(
// CHECK-LABEL: define {{.*}}@named
// CHECK: @__liballocsite_v1_lifted
// CHECK: call {{.*}}@entry_new(
// CHECK-LABEL: define {{.*}}@counter
// CHECK-NOT: @__liballocsite_v1_lifted
// CHECK: call {{.*}}@array_count(
#include <stdio.h>
struct array;
FILE *opened(const char *name);
int opened_at(FILE **file, const char *name);
void array_add(struct array *array, void *item);
int array_count(struct array *array, void *item);
void array_load(struct array *, size_t);
char *formatted(char *format, ...) __attribute__((format(printf, 1, 2)));
char *copy(char *text);
void use(char *a, char *b);
void user(FILE **files, struct array *array) {
    char text[10] = "text";
    files[0] = opened("name");
    opened_at(&files[1], "name");
    array_add(array, files);
    array_load(array, 10);
    use(formatted("%d", 1), copy(text));
}
struct pair {
    struct text {
        char *text;
        int length, room;
    } first, second;
};
void pair_copy(struct pair *to, struct pair *from);
void copier(struct pair *pair) {
    pair_copy(pair, pair + 1);
}
struct entry {
    int flags;
    char name[1];
};
struct entry *entry_new(char *name);
struct entry *named(char *name) {
    return entry_new(name);
}
int counter(struct array *array) {
    return array_count(array, NULL);
}
