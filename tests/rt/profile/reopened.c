/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* reopened LIBRARY TIMES: opens, uses and closes a library. Prints its resident size in KiB after half of
 * that, when the tables of stacks through unloaded modules are full, and at the end. This file is the library
 * if LIBRARY is defined. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef LIBRARY

void use(void) {
    void *volatile p = malloc(7); /* in the library */
    free(p);
}

#else

static long resident(void) {
    long size, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &size, &pages) != 2)
        abort();
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE) / 1024;
}

int main(int count, char **arguments) {
    int times = atoi(arguments[count - 1]);
    long first = 0;
    for (int i = 0; i < times; i++) {
        void *library = dlopen(arguments[1], RTLD_NOW);
        void (*use)(void) = (void (*)(void))dlsym(library, "use");
        use();
        dlclose(library);
        if (i == times / 2) {
            resident(); /* the memory that measuring needs itself */
            first = resident();
        }
    }
    printf("%ld %ld\n", first, resident());
    return 0;
}

#endif
