// Attributes and lists override the body; so does `ignore`. Code that the user declares a library's is
// flagged by its file or name. Functions that the compiler generates for a class are flagged by name if they
// may allocate.
// RUN: echo 'fun:listed=wrapper' > %t.list
// RUN: echo 'fun:ignored=ignore' >> %t.list
// RUN: echo 'fun:pool=alloc size=1' >> %t.list
// RUN: %clangxx -O2 -fplugin=%plugin -mllvm -allocsite-list=%t.list -mllvm -allocsite-library=mine::* \
// RUN:     -mllvm -allocsite-library=*/their.h -I%S/Inputs -c %s -o %t.o
// RUN: %functions %t.o | %check --implicit-check-not=_through --implicit-check-not=declared --implicit-check-not=library
#include <stdlib.h>

extern void *somewhere;

// CHECK-DAG: declared  _Z9annotatedv  pass-declared.cpp{{$}}
__attribute__((annotate("allocsite:wrapper"))) void *annotated() {
    return somewhere;
}
// CHECK-DAG: declared  _Z9attributev  pass-declared.cpp{{$}}
__attribute__((malloc)) void *attribute() {
    return somewhere;
}
// CHECK-DAG: declared  listed  pass-declared.cpp{{$}}
extern "C" void *listed() {
    return somewhere;
}
// CHECK-DAG: passes_through,declared  pool  pass-declared.cpp{{$}}
extern "C" void *pool(size_t size) {
    return malloc(size);
}
extern "C" void *ignored() {
    return malloc(1);
}
extern "C" void *of_ignored() {
    return ignored();
}

namespace mine {
// CHECK-DAG: library  _ZN4mine4workEv  pass-declared.cpp{{$}}
void work() {
    somewhere = malloc(1);
}
void nothing() {}
} // namespace mine

// CHECK-DAG: library  *  their.h{{$}}
#include "their.h"

struct Text {
    char *text;
    Text(const Text &);
};
struct Copied {
    Text text;
};
// CHECK-DAG: library  _ZN6CopiedC2ERKS_  pass-declared.cpp{{$}}
void use(const Copied &);
void copy(const Copied &c) {
    use(Copied(c));
}
