/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Allocations of a C library belong to the calling line: during callbacks, after them, and only until it returns or is
// left.
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <shelf.h>

static void *volatile sink;
static jmp_buf around;
static void (*volatile noise)() = shelf_noise;

__attribute__((noinline)) static void *make(size_t n) {
    void *block = malloc(n);
    if (!block)
        abort();
    return block;
}

static void see(const char *text, void *data) {
    sink = malloc(5);                      // @ 3 15 0 0 0
    shelf_put((struct shelf *)data, text); // @ 3 15 0 0 0
    sink = make(6);                        // @ 3 18 0 0 0
}

static void fail(const char *, void *) {
    throw 1; // @ any
}

static void jump(const char *, void *) {
    longjmp(around, 1);
}

int main() {
    struct shelf *shelf = shelf_new(); // @ 1 88 0 0 0
    struct shelf *other = shelf_new(); // @ 1 88 0 0 0
    for (int i = 0; i < 3; i++)
        shelf_put(shelf, "text");  // @ 3 15 0 0 0
    noise();                       // @ 1 1000 0 0 0
    shelf_each(shelf, see, other); // @ 6 48 0 0 0
    noise();                       // @ 1 1000 0 0 0
    try {
        shelf_each(shelf, fail, nullptr); // @ 1 7 0 0 0
    } catch (int) {
        noise(); // @ 1 1000 0 0 0
    }
    if (!setjmp(around))
        shelf_each(shelf, jump, nullptr); // @ 1 7 0 0 0
    noise();                              // @ 1 1000 0 0 0
    puts("done");                         // @ 1 4096 0 0 0
    return 3;
}
