/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Layouts of types by name.
 *
 * Theory of operation: the entries of all units are walked once, functions with them, since what is local
 * has the same name as its namesakes outside. Where all types are defined is noted as well: clang describes a
 * class in the unit that has its constructor or its virtual functions, and declares it in the others. Then
 * the layouts are read. */
#include "dump/base/memory.h"
#include "dump/types/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 1000, PATH_SIZE = 2 * TYPE_NAME_SIZE };

/* Names of the scopes around, as they are spelled, each with its colons. */
struct path {
    char text[PATH_SIZE];
    size_t base; /* where the function around begins */
};

/* The usual path lacks inline namespaces, which compilers leave out of some names. */
struct walk {
    struct type_search search;
    struct path whole, usual;
    bool has_split_unit;
};

static void see_name(struct walk *walk, const struct path *path, const struct type_entry *entry,
                     const char *name) {
    char spelled[PATH_SIZE];
    if (snprintf(spelled, sizeof spelled, "%s%s", path->text + path->base, name) < PATH_SIZE)
        type_search_see(&walk->search, entry, spelled);
}

static void see_type(struct walk *walk, Dwarf_Die die, Dwarf_Half tag, const char *name) {
    struct type_entry entry = {.tag = tag};
    if (!name || dwarf_dieoffset(die, &entry.offset, NULL) != DW_DLV_OK)
        return;
    entry.is_declaration = debug_has_attribute(die, DW_AT_declaration);
    see_name(walk, &walk->whole, &entry, name);
    if (strcmp(walk->whole.text, walk->usual.text) != 0)
        see_name(walk, &walk->usual, &entry, name);
}

static void see_inline(struct walk *walk, const char *name) {
    char spelled[PATH_SIZE];
    if (snprintf(spelled, sizeof spelled, "%s%s", walk->whole.text, name) < PATH_SIZE)
        type_search_see_inline(&walk->search, spelled);
}

static void walk_children(struct walk *, Dwarf_Die parent, int depth);

/* False: it does not fit. */
static bool enter(struct path *path, const char *name) {
    size_t length = strlen(path->text);
    return snprintf(path->text + length, PATH_SIZE - length, "%s::", name) < (int)(PATH_SIZE - length);
}

/* The scope's name goes to the paths meanwhile; NULL: it has none and adds nothing. */
static void walk_scope(struct walk *walk, Dwarf_Die die, const char *name, int depth) {
    size_t whole = strlen(walk->whole.text), usual = strlen(walk->usual.text);
    bool is_inline = name && debug_has_attribute(die, DW_AT_export_symbols);
    if (is_inline)
        see_inline(walk, name);
    if (!name || (enter(&walk->whole, name) && (is_inline || enter(&walk->usual, name))))
        walk_children(walk, die, depth + 1);
    walk->whole.text[whole] = walk->usual.text[usual] = '\0';
}

/* Types inside of functions are spelled without what is around these. */
static void walk_function(struct walk *walk, Dwarf_Die die, int depth) {
    size_t whole = walk->whole.base, usual = walk->usual.base;
    walk->whole.base = strlen(walk->whole.text);
    walk->usual.base = strlen(walk->usual.text);
    walk_children(walk, die, depth + 1);
    walk->whole.base = whole;
    walk->usual.base = usual;
}

static void walk_entry(struct walk *walk, Dwarf_Die die, int depth) {
    Dwarf_Half tag = debug_tag(die);
    const char *name = debug_text(die, DW_AT_name);
    switch (tag) {
    case DW_TAG_namespace:
        walk_scope(walk, die, name ?: "(anonymous namespace)", depth);
        return;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        see_type(walk, die, tag, name);
        walk_scope(walk, die, name, depth);
        return;
    case DW_TAG_enumeration_type:
    case DW_TAG_typedef:
    case DW_TAG_base_type:
        see_type(walk, die, tag, name);
        return;
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
        walk_function(walk, die, depth);
        return;
    default:
        return;
    }
}

static void walk_children(struct walk *walk, Dwarf_Die parent, int depth) {
    Dwarf_Die die = depth > DEPTH_MAX ? NULL : debug_child_of(parent);
    for (; die; die = debug_next_of(walk->search.debug, die, true))
        walk_entry(walk, die, depth);
}

static bool is_c_language(uint64_t language) {
    return language == DW_LANG_C || language == DW_LANG_C89 || language == DW_LANG_C99 ||
           language == DW_LANG_C11 || language == 0x2c; /* C17, which libdwarf does not name yet */
}

static void walk_unit(void *context, Dwarf_Die unit, bool is_of_types) {
    struct walk *walk = context;
    (void)is_of_types;
    walk->search.is_c = is_c_language(debug_number(walk->search.debug, unit, DW_AT_language));
    walk->has_split_unit |= debug_is_split(unit);
    walk->whole.text[0] = walk->usual.text[0] = '\0';
    walk->search.tells_defaults = debug_tells_defaults(unit);
    walk_children(walk, unit, 0);
    type_search_end_unit(&walk->search);
}

bool debug_types(struct type_layout *layouts, struct type_fields *fields, const struct type_sought *names,
                 size_t count, const struct elf_file *elf, struct reason *why) {
    struct debug_handle handle;
    if (!debug_open(&handle, elf, why))
        return false;
    struct walk *walk = memory_zeros(1, sizeof *walk);
    walk->search.debug = handle.debug;
    walk->search.names = names;
    walk->search.layouts = layouts;
    walk->search.fields = fields;
    walk->search.count = count;
    type_search_begin(&walk->search);
    debug_each_unit(handle.debug, walk_unit, walk);
    type_search_end(&walk->search);
    bool is_split = walk->has_split_unit && !walk->search.found_count;
    debug_close(&handle);
    type_search_free(&walk->search);
    free(walk);
    return !is_split || reason_set(why, "its debug information is split into .dwo files");
}
