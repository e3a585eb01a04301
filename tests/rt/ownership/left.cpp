/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// An operator delete that is left by longjmp has not freed, and later frees are not attributed to it.
#include <csetjmp>
#include <cstdlib>
#include <new>

static jmp_buf out;
static bool leaves;

__attribute__((noinline)) void *operator new(size_t n) {
    return malloc(n); // owner
}

__attribute__((noinline)) void operator delete(void *p) noexcept {
    if (leaves)
        longjmp(out, 1);
    free(p);
}

template <class T> static T *hidden(T *p) {
    __asm__ volatile("" : "+r"(p) : : "memory");
    return p;
}

int main() {
    int *p = hidden(new int(1));
    leaves = true;
    if (!setjmp(out))
        delete p; // left
    leaves = false;
    free(hidden(malloc(100))); // later
    delete p; // by
    return 3;
}
