// A wrapper's body is only called directly: what tells its type to calls by a pointer stays with the wrapper, where it stands
// before the code as the distance of something from there, or in metadata.
// RUN: %clangxx -O2 -ffunction-sections -fsanitize=function -c %s -o %t.o
// RUN: %irxx -O2 -fsanitize=function %s | %check
// CHECK: define internal {{.*}}@_Z7xmallocm.sited(
// CHECK-NOT: prologue
// CHECK: define {{.*}}@_Z7xmallocm({{.*(prologue|!func_sanitize)}}
#include <cstdlib>
__attribute__((noinline)) void *xmalloc(size_t n) {
    if (void *p = malloc(n))
        return p;
    abort();
}
void *user(size_t n) {
    return xmalloc(n + 1);
}
