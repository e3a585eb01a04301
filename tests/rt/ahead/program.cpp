/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Allocates in every way that bypasses sites: in the C and C++ libraries, through an escaped pointer, in
// another thread, in a library loaded later. The argument "given" frees a block that only the preloaded
// library knows.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <thread>

static void *volatile sink;
static void *(*volatile escaped)(size_t) = malloc;
static void (*volatile escaped_free)(void *) = free;

static void sited() {
    for (int i = 0; i < 10; i++) {
        sink = malloc(24);         // @ 10 240 0 0 0
        sink = realloc(sink, 100); // @ 0 0 10 1000 0
        free(sink);
        sink = new int[5]; // @ 10 200 0 0 0
        delete[] static_cast<int *>(sink);
    }
    sink = aligned_alloc(64, 128); // @ 1 128 0 0 0
    sink = strdup("twelve bytes"); // @ 1 13 0 0 0
    free(sink);
}

static void unsited() {
    for (int i = 0; i < 7; i++) {
        sink = escaped(30); // @ 7 210 0 0 0
        escaped_free(sink);
    }
    std::thread([] { sink = malloc(9); }).join(); // @ any
}

static void open_library(const char *path) {
    void *library =
        dlopen(path, RTLD_LAZY); // @ any: what the loader allocates, and the constructors of the library
    if (!library)
        abort();
    reinterpret_cast<void (*)()>(dlsym(library, "work"))(); // @ any
    dlclose(library);
}

int main(int count, char **arguments) {
    sited();
    unsited();
    if (count > 1 && strcmp(arguments[1], "given") == 0)
        free(reinterpret_cast<void *(*)()>(dlsym(RTLD_DEFAULT, "given"))());
    else if (count > 1)
        open_library(arguments[1]);
    puts("done"); // @ 1 4096 0 0 0
    return 3;
}
