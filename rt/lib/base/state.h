/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The state of the whole process: the options, what they switch off, and the accuracy gaps. */
#ifndef ALLOCSITE_LIB_BASE_STATE_H
#define ALLOCSITE_LIB_BASE_STATE_H

#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/options.h"
#include "model/gaps.h"

/* True: nothing is counted, and the options have been read. */
extern bool runtime_off __attribute__((visibility("hidden")));

/* Returns whether the process started with enabled=0 and waits for runtime_wake; after runtime_start. */
bool runtime_is_asleep(void);
void runtime_wake(void);

/* True: the owners of blocks are noted, so frees are known. False: only allocations are counted. */
extern bool runtime_owners __attribute__((visibility("hidden")));

/* True: frees by one slot of another one's blocks are counted. Frees and reallocs then leave the hot path. */
extern bool runtime_pairs __attribute__((visibility("hidden")));

/* True: blocks freed before their thread allocates again are counted. Everything leaves the hot path. */
extern bool runtime_temporary __attribute__((visibility("hidden")));

/* Reads the options and sets runtime_off (run/start.c). Does nothing, cheaply, after the first time. */
void runtime_start(void);

/* Returns whether an event in this thread is to be counted. */
static inline bool runtime_counts(void) {
    if (runtime_off || local.silent)
        return false;
    runtime_start();
    return !runtime_off;
}

/* Whether the runtime was loaded into a process that runs: enum root_attachment (root.h). */
extern uint32_t runtime_attached __attribute__((visibility("hidden")));

/* Valid after runtime_start was called with the environment available. */
const struct run_options *runtime_options(void);

/* Reads the options: the string that options_give has set, or else the program's and the environment's. */
void options_read(void);
void options_give(const char *);

/* Returns the string that the options were read from; it stays valid. NULL: there was none. */
enum options_source { OPTIONS_OF_PROGRAM, OPTIONS_OF_ENVIRONMENT, OPTIONS_SOURCES };
const char *options_given(enum options_source);

/* Reports a wrong pair on stderr: what becomes of it, and what is wrong with it. */
void options_report(const char *outcome, const char *what, const char *pair, size_t length);

/* Returns whether this process was forked after the options were read. */
bool runtime_was_forked(void);

/* The id of the process that read the options; 0: they were not read yet. */
extern int32_t runtime_process __attribute__((visibility("hidden")));

/* Where the counters are: enum root_state (root.h). */
extern uint32_t runtime_state __attribute__((visibility("hidden")));

void gap_set(enum gap);
void gap_unset(enum gap);
bool gap_is_set(enum gap);

/* Returns whether the process may have unknown blocks, which are then no error of the program. */
bool gaps_hide_blocks(void);

/* Returns the sum of 1 << gap over all gaps that are set. */
uint32_t gaps_all(void);

/* Returns a second word that receives the gaps (1 << gap), in the profile; or NULL. */
extern uint64_t *(*gaps_mirror)(void)__attribute__((visibility("hidden")));

/* ---- Standard output and error, which get reports even after the program has closed them. */

/* Duplicates the report's descriptor if fd is that descriptor and about to be closed. Keeps errno. */
void descriptor_keep(int fd);

/* Returns the descriptor to write to for 1 or 2: fd itself, or its duplicate. */
int descriptor_standard(int fd);

/* ---- Parts of the root (rt/root.h), which run/start.c collects. */

extern const struct root_heap root_heap;          /* heap/shadow.c */
extern const struct root_list root_runtime_spans; /* base/os_fork.c */
extern const struct root_list root_mappings;      /* heap/mappings.c */
extern const struct root_list root_registered;    /* run/roots.c */

#endif
