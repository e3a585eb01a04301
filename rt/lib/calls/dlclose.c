/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* dlclose, after which an address may belong to another module. */
#include "lib/base/state.h"
#include "lib/calls/interpose.h"
#include "lib/heap/next.h"
#include "lib/who/modules.h"

INTERPOSE(int, dlclose, void *handle) {
    static int (*real)(void *);
    if (!real)
        real = (int (*)(void *))next_behind("dlclose");
    if (!runtime_off)
        instrumented_note();
    unload_begin();
    int error = real(handle);
    unload_end();
    return error;
}
