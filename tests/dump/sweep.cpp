/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions named for the verdict of a failure in them, as in sweep.c. */
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#define CASE __attribute__((noinline)) static void

static void *volatile kept;

CASE clean_caught() {
    try {
        std::vector<int> v(100);
        kept = v.data();
    } catch (const std::bad_alloc &) {
        fputs("caught\n", stderr);
        exit(4);
    }
}

CASE crash_uncaught() {
    std::vector<int> v(200);
    kept = v.data();
}

CASE same_nothrow() {
    int *p = new (std::nothrow) int[3];
    kept = p;
    delete[] p;
}

__attribute__((noinline)) static std::string leak_second() {
    return std::string(300, 'x');
}

CASE same_first() {
    int *volatile p = nullptr;
    try {
        p = new int[50];
        kept = p;
        kept = nullptr;
        kept = (void *)leak_second().data();
        delete[] p;
    } catch (const std::bad_alloc &) {
    }
    p = nullptr;
}

CASE same_safe() {
    try {
        std::unique_ptr<int[]> p(new int[60]);
        kept = p.get();
        std::string s(400, 'y');
        kept = &s;
    } catch (const std::bad_alloc &) {
    }
}

__attribute__((noinline)) static void forget() {
    volatile char room[16384];
    for (size_t i = 0; i < sizeof room; i++)
        room[i] = 0;
}

int main() {
    static char output[256];
    setvbuf(stdout, output, _IOFBF, sizeof output);
    clean_caught();
    crash_uncaught();
    same_nothrow();
    same_first();
    same_safe();
    forget();
    kept = nullptr;
    puts("all done");
    return 0;
}
