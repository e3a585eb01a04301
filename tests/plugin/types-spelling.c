// Types are spelled by their tags. Typedefs name only types without a tag, and qualifiers are removed.
// REQUIRES: types
// RUN: %typed -O0 -c %s -o %t.o && %sites %t.o --format=json | %check
// RUN: %clang -O0 -c %s -o %t.debug.o && %sites %t.debug.o --format=json | %check
#include <stdlib.h>
#include <stdint.h>
typedef struct tag {
    int x;
} alias;
typedef struct {
    int x;
} nameless;
union both {
    int x;
};
enum kind { kinds };
void spell(void) {
    // CHECK-DAG: "line":[[@LINE+1]],{{.*}}"type":"struct tag"
    const alias *a = malloc(100);
    // CHECK-DAG: "line":[[@LINE+1]],{{.*}}"type":"nameless"
    nameless *b = malloc(100);
    // CHECK-DAG: "line":[[@LINE+1]],{{.*}}"type":"union both"
    union both *volatile c = malloc(100);
    // CHECK-DAG: "line":[[@LINE+1]],{{.*}}"type":"enum kind"
    enum kind *d = malloc(100);
    // CHECK-DAG: "line":[[@LINE+1]],{{.*}}"type":"unsigned int"
    uint32_t *e = malloc(100);
    // CHECK-DAG: "line":[[@LINE+1]],{{.*}}"type":"int"
    int (*f)[10] = malloc(100);
    // CHECK-DAG: "line":[[@LINE+1]],{{.*}}"type":"const char *"
    const char **g = malloc(100);
    // CHECK-DAG: "line":[[@LINE+1]],{{.*}}"type":"struct tag **"
    alias ***h = malloc(100);
    // CHECK-DAG: "line":[[@LINE+1]],{{.*}}"type":"void *"
    void **i = malloc(100);
}
