/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/base/local.h"

#include "lib/base/os.h"

struct thread no_thread;
struct context_known context_none = {.key = ALLOCSITE_KEY_NONE};
__thread struct local local = {
    .alloc_view = &no_thread, .free_view = &no_thread, .context_last = &context_none};

/* Signals wait until the silence ends, because a signal handler's allocations would not be counted either. */
static __thread uint64_t signals_before __attribute__((tls_model("initial-exec")));

bool silence_begin(void) {
    bool was_silent = local.silent;
    if (!was_silent)
        signals_before = os_signals_hold();
    local.silent = true;
    return was_silent;
}

void silence_end(bool was_silent) {
    local.silent = was_silent;
    if (!was_silent)
        os_signals_release(signals_before);
}
