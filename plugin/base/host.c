/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include "base/host.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { OLDEST = 10, NEWEST_WITHOUT_GETTER = 15 };

/* LLVMGetVersion came with 16. Before, the version of libLLVM's symbols tells. */
static unsigned by_symbol_version(void) {
    for (unsigned major = OLDEST; major <= NEWEST_WITHOUT_GETTER; major++) {
        char version[16];
        snprintf(version, sizeof version, "LLVM_%u", major);
        if (dlvsym(RTLD_DEFAULT, "LLVMContextCreate", version))
            return major;
    }
    return 0;
}

/* 0: it does not tell. */
static unsigned host_major(void) {
    unsigned major, minor, patch;
    void (*get)(unsigned *, unsigned *, unsigned *);
    *(void **)&get = dlsym(RTLD_DEFAULT, "LLVMGetVersion");
    if (!get)
        return by_symbol_version();
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
            "take the one in lib/allocsite/llvm-%u\n",
            program, major, program, host_major(), host_major());
    exit(1);
}
