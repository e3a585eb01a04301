/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Jumps out of allocating calls: out of getline from a signal handler, out of a new handler, out of the program's own
// operator new. Later allocations must not be attributed to the abandoned calls.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <unistd.h>

static void *volatile sink;
static volatile size_t huge = (size_t)1 << 60;
static sigjmp_buf around;
static void *(*volatile escaped)(size_t) = malloc;

__attribute__((noinline)) void *operator new[](size_t n) {
    void *p = malloc(n);
    if (!p)
        longjmp(around, 1);
    return p;
}

static void alarmed(int) {
    siglongjmp(around, 1);
}

static void gives_up() {
    longjmp(around, 1);
}

__attribute__((noinline)) static void afterwards() {
    sink = malloc(5);     // @ 3 15 0 0 0
    sink = escaped(1000); // @ 3 3000 0 0 0
}

__attribute__((noinline)) static void reads() {
    char *line = nullptr;
    size_t size = 0;
    int pipes[2];
    if (pipe(pipes) || write(pipes[1], "part", 4) != 4)
        abort();
    FILE *stream = fdopen(pipes[0], "r"); // @ 1 472 0 0 0
    signal(SIGALRM, alarmed);
    if (!sigsetjmp(around, 1)) {
        ualarm(50000, 0);
        getline(&line, &size, stream); // @ any
    }
    afterwards();
}

__attribute__((noinline)) static void handles() {
    std::set_new_handler(gives_up);
    if (!setjmp(around))
        sink = operator new(huge); // @ any
    afterwards();
}

__attribute__((noinline)) static void jumps() {
    if (!setjmp(around))
        sink = new char[huge]; // @ any
    sink = new char[6];        // @ 1 6 0 0 0
    afterwards();
}

int main() {
    reads();
    handles();
    jumps();
    puts("done"); // @ 1 4096 0 0 0
    return 3;
}
