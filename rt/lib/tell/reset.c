/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/tell/reset.h"

#include "lib/store/store.h"

#include "lib/base/os.h"
#include "lib/count/change.h"
#include "lib/count/pairs.h"
#include "lib/count/peak.h"
#include "lib/count/sums.h"
#include "lib/tell/inherited.h"

/* An odd number of resets is the lock, which a forked child finds open. */
static void begin_reset(struct profile_header *header) {
    for (uint32_t tries = 1;; tries++) {
        uint64_t resets = __atomic_load_n(&header->resets, __ATOMIC_ACQUIRE);
        if (resets % 2 == 0 && __atomic_compare_exchange_n(&header->resets, &resets, resets + 1, false,
                                                           __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return;
        os_wait(tries);
    }
}

void counters_reset(void) {
    struct profile_header *header = store_header();
    uint64_t signals = os_signals_hold();
    begin_reset(header);
    sums_know_inherited();
    peak_reset();
    sums_reset();
    header->walks.without_stack = 0;
    pairs_reset();
    sizes_reset();
    __atomic_fetch_add(&header->resets, 1, __ATOMIC_ACQ_REL);
    os_signals_release(signals);
}
