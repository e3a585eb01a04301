/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the calls of a path that are not the line of an allocation: calls in library code, and calls in
 * pass-through functions, whose allocations are attributed to their callers.
 *
 * The plugin writes both kinds into the module (struct allocsite_function in format.h). A function that
 * returns blocks of functions in other files passes through if all of these do, which is decided here for all
 * modules together. Further library code:
 *   - functions in namespace std, and files in the systems' header folders,
 *   - modules without the plugin, if other modules were compiled with it,
 *   - shared objects of the system, if no module was compiled with the plugin. */
#ifndef ALLOCSITE_DUMP_LINE_PASS_THROUGH_H
#define ALLOCSITE_DUMP_LINE_PASS_THROUGH_H

#include "dump/base/hash_index.h"
#include "dump/elf/module_files.h"
#include "dump/line/call_path.h"
#include "dump/line/call_types.h"
#include "model/report.h"

/* All zero: empty. It can be loaded again for another report, and keeps earlier modules. */
struct pass_through {
    struct pass_module *modules;
    size_t module_count, module_capacity;
    struct pass_function *functions;
    size_t function_count, function_capacity;
    struct hash_index by_module, by_name;
    struct number_map symbols; /* by string: whether the function passes through */
    struct string_pool strings;
    struct call_types types; /* of the calls in the same modules */
    bool is_any_compiled;    /* with the plugin */
};

/* Reads the tables of the report's modules that were not read yet. A module has no table if its file is
 * missing or is not the file that ran. */
void pass_through_load(struct pass_through *, const struct report *, const struct module_search *);
void pass_through_free(struct pass_through *);

/* Returns whether the place's module was compiled with the plugin. */
bool pass_through_is_compiled(const struct pass_through *, const struct path_place *);

/* PASS_LIBRARY: in a library. PASS_THROUGH: in a library or a pass-through function, unless the options skip
 * or stop match the place. */
enum { PASS_LIBRARY = 1, PASS_THROUGH = 2 };
unsigned pass_through_flags(const struct pass_through *, const struct line_options *,
                            const struct path_place *);

#endif
