// If a function returns the result of a function in another file, its record names that function: one
// record for each, also through calls within this file. Results of the C library are not
// pass-through.
// RUN: %clang -O2 -c %s -o %t.o
// RUN: %functions %t.o | %check --implicit-check-not=_through
#include <stdlib.h>
#include <string.h>

void *one(void), *other(void);
__attribute__((malloc)) void *fresh(void);
__attribute__((alloc_size(1))) void *sized(size_t size);
void fill(void **place);

// CHECK: passes_through  either  pass-depends.c  depends on one{{$}}
// CHECK-NEXT: passes_through  either  pass-depends.c  depends on other{{$}}
void *either(int which) {
    return which ? one() : other();
}

// CHECK-NEXT: passes_through  filled  pass-depends.c  depends on fill{{$}}
void *filled(void) {
    void *block;
    fill(&block);
    return block;
}

// CHECK-NEXT: declared  fresh  ?{{$}}
// CHECK-NEXT: passes_through  from_declared  pass-depends.c{{$}}
void *from_declared(int which) {
    return which ? fresh() : sized(10);
}

// CHECK-NEXT: passes_through  inner  pass-depends.c  depends on one{{$}}
// CHECK-NEXT: passes_through  outer  pass-depends.c  depends on one{{$}}
static void *inner(void) {
    return one();
}
void *outer(void) {
    return inner();
}

// CHECK-NEXT: declared  sized  ?{{$}}
char *found(const char *text) {
    free(malloc(1));
    return strchr(text, 'x');
}
void *environment(void) {
    return malloc(1) ? getenv("x") : NULL;
}
