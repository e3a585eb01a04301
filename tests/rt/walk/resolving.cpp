/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Walks from within the dynamic loader, which binds a function at its first call and whose frame has an unusual rule
// there. Also the same address in two libraries, one after the other.
#include "calls.h"

#include <dlfcn.h>
#include <stdlib.h>

extern "C" int resolved(void);
extern "C" void resolver_calls(void (*)(const char *));

OURS static void resolve() {
    NOTED;
    if (resolved() != 7)
        fail("resolved", "not what it is");
}

// The frames outside the library's.
static size_t left_behind[2];
static const void *places[2];
static int opened;

OURS static void from_library() {
    NOTED;
    walked.count = walk_stack(walked.frames, FRAMES_MOST, &walked.end);
    compare_all("library", 1);
    places[opened] = __builtin_return_address(0);
    left_behind[opened] = walked.count;
}

OURS static void open_library(const char *path) {
    NOTED;
    void *library = dlopen(path, RTLD_NOW);
    if (!library)
        exit(printf("%s\n", dlerror()));
    ((void (*)(void (*)()))dlsym(library, "call"))(from_library);
    dlclose(library);
    walk_forget();
}

int main() {
    resolver_calls(check);
    resolve();
    for (; opened < 2; opened++)
        open_library(opened ? "./libtwo.so" : "./libone.so");
    if (checks != 3 || left_behind[0] != left_behind[1])
        fail("library", "other frames");
    printf("%s address\n", places[0] == places[1] ? "same" : "another");
    return failed;
}
