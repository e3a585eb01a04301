/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens and closes two libraries in turn, so that they get the same address. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* For libraries that allocate through the program, if they find it. */
void *take(size_t size);
void *take(size_t size) {
    void *p = malloc(size);
    __asm__ volatile("" : : "r"(p) : "memory");
    return p;
}

int main(int count, char **libraries) {
    for (int i = 0; i < 10000; i++) {
        void *handle = dlopen(libraries[1 + i % (count - 1)], RTLD_NOW);
        void (*work)(void) = handle ? (void (*)(void))dlsym(handle, "work") : NULL;
        if (!work) {
            puts(dlerror());
            return 1;
        }
        work();
        dlclose(handle);
    }
    puts("done");
    return 3;
}
