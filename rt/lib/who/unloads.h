/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Unloading modules, after which an address may be that of other code.
 *
 * Knowledge of code by its address is forgotten before a module goes, and nothing more is kept until it has
 * gone: what is kept only afterwards is of code that is there, whoever is loaded in its place meanwhile. */
#ifndef ALLOCSITE_LIB_WHO_UNLOADS_H
#define ALLOCSITE_LIB_WHO_UNLOADS_H

#include <stdbool.h>
#include <stdint.h>

struct unloads {
    uint32_t begun, ended;
} __attribute__((aligned(8)));

extern struct unloads unloads __attribute__((visibility("hidden")));

/* To be asked before an address is looked at. */
static inline uint32_t unloads_begun(void) {
    return __atomic_load_n(&unloads.begun, __ATOMIC_SEQ_CST);
}

/* A number that no two moments have in common between which a module was unloaded. */
static inline uint64_t unloads_both(void) {
    uint64_t both;
    _Static_assert(sizeof both == sizeof unloads, "");
    __builtin_memcpy(&both, &unloads, sizeof both);
    return both;
}

/* Whether what was found since then may be kept. Who keeps it where others find it asks once more then. */
static inline bool unloads_none_since(uint32_t begun) {
    return __atomic_load_n(&unloads.ended, __ATOMIC_SEQ_CST) == begun && unloads_begun() == begun;
}

/* A module is about to go; one has gone. */
void unload_begin(void);
void unload_end(void);

#endif
