/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The modules that reports name, with their build ids where they tell them. */
#ifndef ALLOCSITE_DUMP_LOAD_MODULE_LIST_H
#define ALLOCSITE_DUMP_LOAD_MODULE_LIST_H

#include "dump/base/hash_index.h"
#include "dump/load/source.h"

/* All zero: none yet. A path can stand here several times, with another build id each. */
struct module_list {
    struct report_module *list;
    size_t count, room;
    struct string_pool strings;
};

/* Takes the modules of a source. False: out of memory. */
bool module_list_take(struct module_list *, const struct report_source *, struct reason *why);

/* Whether it is a file, and not known better under its build id. */
bool module_list_has_file(const struct module_list *, const struct report_module *);

void module_list_free(struct module_list *);

#endif
