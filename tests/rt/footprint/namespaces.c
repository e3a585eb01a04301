/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* namespaces LIBRARY COUNT: opens the library in COUNT new namespaces, and calls it in each. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments) {
    (void)count;
    for (int left = atoi(arguments[2]); left > 0; left--) {
        void *library = dlmopen(LM_ID_NEWLM, arguments[1], RTLD_NOW); /* @ any */
        if (!library) {
            puts(dlerror());
            return 1;
        }
        ((void (*)(void))dlsym(library, "part"))();
    }
    puts("done");
    return 3;
}
