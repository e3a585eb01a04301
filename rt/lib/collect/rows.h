/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows for addresses of code in a report: modules, their functions, stacks. */
#ifndef ALLOCSITE_LIB_COLLECT_ROWS_H
#define ALLOCSITE_LIB_COLLECT_ROWS_H

#include "lib/collect/collect.h"
#include "lib/count/sums.h"
#include "lib/who/modules.h"
#include "model/report.h"

#include <stdbool.h>
#include <stdint.h>

struct frames {
    uint32_t *numbers;          /* by slot of a module, its number + 1; 0: no address of it is shown */
    struct symbols_of *symbols; /* by number */
    struct report_module *modules;
    size_t module_count;
    enum collect_stacks which;
    uint32_t *main; /* by slot of a row, that of its stack with the most bytes; NULL: all stacks, or none */
    size_t stack_count, step_count;
    size_t most, cut_count; /* frames of each stack that are in the report; and of how many not all are */
};

struct rows;

/* Looks for the modules of all addresses, also of those in stacks. False: no memory. */
bool frames_open(struct frames *, const struct rows *, enum collect_stacks, bool is_end);

/* The function that holds the call which returns to an address of the module; NULL: not known. */
const char *frames_function(const struct frames *, uint32_t module, uint64_t address);

/* Whether the slot is a stack that frames_enter puts into the report; it does so by rising slot. */
bool frames_have_stack(const struct frames *, const struct rows *, uint32_t slot);

/* Puts modules and stacks into the report, in which the rows are. False: no memory. */
bool frames_enter(const struct frames *, struct report *, const struct rows *);

/* ---- The rows of a report, by slot. */

struct rows {
    uint32_t slots;
    struct report_site *sites; /* by slot; of stacks only the counters, which their row has too */
    struct report_site **order;
    struct place *places;
    size_t places_left;
    uint64_t live_bytes, peak_bytes; /* in total */
    bool is_odd;                     /* the share of some slot in the peak is below zero */
    struct flows flows;              /* of what is in the totals */
};

/* Counts of all slots so far. False: no memory. */
bool rows_collect(struct rows *, uint32_t slots);

/* Puts the rows into the report. */
void rows_enter(struct rows *, struct report *, const struct frames *);

/* The row that has a slot; NULL: there is none. */
struct report_site *rows_of(const struct rows *, uint32_t slot);

/* ---- Puts what threads counted in phases into the report, in which the rows and stacks are. False: no
 * memory. */
bool phases_enter(struct report *, const struct rows *, const struct frames *);

/* ---- Code in the process that this copy of the runtime does not see. */

/* Functions of a module that is in memory, by address: all that its file tells, else those that other modules
 * may call. */

struct symbols {
    struct symbol *sorted;
    size_t count;
    const char *strings;
};

/* A module and its functions; of none if it has none, or if it may be unloaded meanwhile. */
struct symbols_of {
    const struct module *module; /* NULL: wants none */
    struct symbols symbols;
};

#ifdef ALLOCSITE_STATIC

/* A static executable has no dynamic symbols. */
static inline void symbols_find(struct symbols_of *modules, size_t count, bool is_end) {
    (void)modules, (void)count, (void)is_end;
}

static inline const char *symbols_function(const struct symbols *symbols, uint64_t address) {
    (void)symbols, (void)address;
    return NULL;
}

#else

/* Finds the functions of so many modules. is_end: takes a lock of the dynamic loader, which keeps modules
 * that may be unloaded where they are. They live until collect_done. */
void symbols_find(struct symbols_of *, size_t count, bool is_end);

/* Name of the function that holds the call that returns to address, which is as the module's file has it.
 * NULL: not known. */
const char *symbols_function(const struct symbols *, uint64_t address);

#endif

#endif
