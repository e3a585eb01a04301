/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include "base/host.h"

#include <dlfcn.h>
#include <stdio.h>

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

unsigned host_llvm_major(void) {
    unsigned major, minor, patch;
    void (*get)(unsigned *, unsigned *, unsigned *);
    *(void **)&get = dlsym(RTLD_DEFAULT, "LLVMGetVersion");
    if (!get)
        return by_symbol_version();
    get(&major, &minor, &patch);
    return major;
}
