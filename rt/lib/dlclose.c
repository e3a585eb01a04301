/* dlclose, after which an address may belong to another module.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "interpose.h"
#include "next.h"

INTERPOSE(int, dlclose, void *handle) {
    static int (*real)(void *);
    if (!real)
        real = (int (*)(void *))next_behind("dlclose");
    int error = real(handle);
    modules_unloaded();
    return error;
}
