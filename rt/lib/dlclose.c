/* dlclose, after which an address may belong to another module.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "instrumented.h"
#include "interpose.h"
#include "next.h"
#include "unloads.h"

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
