/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Uses a shared object that it is linked with and one that it opens three times.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

void part_allocate(void);

void *volatile kept;

static int use_plugged(const char *path) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL); // LIBRARY any
    void (*allocate)(void) = handle ? (void (*)(void))dlsym(handle, "plugged_allocate") : NULL;
    if (!allocate) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    allocate();
    return dlclose(handle);
}

int main(void) {
    int failed = 0;
    for (int i = 0; i < 4; i++)
        part_allocate();
    for (int i = 0; i < 3; i++)
        failed |= use_plugged("./plugged.so");
    kept = malloc(7); // SITE 1 7
    free(kept);
    return failed;
}
