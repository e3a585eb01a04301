/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program that uses the library it is linked with, or opens the given one. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#pragma weak part
void part(void);

static void *volatile sink;

int main(int count, char **arguments) {
    sink = malloc(10); /* @ 1 10 0 0 0 */
    if (part)
        part();
    void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL; /* @ any */
    if (count > 1 && !library)
        return 1;
    if (library) {
        ((void (*)(void))dlsym(library, "part"))();
        dlclose(library);
    }
    puts("done"); /* @ any */
    return 3;
}
