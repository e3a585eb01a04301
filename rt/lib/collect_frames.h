/* What stands at addresses of code in a report: modules, their functions, stacks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_COLLECT_FRAMES_H
#define ALLOCSITE_COLLECT_FRAMES_H

#include "report.h"

#include <stdbool.h>
#include <stdint.h>

struct frames {
    uint32_t *numbers;          /* by slot of a module, its number + 1; 0: no address of it is shown */
    struct symbols_of *symbols; /* by number */
    struct report_module *modules;
    size_t module_count;
    bool has_stacks;
    size_t stack_count, step_count;
};

struct rows;

/* Looks for the modules of all addresses, with has_stacks also of those in stacks. False: no memory. */
bool frames_open(struct frames *, const struct rows *, bool has_stacks, bool is_end);

/* The function that holds the call which returns to an address of the module; NULL: not known. */
const char *frames_function(const struct frames *, uint32_t module, uint64_t address);

/* Puts modules and stacks into the report, in which the rows are. False: no memory. */
bool frames_enter(const struct frames *, struct report *, const struct rows *);

#endif
