/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the functions and lines of addresses in modules, from debug information or, failing that, from
 * symbols.
 *
 * Addresses are first collected and then looked up together, module by module. A child process reads the
 * debug information, because libdwarf may crash on damaged data; results from before a crash are kept. Files
 * are used only if their build id shows that the program ran with them. If not, a complaint says so. */
#ifndef ALLOCSITE_DUMP_LINE_SYMBOLIZE_H
#define ALLOCSITE_DUMP_LINE_SYMBOLIZE_H

#include "dump/base/hash_index.h"
#include "dump/elf/module_files.h"
#include "model/report.h"

/* All zero except members set by the caller: empty. It can be used again, and keeps known symbols. */
struct symbolizer {
    bool is_off;                 /* set by the caller: looks up nothing */
    bool is_quiet;               /* set by the caller: no complaints */
    struct module_search search; /* set by the caller */
    struct line_options line;    /* set by the caller (attribute.h) */
    unsigned milliseconds;       /* set by the caller: time limit for debug information; 0: none */
    bool is_late;                /* the limit was reached: some addresses have only a function */

    struct symbol_module *modules;
    size_t count, capacity;
    size_t *last; /* the last module found, because most frames of a stack share one; NULL: there are no
                     modules */
    struct report_frame **completed; /* frames of stacks that lacked some; freed with the symbolizer */
    size_t completed_count, completed_capacity;
    struct pass_through *passing; /* NULL: not needed yet */
    struct hash_index by_path;
    struct string_pool strings;
};

/* Adds a return address to look up later. */
void symbolizer_want(struct symbolizer *, const char *module, const char *build_id, uint64_t address);

/* Looks up all wanted addresses. Complains about unusable files, once for each. */
void symbolizer_look_up(struct symbolizer *);

/* Returns the code around a return address; NULL: it was not looked up. Valid until the next look-up. */
const struct tail_calls *symbolizer_code(const struct symbolizer *, const struct report_module *,
                                         uint64_t address);

/* Returns the place of the call, followed by the places that its function was inlined into. Sets count; 0:
 * unknown. A module with symbols alone has one place with only a function. The result is valid as long as the
 * symbolizer. */
const struct place *symbolizer_find(const struct symbolizer *, const char *module, const char *build_id,
                                    uint64_t address, size_t *count);

/* True if the module's file has no symbols of functions that are not exported, and no debug information. */
bool symbolizer_lacks_names(const struct symbolizer *, const char *module, const char *build_id);

/* Returns the first line of the function that contains a place of the row; 0: unknown. */
uint32_t symbolizer_start(const struct symbolizer *, const struct site_view *, const struct place *);

void symbolizer_free(struct symbolizer *);

/* Names the unsited rows and the frames of stacks of a report, and adds frames that tail calls have removed
 * (tail_calls.h): they have a function and no line. Call it before report_prepare, which uses the names. */
void symbolize_report(struct symbolizer *, struct report *);

/* Sets the report's module without names that is on the most paths (nameless.c). */
void symbolizer_nameless(struct symbolizer *, struct report *);

#endif
