/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "phases.h"
#include "slabs.h"

/* Deeper ones are counted but have no name: the one above them goes on. */
#define DEEPEST 64

static __thread struct {
    uint32_t depth;
    profile_name name[DEEPEST];
} phases;

profile_name phase_now(void) {
    uint32_t depth = phases.depth < DEEPEST ? phases.depth : DEEPEST;
    return depth ? phases.name[depth - 1] : 0;
}

void phase_push(profile_name name) {
    if (phases.depth++ >= DEEPEST)
        return;
    phases.name[phases.depth - 1] = name;
    thread_enter_phase(name);
}

void phase_pop(void) {
    if (phases.depth && --phases.depth < DEEPEST)
        thread_enter_phase(phase_now());
}
