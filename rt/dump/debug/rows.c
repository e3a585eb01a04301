/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The rows of line tables that cover addresses. */
#include "base/path.h"
#include "dump/base/memory.h"
#include "dump/debug/handle.h"

#include <stdlib.h>

static char *join(const char *compilation_directory, const char *directory, const char *name) {
    const char *outer = compilation_directory ?: "", *inner = directory ?: "";
    if (name[0] == '/' || inner[0] == '/')
        outer = "";
    if (name[0] == '/')
        inner = "";
    char *path = memory_text("%s%s%s%s%s", outer, *outer ? "/" : "", inner, *inner ? "/" : "", name);
    path_clean(path);
    return path;
}

/* Directory 0 is that of the compilation, in DWARF 5 by its name. */
static void read_file(struct debug_unit *unit, Dwarf_Line_Context lines, const char *directory,
                      Dwarf_Signed i) {
    const char *name;
    Dwarf_Unsigned index;
    if (dwarf_srclines_files_data_b(lines, i, &name, &index, NULL, NULL, NULL, NULL) == DW_DLV_OK && name)
        unit->files[i] =
            join(directory, index || !directory ? debug_line_directory(lines, index) : NULL, name);
}

static void read_files(struct debug_unit *unit, Dwarf_Line_Context lines) {
    Dwarf_Signed first, count, end;
    const char *directory = NULL;
    dwarf_srclines_comp_dir(lines, &directory, NULL);
    if (dwarf_srclines_files_indexes(lines, &first, &count, &end, NULL) != DW_DLV_OK || end <= 0)
        return;
    unit->files = memory_zeros((size_t)end, sizeof *unit->files);
    unit->file_count = (size_t)end;
    for (Dwarf_Signed i = first; i < end; i++)
        read_file(unit, lines, directory, i);
}

struct rows {
    struct debug_unit *unit;
    struct line_row last; /* is_end: none of the sequence yet */
    bool is_dropped;
};

static void cover(struct rows *rows, uint64_t end) {
    struct debug_unit *unit = rows->unit;
    size_t i, last;
    debug_unit_slice(unit, rows->last.address, end, &i, &last);
    for (; i < last; i++) {
        struct debug_hit *hit = &unit->hits[i];
        if (!hit->is_in_unit)
            continue;
        hit->file = rows->last.file;
        hit->line = rows->last.line;
        hit->column = rows->last.column;
        hit->has_row = true;
    }
}

/* Code that the linker dropped stands at address 0, and may be as long as to reach addresses that are real.
 */
static void take_row(void *context, const struct line_row *row) {
    struct rows *rows = context;
    if (rows->last.is_end)
        rows->is_dropped = row->address == 0;
    else if (!rows->is_dropped)
        cover(rows, row->address);
    rows->last = *row;
}

void debug_unit_lines(struct debug_unit *unit, Dwarf_Die die) {
    struct rows rows = {.unit = unit, .last = {.is_end = true}};
    Dwarf_Unsigned version;
    Dwarf_Small table_count;
    Dwarf_Line_Context context = NULL;
    if (dwarf_srclines_b(die, &version, &table_count, &context, NULL) != DW_DLV_OK)
        return;
    read_files(unit, context);
    dwarf_srclines_dealloc_b(context);
    debug_each_row(unit->handle, die, take_row, &rows);
}

void debug_unit_files_free(struct debug_unit *unit) {
    for (size_t i = 0; i < unit->file_count; i++)
        free(unit->files[i]);
    free(unit->files);
    unit->files = NULL;
    unit->file_count = 0;
}

/* ---- The code that an entry of debug information stands for. */

struct ranges {
    Dwarf_Debug debug;
    uint64_t base;
    debug_range *take;
    void *context;
};

/* Linkers leave what they dropped at address 0, where no module has code. */
static void give(const struct ranges *to, uint64_t low, uint64_t high) {
    if (low && low < high)
        to->take(to->context, low, high);
}

