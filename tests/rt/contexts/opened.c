/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* With NAME it is a library that allocates, otherwise a program that opens and closes two of these in turn, so that
 * they may get the same addresses. */
#include <stdio.h>
#include <stdlib.h>

#ifdef NAME
#define JOINED(name)   allocate_##name
#define FUNCTION(name) JOINED(name)
typedef void *callback(size_t);

__attribute__((noinline)) static void *FUNCTION(NAME)(callback *back, size_t bytes) {
    free(back(bytes));
    void *p = malloc(bytes);
    __asm__ volatile("" : "+r"(p));
    return p;
}

void *enter(callback *back, size_t bytes) {
    void *p = FUNCTION(NAME)(back, bytes);
    __asm__ volatile("" : "+r"(p));
    return p;
}
#else
#include <dlfcn.h>

typedef void *callback(size_t);
typedef void *entry(callback *, size_t);

__attribute__((noinline)) static void *called_back(size_t bytes) {
    void *p = malloc(bytes);
    __asm__ volatile("" : "+r"(p));
    return p;
}

int main(void) {
    static const char *const paths[] = {"./libfirst.so", "./libsecond.so"};
    for (int i = 0; i < 10; i++) {
        void *library = dlopen(paths[i % 2], RTLD_NOW);
        entry *enter = library ? (entry *)dlsym(library, "enter") : NULL;
        if (!enter)
            return 1;
        for (int k = 0; k <= i % 2; k++)
            free(enter(called_back, 16));
        dlclose(library);
    }
    puts("done");
    return 3;
}
#endif
