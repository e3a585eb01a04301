/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include "base/host.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { OLDEST = 10, NEWEST_WITHOUT_GETTER = 15 };

/* LLVM before 16 has no LLVMGetVersion. The symbol version of libLLVM reveals the major instead. */
static unsigned host_major_by_symbols(void) {
    for (unsigned major = OLDEST; major <= NEWEST_WITHOUT_GETTER; major++) {
        char version[16];
        snprintf(version, sizeof version, "LLVM_%u", major);
        if (dlvsym(RTLD_DEFAULT, "LLVMContextCreate", version))
            return major;
    }
    return 0;
}

/* Returns 0 if the major is unknown, as in a clang that links LLVM 15 or older statically. */
static unsigned host_major(void) {
    unsigned major, minor, patch;
    void (*get)(unsigned *, unsigned *, unsigned *);
    *(void **)&get = dlsym(RTLD_DEFAULT, "LLVMGetVersion");
    if (!get)
        return host_major_by_symbols();
    get(&major, &minor, &patch);
    return major;
}

bool host_differs(unsigned major) {
    unsigned host = host_major();
    return host != 0 && host != major;
}

void host_require(unsigned major, const char *program) {
    if (!host_differs(major))
        return;
    fprintf(stderr,
            "allocsite: this plugin is for %s %u, but %s %u has loaded it; "
            "use the plugin in lib/allocsite/llvm-%u\n",
            program, major, program, host_major(), host_major());
    exit(1);
}
