/* The sited call of backtrace_symbols.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _GNU_SOURCE
#include "entry.h"

#include <execinfo.h>

ENTRY(char **, backtrace_symbols, void *const *addresses, int n) {
    SCOPED(site);
    char **names = backtrace_symbols(addresses, n);
    if (!names)
        scope_call_failed();
    return names;
}
