/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sited call of backtrace_symbols. */
#define _GNU_SOURCE
#include "lib/bill/scope.h"
#include "lib/calls/entry.h"

#include <execinfo.h>

ENTRY(char **, backtrace_symbols, void *const *addresses, int n) {
    SCOPED(site);
    char **names = backtrace_symbols(addresses, n);
    if (!names)
        scope_call_failed();
    return names;
}
