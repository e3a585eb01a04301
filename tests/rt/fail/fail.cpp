/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The forms of operator new, twice each, in functions of their own.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#define CASE(name) static __attribute__((noinline)) const char *name##_case()

struct alignas(64) Wide {
    char bytes[64];
};

static int handled;

template <class Make> static const char *caught(Make make) {
    try {
        return make() ? (handled ? "ok after the handler" : "ok") : handled ? "NULL after the handler" : "NULL";
    } catch (const std::bad_alloc &) {
        return handled ? "bad_alloc after the handler" : "bad_alloc";
    }
}

static int *volatile plain;
static Wide *volatile wide;

static __attribute__((noinline)) bool one() { plain = new int; delete plain; return true; }
static __attribute__((noinline)) bool array() { plain = new int[10]; delete[] plain; return true; }
static __attribute__((noinline)) bool aligned() { wide = new Wide; delete wide; return true; }
static __attribute__((noinline)) bool aligned_array() { wide = new Wide[2]; delete[] wide; return true; }
static __attribute__((noinline)) bool nothrow() { plain = new (std::nothrow) int; delete plain; return plain; }
static __attribute__((noinline)) bool nothrow_array() { plain = new (std::nothrow) int[5]; delete[] plain; return plain; }
static __attribute__((noinline)) bool nothrow_aligned() { wide = new (std::nothrow) Wide; delete wide; return wide; }
static __attribute__((noinline)) bool string() { return std::string(100, 'x').size() == 100; }
static __attribute__((noinline)) bool vector() { return std::vector<int>(77).size() == 77; }

static void give_up() {
    handled++;
    std::set_new_handler(nullptr);
}

static void throw_out() {
    handled++;
    throw std::bad_alloc();
}

// A handler that returns: the operator tries again. A handler that throws: the exception passes, or NULL is returned.
static const char *with_handler(std::new_handler handler, bool (*make)()) {
    handled = 0;
    std::set_new_handler(handler);
    const char *what = caught(make);
    std::set_new_handler(nullptr);
    handled = 0;
    return what;
}

static __attribute__((noinline)) bool tried_again() { plain = new int; delete plain; return true; }
static __attribute__((noinline)) bool thrown_out() { plain = new int; delete plain; return true; }
static __attribute__((noinline)) bool kept_in() { plain = new (std::nothrow) int; delete plain; return plain; }
static __attribute__((noinline)) bool wide_again() { wide = new Wide; delete wide; return true; }

int main() {
    static char buffer[4096];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    for (int round = 1; round <= 2; round++) {
#define RUN(name) printf("%s %d: %s\n", #name, round, caught(name));
        RUN(one) RUN(array) RUN(aligned) RUN(aligned_array) RUN(nothrow) RUN(nothrow_array) RUN(nothrow_aligned)
        RUN(string) RUN(vector)
#define HANDLE(name, handler) printf("%s %d: %s\n", #name, round, with_handler(handler, name));
        HANDLE(tried_again, give_up) HANDLE(thrown_out, throw_out) HANDLE(kept_in, throw_out)
        HANDLE(wide_again, give_up)
    }
    return 3;
}
