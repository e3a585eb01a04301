/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which calls of a path are not the line of an allocation: those written in library code and those in
 * pass-through functions, whose allocations are their callers' business.
 *
 * The plugin writes both into the module (struct allocsite_function in format.h). A function that returns
 * blocks of functions in other files passes through if all of these do, which is settled here, over all
 * modules. Besides, code is a library's if
 *  - its function is in namespace std, or its file where systems have their headers,
 *  - some modules were compiled with the plugin and its own was not, or
 *  - no module was, and its own is one of the system's shared objects. */
#ifndef ALLOCSITE_DUMP_LINE_PASS_THROUGH_H
#define ALLOCSITE_DUMP_LINE_PASS_THROUGH_H

#include "dump/base/hash_index.h"
#include "dump/elf/module_files.h"
#include "dump/line/call_path.h"
#include "dump/line/call_types.h"
#include "model/report.h"

/* All zero: nothing is known. It can be loaded again for another report, and keeps what it has. */
struct pass_through {
    struct pass_module *modules;
    size_t module_count, module_room;
    struct pass_function *functions;
    size_t function_count, function_room;
    struct hash_index by_module, by_name;
    struct number_map symbols; /* of text in strings: whether it passes through */
    struct string_pool strings;
    struct call_types types; /* of calls of the same modules */
    bool is_any_compiled;    /* with the plugin */
};

/* Reads the tables of the report's modules that were not read yet. Modules whose files are gone or are not
 * the ones that ran have none. */
void pass_through_load(struct pass_through *, const struct report *, const struct module_search *);
void pass_through_free(struct pass_through *);

/* Whether the place's module was compiled with the plugin. */
bool pass_through_is_compiled(const struct pass_through *, const struct path_place *);

/* PASS_LIBRARY: in a library. PASS_THROUGH: there or in a function that passes through, unless the options
 * say otherwise of the place. */
enum { PASS_LIBRARY = 1, PASS_THROUGH = 2 };
unsigned pass_through_flags(const struct pass_through *, const struct line_options *,
                            const struct path_place *);

#endif
