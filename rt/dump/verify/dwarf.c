/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Walks debug information for the evidence. */

#include "dump/base/memory.h"
#include "dump/debug/handle.h"
#include "dump/verify/evidence.h"

#include <elf.h>
#include <stdlib.h>

/* The walk. An entry that cannot be read is passed over: the sites that need it will be found to disagree. */

struct walk {
    const struct debug_handle *handle;
    Dwarf_Debug debug;
    struct evidence *evidence;
    struct number_map functions; /* offset of a function's entry -> its key */
    evidence_key *files;         /* of the unit's line table, by the number that its rows use */
    size_t file_count;
    bool has_full_entries; /* the unit has more than line tables and what their inline chains need */
    bool has_split_unit;
    bool is_linked;
};

/* Where the walk is: the ways in that lead here, each from another function around. */
struct ways {
    evidence_key keys[32];
    size_t count;
};

/* Deeper nesting of scopes is damage. */
enum { DEPTH_MAX = 1000 };

/* Thousands of inlined calls share one function, so each is read once. */
static evidence_key function_at(struct walk *walk, Dwarf_Off offset) {
    const uint64_t *known = number_map_find(&walk->functions, offset);
    if (known)
        return *known;
    struct debug_names names = debug_function_names(walk->debug, offset);
    evidence_key key = evidence_function(walk->evidence, names.plain, names.linkage);
    number_map_add(&walk->functions, offset, key);
    return key;
}

static evidence_key function_of(struct walk *walk, Dwarf_Die die) {
    Dwarf_Off offset;
    if (!debug_next_origin(walk->debug, die, &offset) && dwarf_dieoffset(die, &offset, NULL) != DW_DLV_OK)
        return 0;
    return function_at(walk, offset);
}

static void add_way(struct ways *ways, evidence_key key) {
    if (key && ways->count < sizeof ways->keys / sizeof *ways->keys)
        ways->keys[ways->count++] = key;
}

static void enter_function(struct walk *walk, Dwarf_Die die, struct ways *into) {
    add_way(into, evidence_code(walk->evidence, function_of(walk, die), false));
}

static void enter_inlined(struct walk *walk, Dwarf_Die die, const struct ways *from, struct ways *into) {
    evidence_key function = function_of(walk, die);
    uint64_t file = debug_number(walk->debug, die, DW_AT_call_file);
    evidence_key file_key = file < walk->file_count ? walk->files[file] : 0;
    if (walk->is_linked)
        add_way(into, evidence_code(walk->evidence, function, true));
    if (!file_key)
        return;
    uint64_t line = debug_number(walk->debug, die, DW_AT_call_line);
    uint64_t column = debug_number(walk->debug, die, DW_AT_call_column);
    evidence_row(walk->evidence, file_key, line, column);
    for (size_t i = 0; i < from->count; i++)
        add_way(into, evidence_inlined(walk->evidence, from->keys[i], function, file_key, line, column));
}

/* With line tables only there are neither types nor the lines of definitions. */
static bool is_full_entry(Dwarf_Die die, Dwarf_Half tag) {
    return tag == DW_TAG_base_type ||
           (debug_has_attribute(die, DW_AT_decl_line) && !debug_has_attribute(die, DW_AT_declaration));
}

static void walk_children(struct walk *walk, Dwarf_Die parent, const struct ways *ways, int depth);

static void walk_entry(struct walk *walk, Dwarf_Die die, const struct ways *ways, int depth) {
    struct ways inner;
    Dwarf_Half tag = debug_tag(die);
    if (depth == 0 && !walk->has_full_entries)
        walk->has_full_entries = is_full_entry(die, tag);
    inner.count = 0;
    if (debug_is_transparent(tag))
        walk_children(walk, die, ways, depth + 1);
    else if (tag == DW_TAG_subprogram && debug_has_code(die)) {
        enter_function(walk, die, &inner);
        walk_children(walk, die, &inner, depth + 1);
    } else if (tag == DW_TAG_inlined_subroutine) {
        enter_inlined(walk, die, ways, &inner);
        if (inner.count || walk->is_linked)
            walk_children(walk, die, &inner, depth + 1);
    }
}

static void walk_children(struct walk *walk, Dwarf_Die parent, const struct ways *ways, int depth) {
    Dwarf_Die die = depth > DEPTH_MAX ? NULL : debug_child_of(parent);
    for (; die; die = debug_next_of(walk->debug, die, true))
        walk_entry(walk, die, ways, depth);
}

static void read_files(struct walk *walk, Dwarf_Line_Context lines) {
    Dwarf_Signed first, count, end;
    const char *compilation_directory = NULL, *name;
    Dwarf_Unsigned directory;
    dwarf_srclines_comp_dir(lines, &compilation_directory, NULL);
    if (dwarf_srclines_files_indexes(lines, &first, &count, &end, NULL) != DW_DLV_OK || end <= 0)
        return;
    walk->files = memory_zeros((size_t)end, sizeof *walk->files);
    walk->file_count = (size_t)end;
    for (Dwarf_Signed i = first; i < end; i++)
        if (dwarf_srclines_files_data_b(lines, i, &name, &directory, NULL, NULL, NULL, NULL) == DW_DLV_OK &&
            name)
            walk->files[i] = evidence_file(walk->evidence, compilation_directory,
                                           debug_line_directory(lines, directory), name);
}

static void read_row(void *context, const struct line_row *row) {
    struct walk *walk = context;
    if (!row->is_end && row->file < walk->file_count && walk->files[row->file])
        evidence_row(walk->evidence, walk->files[row->file], row->line, row->column);
}

/* Entries name files by the numbers of the line table, so its files come first; whether the unit has more
 * than line tables shows in its entries, so the rows come last. */
static void walk_unit(void *context, Dwarf_Die unit, bool is_of_types) {
    struct walk *walk = context;
    Dwarf_Unsigned version;
    Dwarf_Small table_count;
    Dwarf_Line_Context lines = NULL;
    if (is_of_types)
        return;
    walk->has_full_entries = false;
    walk->has_split_unit |= debug_is_split(unit);
    if (dwarf_srclines_b(unit, &version, &table_count, &lines, NULL) == DW_DLV_OK)
        read_files(walk, lines);
    evidence_unit(walk->evidence, false);
    walk_children(walk, unit, &(struct ways){.count = 0}, 0);
    evidence_unit(walk->evidence, !walk->has_full_entries);
    if (lines) {
        debug_each_row(walk->handle, unit, read_row, walk);
        dwarf_srclines_dealloc_b(lines);
    }
    free(walk->files);
    walk->files = NULL;
    walk->file_count = 0;
}

bool debug_collect(const struct elf_file *elf, struct evidence *evidence, struct reason *why) {
    struct debug_handle handle;
    if (!debug_open(&handle, elf, why))
        return false;
    struct walk walk = {
        .handle = &handle, .debug = handle.debug, .evidence = evidence, .is_linked = elf->type != ET_REL};
    size_t units = debug_each_unit(walk.debug, walk_unit, &walk);
    number_map_free(&walk.functions);
    debug_close(&handle);
    if (walk.has_split_unit)
        return reason_set(why, "its debug information is split into .dwo files");
    return units > 0 || reason_set(why, "libdwarf cannot read its debug information");
}