static bool give_one(const struct ranges *to, Dwarf_Die die) {
    Dwarf_Addr low, high;
    Dwarf_Half form;
    enum Dwarf_Form_Class class;
    if (dwarf_lowpc(die, &low, NULL) != DW_DLV_OK ||
        dwarf_highpc_b(die, &high, &form, &class, NULL) != DW_DLV_OK)
        return false;
    give(to, low, class == DW_FORM_CLASS_CONSTANT ? low + high : high);
    return true;
}

/* Of DWARF up to 4. */
static void give_ranges(struct ranges to, Dwarf_Die die, Dwarf_Off offset) {
    Dwarf_Ranges *list;
    Dwarf_Signed count;
    Dwarf_Unsigned size;
    Dwarf_Off real;
    if (dwarf_get_ranges_b(to.debug, offset, die, &real, &list, &count, &size, NULL) != DW_DLV_OK)
        return;
    for (Dwarf_Signed i = 0; i < count; i++)
        if (list[i].dwr_type == DW_RANGES_ADDRESS_SELECTION)
            to.base = list[i].dwr_addr2;
        else if (list[i].dwr_type == DW_RANGES_ENTRY && list[i].dwr_addr1 + to.base)
            give(&to, list[i].dwr_addr1 + to.base, list[i].dwr_addr2 + to.base);
    dwarf_ranges_dealloc(to.debug, list, count);
}

static void give_list(const struct ranges *to, Dwarf_Rnglists_Head head, Dwarf_Unsigned count) {
    for (Dwarf_Unsigned i = 0; i < count; i++) {
        unsigned length, code;
        Dwarf_Unsigned raw[2], low, high;
        Dwarf_Bool no_address = 0;
        if (dwarf_get_rnglists_entry_fields_a(head, i, &length, &code, &raw[0], &raw[1], &no_address, &low,
                                              &high, NULL) != DW_DLV_OK)
            return;
        bool is_range =
            code != DW_RLE_end_of_list && code != DW_RLE_base_address && code != DW_RLE_base_addressx;
        if (is_range && !no_address)
            give(to, low, high);
    }
}

/* Of DWARF 5. */
static void give_lists(const struct ranges *to, Dwarf_Attribute attribute, Dwarf_Half form) {
    Dwarf_Rnglists_Head head;
    Dwarf_Unsigned count, offset, where = 0;
    int status = form == DW_FORM_rnglistx ? dwarf_formudata(attribute, &where, NULL)
                                          : dwarf_global_formref(attribute, &where, NULL);
    if (status != DW_DLV_OK ||
        dwarf_rnglists_get_rle_head(attribute, form, where, &head, &count, &offset, NULL) != DW_DLV_OK)
        return;
    give_list(to, head, count);
    dwarf_dealloc_rnglists_head(head);
}

static void give_attribute(const struct ranges *to, Dwarf_Die die, Dwarf_Attribute attribute) {
    Dwarf_Half version = 0, offset_size, form = 0;
    Dwarf_Off offset;
    dwarf_get_version_of_die(die, &version, &offset_size);
    if (dwarf_whatform(attribute, &form, NULL) != DW_DLV_OK)
        return;
    if (version >= 5)
        give_lists(to, attribute, form);
    else if (dwarf_global_formref(attribute, &offset, NULL) == DW_DLV_OK)
        give_ranges(*to, die, offset);
}

void debug_each_range(Dwarf_Debug debug, Dwarf_Die die, uint64_t base, debug_range *take, void *context) {
    struct ranges to = {debug, base, take, context};
    Dwarf_Attribute attribute;
    if (give_one(&to, die) || dwarf_attr(die, DW_AT_ranges, &attribute, NULL) != DW_DLV_OK)
        return;
    give_attribute(&to, die, attribute);
    dwarf_dealloc(debug, attribute, DW_DLA_ATTR);
}
