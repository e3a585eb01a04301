/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Walks debug information with libdwarf. The only file that includes libdwarf.h. */
#include "dwarf.h"

#include "dwarf_sections.h"
#include "offset_map.h"

#include <elf.h>
#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>
#include <stdlib.h>

/* What libdwarf calls to get at sections, which it must not read from the file itself: that may be an
 * archive's member, or not be relocated. */

static int section_info(void *object, Dwarf_Half index, Dwarf_Obj_Access_Section *info, int *error) {
    const struct dwarf_sections *sections = object;
    (void)error;
    if (index >= sections->elf->count)
        return DW_DLV_NO_ENTRY;
    const struct elf_section *section = &sections->elf->sections[index];
    *info = (Dwarf_Obj_Access_Section){
        .addr = section->address,
        .type = section->type,
        .size = sections->sizes[index],
        .name = section->type == SHT_RELA ? "" : section->name,
        .link = section->link,
        .info = section->info,
        .entrysize = section->entry_size,
    };
    return DW_DLV_OK;
}

static Dwarf_Endianness byte_order(void *object) {
    (void)object;
    return DW_OBJECT_LSB;
}

static Dwarf_Small length_size(void *object) {
    (void)object;
    return 4;
}

static Dwarf_Small pointer_size(void *object) {
    (void)object;
    return 8;
}

static Dwarf_Unsigned section_count(void *object) {
    return ((const struct dwarf_sections *)object)->elf->count;
}

static int load_section(void *object, Dwarf_Half index, Dwarf_Small **bytes, int *error) {
    (void)error;
    *bytes = (Dwarf_Small *)dwarf_section_bytes(object, index);
    return *bytes ? DW_DLV_OK : DW_DLV_NO_ENTRY;
}

static const Dwarf_Obj_Access_Methods access_methods = {
    .get_section_info = section_info,
    .get_byte_order = byte_order,
    .get_length_size = length_size,
    .get_pointer_size = pointer_size,
    .get_section_count = section_count,
    .load_section = load_section,
};

/* The walk. What cannot be read is passed over: the sites that need it will be found to disagree. */

struct walk {
    Dwarf_Debug debug;
    struct evidence *evidence;
    struct offset_map functions; /* offset of a function's entry -> its key */
    evidence_key *files;         /* of the unit's line table, by the number that its rows use */
    size_t file_count;
    bool has_full_entries; /* the unit has more than line tables and what their inline chains need */
    bool has_split_unit;
    size_t unit_count;
    bool is_linked;
};

/* Where the walk is: the ways in that lead here, each from another function around. */
struct ways {
    evidence_key keys[32];
    size_t count;
};

/* Deeper nesting of scopes is damage. */
enum { DEPTH_MAX = 1000, HOPS_MAX = 8 };

static bool has_attribute(Dwarf_Die die, Dwarf_Half attribute) {
    Dwarf_Bool has = 0;
    return dwarf_hasattr(die, attribute, &has, NULL) == DW_DLV_OK && has;
}

static const char *text_attribute(Dwarf_Die die, Dwarf_Half attribute) {
    char *text;
    return dwarf_die_text(die, attribute, &text, NULL) == DW_DLV_OK ? text : NULL;
}

static uint64_t number_attribute(struct walk *walk, Dwarf_Die die, Dwarf_Half name) {
    Dwarf_Attribute attribute;
    Dwarf_Unsigned number = 0;
    if (dwarf_attr(die, name, &attribute, NULL) != DW_DLV_OK)
        return 0;
    if (dwarf_formudata(attribute, &number, NULL) != DW_DLV_OK)
        number = 0;
    dwarf_dealloc(walk->debug, attribute, DW_DLA_ATTR);
    return number;
}

static bool reference_attribute(struct walk *walk, Dwarf_Die die, Dwarf_Half name, Dwarf_Off *offset) {
    Dwarf_Attribute attribute;
    if (dwarf_attr(die, name, &attribute, NULL) != DW_DLV_OK)
        return false;
    bool is_read = dwarf_global_formref(attribute, offset, NULL) == DW_DLV_OK;
    dwarf_dealloc(walk->debug, attribute, DW_DLA_ATTR);
    return is_read;
}

static const char *linkage_name(Dwarf_Die die) {
    const char *name = text_attribute(die, DW_AT_linkage_name);
    return name ? name : text_attribute(die, DW_AT_MIPS_linkage_name);
}

static bool next_origin(struct walk *walk, Dwarf_Die die, Dwarf_Off *offset) {
    return reference_attribute(walk, die, DW_AT_abstract_origin, offset) ||
           reference_attribute(walk, die, DW_AT_specification, offset);
}

/* Code refers to the abstract function, that to the declaration in its class: each name stands in one of
 * them. */
