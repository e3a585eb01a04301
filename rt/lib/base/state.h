/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* State of the whole process: the options, what they switch off, and what cannot be counted. */
#ifndef ALLOCSITE_LIB_BASE_STATE_H
#define ALLOCSITE_LIB_BASE_STATE_H

#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/options.h"
#include "model/holes.h"

/* Nothing is counted and no look-up of the options is left to do. */
extern bool runtime_off __attribute__((visibility("hidden")));

/* Whether it was started with enabled=0 and waits to be woken. Known once runtime_start has returned. */
bool runtime_is_asleep(void);
void runtime_wake(void);

/* Who owns which block is noted, and so who frees what and what is live; else only what comes is counted. */
extern bool runtime_owners __attribute__((visibility("hidden")));

/* Who frees whose blocks is counted, which the hot path does not: frees and reallocs leave it. */
extern bool runtime_pairs __attribute__((visibility("hidden")));

/* What is freed before its thread allocates again is counted: everything leaves the hot path. */
extern bool runtime_temporary __attribute__((visibility("hidden")));

/* Reads the options and decides on runtime_off (run/start.c). Cheap when it has been done. */
void runtime_start(void);

/* Whether what happens now in this thread is to be counted. */
static inline bool runtime_counts(void) {
    if (runtime_off || local.silent)
        return false;
    runtime_start();
    return !runtime_off;
}

/* Valid once runtime_start has been called with the environment there. */
const struct run_options *runtime_options(void);

/* Reads them. */
void options_read(void);

/* The text that they were read from, which stays; NULL: there was none. */
enum options_source { OPTIONS_OF_PROGRAM, OPTIONS_OF_ENVIRONMENT, OPTIONS_SOURCES };
const char *options_given(enum options_source);

/* Says what comes of a pair that is wrong, and what is wrong with it. */
void options_tell(const char *outcome, const char *what, const char *pair, size_t length);

/* Whether this process is a child that was forked since. */
bool runtime_was_forked(void);

/* The process in which the options were read; 0: they were not yet. */
extern int32_t runtime_process __attribute__((visibility("hidden")));

/* Where the counters are: enum root_state (root.h). */
extern uint32_t runtime_state __attribute__((visibility("hidden")));

void hole_set(enum hole);
void hole_unset(enum hole);
bool hole_is_set(enum hole);

/* Whether there may be blocks of the process that are not known: one that is not found is not wrong then. */
bool holes_hide_blocks(void);

/* 1 << hole of each that is set. */
uint32_t holes_all(void);

/* Where else they are told, as 1 << hole; it returns NULL when nowhere. */
extern uint64_t *(*holes_told)(void)__attribute__((visibility("hidden")));

/* ---- Standard output and standard error, where reports go, though the program may close its own. */

/* Keeps a way to the report's descriptor if the program is about to close this one. Keeps errno. */
void descriptor_keep(int fd);

/* Where what is meant for 1 or 2 goes. */
int descriptor_standard(int fd);

/* ---- The part that run/start.c, which is found from outside, points to. */

extern const struct root_heap root_heap;      /* heap/shadow.c */
extern const struct root_own root_own;        /* base/os_fork.c */
extern const struct root_own root_registered; /* run/roots.c */

#endif
