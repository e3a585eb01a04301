/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The layouts of all types that the sites of a report allocate, from the debug information of their
 * modules. */
#ifndef ALLOCSITE_DUMP_TYPES_LAYOUTS_H
#define ALLOCSITE_DUMP_TYPES_LAYOUTS_H

#include "dump/elf/module_files.h"
#include "dump/load/source.h"
#include "dump/types/layout.h"
#include "dump/types/name.h"

/* The type as one module defines it. */
struct module_type {
    const char *module, *type; /* strings of the report */
    struct type_sought name;
    struct type_layout layout;
    const struct type_fields *fields; /* contains the layout's fields; NULL: not requested */
};

/* All zero: empty. */
struct type_layouts {
    const struct module_search *search; /* set by the caller */
    bool wants_fields;                  /* set by the caller */
    struct module_fields {
        struct type_fields *fields;
        struct module_fields *next;
    } * fields; /* of each module */
    struct module_type *types;
    size_t count, capacity;
    struct hash_index index;
    struct string_pool alternatives; /* the types of sites with several types, if fields are requested */
    struct string_pool names;
    struct types_unknown *unknown;
    size_t unknown_count, unknown_capacity;
};

/* The report must be prepared. The report and the modules must outlive the layouts. */
void type_layouts_read(struct type_layouts *, const struct report *, const struct module_list *);

/* NULL: the site has no type. */
const struct type_layout *type_layouts_of(const struct type_layouts *, const struct site_view *);
const struct module_type *type_layouts_find(const struct type_layouts *, const struct site_view *);

void type_layouts_free(struct type_layouts *);

#endif