static evidence_key read_function(struct walk *walk, Dwarf_Off offset) {
    const char *name = NULL, *linkage = NULL;
    bool has_next = true;
    for (int hops = 0; has_next && (!name || !linkage) && hops < HOPS_MAX; hops++) {
        Dwarf_Die die;
        if (dwarf_offdie_b(walk->debug, offset, 1, &die, NULL) != DW_DLV_OK)
            break;
        name = name ? name : text_attribute(die, DW_AT_name);
        linkage = linkage ? linkage : linkage_name(die);
        has_next = next_origin(walk, die, &offset);
        dwarf_dealloc(walk->debug, die, DW_DLA_DIE);
    }
    return evidence_function(walk->evidence, name, linkage);
}

/* Thousands of inlined calls share one function, so each is read once. */
static evidence_key function_at(struct walk *walk, Dwarf_Off offset) {
    evidence_key key = 0;
    if (!offset_map_get(&walk->functions, offset, &key)) {
        key = read_function(walk, offset);
        offset_map_put(&walk->functions, offset, key);
    }
    return key;
}

static evidence_key function_of(struct walk *walk, Dwarf_Die die) {
    Dwarf_Off offset;
    if (!next_origin(walk, die, &offset) && dwarf_dieoffset(die, &offset, NULL) != DW_DLV_OK)
        return 0;
    return function_at(walk, offset);
}

static void add_way(struct ways *ways, evidence_key key) {
    if (key && ways->count < sizeof ways->keys / sizeof *ways->keys)
        ways->keys[ways->count++] = key;
}

static void enter_function(struct walk *walk, Dwarf_Die die, struct ways *into) {
    evidence_key function = function_of(walk, die);
    add_way(into, evidence_code(walk->evidence, function));
}

static void enter_inlined(struct walk *walk, Dwarf_Die die, const struct ways *from, struct ways *into) {
    evidence_key function = function_of(walk, die);
    uint64_t file = number_attribute(walk, die, DW_AT_call_file);
    evidence_key file_key = file < walk->file_count ? walk->files[file] : 0;
    if (walk->is_linked)
        add_way(into, evidence_inlined_code(walk->evidence, function));
    if (!function || !file_key || from->count == 0)
        return;
    uint64_t line = number_attribute(walk, die, DW_AT_call_line);
    uint64_t column = number_attribute(walk, die, DW_AT_call_column);
    for (size_t i = 0; i < from->count; i++)
        add_way(into, evidence_inlined(walk->evidence, from->keys[i], function, file_key, line, column));
}

/* With line tables only there are neither types nor the lines of definitions. */
static bool is_full_entry(Dwarf_Die die, Dwarf_Half tag) {
    return tag == DW_TAG_base_type ||
           (has_attribute(die, DW_AT_decl_line) && !has_attribute(die, DW_AT_declaration));
}

static void walk_children(struct walk *walk, Dwarf_Die parent, const struct ways *ways, int depth);

static bool has_code(Dwarf_Die die) {
    return has_attribute(die, DW_AT_low_pc) || has_attribute(die, DW_AT_ranges);
}

static void walk_entry(struct walk *walk, Dwarf_Die die, const struct ways *ways, int depth) {
    struct ways inner;
    Dwarf_Half tag = 0;
    if (dwarf_tag(die, &tag, NULL) != DW_DLV_OK)
        return;
    if (depth == 0 && !walk->has_full_entries)
        walk->has_full_entries = is_full_entry(die, tag);
    inner.count = 0;
    switch (tag) {
    case DW_TAG_subprogram:
        if (!has_code(die))
            return;
        enter_function(walk, die, &inner);
        walk_children(walk, die, &inner, depth + 1);
        return;
    case DW_TAG_inlined_subroutine:
        enter_inlined(walk, die, ways, &inner);
        if (inner.count || walk->is_linked)
            walk_children(walk, die, &inner, depth + 1);
        return;
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
        walk_children(walk, die, ways, depth + 1);
        return;
    default:
        return;
    }
}

static void walk_children(struct walk *walk, Dwarf_Die parent, const struct ways *ways, int depth) {
    Dwarf_Die die, next;
    if (depth > DEPTH_MAX || dwarf_child(parent, &die, NULL) != DW_DLV_OK)
        return;
    for (bool is_last = false; !is_last; die = next) {
        walk_entry(walk, die, ways, depth);
        is_last = dwarf_siblingof_b(walk->debug, die, 1, &next, NULL) != DW_DLV_OK;
        dwarf_dealloc(walk->debug, die, DW_DLA_DIE);
    }
}

static const char *directory_at(Dwarf_Line_Context lines, Dwarf_Unsigned index) {
    const char *directory = NULL;
    return dwarf_srclines_include_dir_data(lines, (Dwarf_Signed)index, &directory, NULL) == DW_DLV_OK
               ? directory
               : NULL;
}

