/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which functions and lines the addresses of modules are: from debug information, else from symbols.
 *
 * Addresses are wanted first and then looked up together, module by module. Debug information is read in a
 * process of its own, for libdwarf may not survive what is damaged; what that process has told until it ended
 * is kept. A module's files must be those that the program ran with, which their build id tells; else nothing
 * is known, and that is said. */
#ifndef ALLOCSITE_DUMP_LOAD_SYMBOLIZE_H
#define ALLOCSITE_DUMP_LOAD_SYMBOLIZE_H

#include "dump/base/hash_index.h"
#include "dump/elf/module_files.h"
#include "model/report.h"

/* All zero, but for what the caller sets: nothing is known. Known symbols stay, so that it can be used
 * again. */
struct symbolizer {
    bool is_off;                 /* set by the caller: nothing is ever known */
    bool is_quiet;               /* set by the caller: nothing is complained about */
    struct module_search search; /* set by the caller */
    struct line_options line;    /* set by the caller (attribute.h) */
    unsigned milliseconds;       /* set by the caller: limit for debug information; 0: none */
    bool is_late;                /* that was not enough: some addresses have a function only */

    struct symbol_module *modules;
    size_t count, room;
    size_t *last; /* module that was found: most frames of a stack are of one; NULL: there are no modules */
    struct pass_through *passing; /* NULL: not needed yet */
    struct hash_index by_path;
    struct string_pool strings;
};

/* The place of the call, and those where the functions that it is in were inlined, outwards; *count of them,
 * 0 if nothing is known. Without debug information it is one that has a function only. They live as long as
 * the symbolizer. */
const struct place *symbolizer_find(const struct symbolizer *, const char *module, const char *build_id,
                                    uint64_t address, size_t *count);

/* The line that the function of the place, which is one of the row's, begins at; 0: not known. */
uint32_t symbolizer_start(const struct symbolizer *, const struct site_view *, const struct place *);

void symbolizer_free(struct symbolizer *);

/* Names the unsited rows, and the frames of stacks, of a report. What report_prepare is to know of the names
 * needs them before it. */
void symbolize_report(struct symbolizer *, struct report *);

#endif
