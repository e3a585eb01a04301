/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Prints the modules to which functions are bound: in this program, as dlsym finds them, and in a library that is
// opened (this file, too).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <new>
#include <pthread.h>

static void lead(const char *where, const char *name, void *to) {
    Dl_info info;
    const char *module = to && dladdr(to, &info) ? info.dli_fname : "none";
    const char *slash = strrchr(module, '/');
    fprintf(stderr, "%s:%s %s\n", where, name, slash ? slash + 1 : module);
}

using allocate = void *(size_t);
using release = void(void *);
static void *const bound[] = {(void *)static_cast<allocate *>(std::malloc),
                              (void *)static_cast<release *>(std::free),
                              (void *)static_cast<allocate *>(operator new),
                              (void *)static_cast<release *>(operator delete), (void *)pthread_create};

// These calls also give the library relocations of entry points.
extern "C" int work(const char *where) {
    void *volatile p = strdup(where);
    p = realloc(p, 100);
    free(p);
    int *volatile q = new int;
    delete q;
    for (void *function : bound)
        lead(where, "bound", function);
    return 3;
}

#ifndef LIBRARY

int main(int, char **arguments) {
    static const char *const names[] = {"malloc",
                                        "free",
                                        "reallocarray",
                                        "_Znwm",
                                        "_ZdlPvm",
                                        "fclose",
                                        "longjmp",
                                        "thrd_create",
                                        "dlclose",
                                        "__liballocsite_v1_malloc",
                                        "__liballocsite_v1_free",
                                        "__liballocsite_v1_strdup",
                                        "__liballocsite_v1__Znam",
                                        "__liballocsite_v1__ZdlPv"};
    void *library = dlopen(arguments[1], RTLD_LAZY);
    if (!library)
        abort();
    for (const char *name : names)
        lead("found", name, dlsym(library, name)), lead("default", name, dlsym(RTLD_DEFAULT, name));
    work("program");
    reinterpret_cast<int (*)(const char *)>(dlsym(library, "work"))("library");
    puts("done");
    return dlclose(library) + 3;
}

#endif