static void read_files(struct walk *walk, Dwarf_Line_Context lines) {
    Dwarf_Signed first, count, end;
    const char *compilation_directory = NULL, *name;
    Dwarf_Unsigned directory;
    dwarf_srclines_comp_dir(lines, &compilation_directory, NULL);
    if (dwarf_srclines_files_indexes(lines, &first, &count, &end, NULL) != DW_DLV_OK || end <= 0)
        return;
    walk->files = calloc((size_t)end, sizeof *walk->files);
    walk->file_count = walk->files ? (size_t)end : 0;
    for (Dwarf_Signed i = first; i < end && walk->files; i++)
        if (dwarf_srclines_files_data_b(lines, i, &name, &directory, NULL, NULL, NULL, NULL) == DW_DLV_OK)
            walk->files[i] =
                evidence_file(walk->evidence, compilation_directory, directory_at(lines, directory), name);
}

static void read_row(struct walk *walk, Dwarf_Line row) {
    Dwarf_Unsigned file, line, column;
    if (dwarf_line_srcfileno(row, &file, NULL) == DW_DLV_OK && file < walk->file_count && walk->files[file] &&
        dwarf_lineno(row, &line, NULL) == DW_DLV_OK && dwarf_lineoff_b(row, &column, NULL) == DW_DLV_OK)
        evidence_row(walk->evidence, walk->files[file], line, column);
}

static void read_rows(struct walk *walk, Dwarf_Line_Context lines) {
    Dwarf_Line *rows;
    Dwarf_Signed count;
    if (dwarf_srclines_from_linecontext(lines, &rows, &count, NULL) != DW_DLV_OK)
        return;
    for (Dwarf_Signed i = 0; i < count; i++)
        read_row(walk, rows[i]);
}

/* Entries name files by the numbers of the line table, so its files come first; whether the unit has more
 * than line tables shows in its entries, so the rows come last. */
static void walk_unit(struct walk *walk, Dwarf_Die unit) {
    Dwarf_Unsigned version;
    Dwarf_Small table_count;
    Dwarf_Line_Context lines = NULL;
    walk->has_full_entries = false;
    walk->has_split_unit |= has_attribute(unit, DW_AT_dwo_name) || has_attribute(unit, DW_AT_GNU_dwo_name);
    if (dwarf_srclines_b(unit, &version, &table_count, &lines, NULL) == DW_DLV_OK)
        read_files(walk, lines);
    evidence_unit(walk->evidence, false);
    walk_children(walk, unit, &(struct ways){.count = 0}, 0);
    evidence_unit(walk->evidence, !walk->has_full_entries);
    if (lines) {
        read_rows(walk, lines);
        dwarf_srclines_dealloc_b(lines);
    }
    free(walk->files);
    walk->files = NULL;
    walk->file_count = 0;
}

static void walk_units(struct walk *walk) {
    Dwarf_Unsigned length, abbreviations, type_offset, next;
    Dwarf_Half version, address_size, offset_size, extension_size, unit_type;
    Dwarf_Sig8 signature;
    while (dwarf_next_cu_header_d(walk->debug, 1, &length, &version, &abbreviations, &address_size,
                                  &offset_size, &extension_size, &signature, &type_offset, &next, &unit_type,
                                  NULL) == DW_DLV_OK) {
        Dwarf_Die unit;
        if (dwarf_siblingof_b(walk->debug, NULL, 1, &unit, NULL) != DW_DLV_OK)
            continue;
        walk->unit_count++;
        if (unit_type != DW_UT_type)
            walk_unit(walk, unit);
        dwarf_dealloc(walk->debug, unit, DW_DLA_DIE);
    }
}

/* With no handler and no place for an error libdwarf aborts. */
static void ignore_error(Dwarf_Error error, Dwarf_Ptr argument) {
    (void)error;
    (void)argument;
}

static bool collect(struct dwarf_sections *sections, struct evidence *evidence, struct reason *why) {
    Dwarf_Obj_Access_Interface access = {sections, &access_methods};
    struct walk walk = {.evidence = evidence, .is_linked = sections->elf->type != ET_REL};
    Dwarf_Error error = NULL;
    if (dwarf_object_init_b(&access, ignore_error, NULL, DW_GROUPNUMBER_ANY, &walk.debug, &error) !=
        DW_DLV_OK)
        return reason_set(why, "libdwarf cannot read its debug information: %s",
                          error ? dwarf_errmsg(error) : "no units");
    walk_units(&walk);
    dwarf_object_finish(walk.debug, NULL);
    offset_map_free(&walk.functions);
    if (walk.has_split_unit)
        return reason_set(why, "its debug information is split into .dwo files");
    return walk.unit_count > 0 || reason_set(why, "libdwarf cannot read its debug information");
}

bool dwarf_collect(const struct elf_file *elf, struct evidence *evidence, struct reason *why) {
    struct dwarf_sections sections;
    if (!dwarf_sections_open(&sections, elf, why))
        return false;
    bool is_collected = collect(&sections, evidence, why);
    dwarf_sections_close(&sections);
    return is_collected;
}
