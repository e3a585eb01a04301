/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The rows of line tables that cover addresses. */
#include "dwarf_unit.h"

#include "../lib/path.h"

#include <stdio.h>
#include <stdlib.h>

static char *join(const char *compilation_directory, const char *directory, const char *name) {
    const char *outer = compilation_directory && *compilation_directory ? compilation_directory : NULL;
    const char *inner = directory && *directory ? directory : NULL;
    char *path;
    if (name[0] == '/' || (inner && inner[0] == '/'))
        outer = NULL;
    if (name[0] == '/')
        inner = NULL;
    if (asprintf(&path, "%s%s%s%s%s", outer ? outer : "", outer ? "/" : "", inner ? inner : "",
                 inner ? "/" : "", name) < 0)
        return NULL;
    path_clean(path);
    return path;
}

/* Directory 0 is that of the compilation, in DWARF 5 by its name. */
static void read_file(struct dwarf_unit *unit, Dwarf_Line_Context lines, const char *directory,
                      Dwarf_Signed i) {
    const char *name;
    Dwarf_Unsigned index;
    if (dwarf_srclines_files_data_b(lines, i, &name, &index, NULL, NULL, NULL, NULL) == DW_DLV_OK && name)
        unit->files[i] = join(directory, index || !directory ? dwarf_directory(lines, index) : NULL, name);
}

static void read_files(struct dwarf_unit *unit, Dwarf_Line_Context lines) {
    Dwarf_Signed first, count, end;
    const char *directory = NULL;
    dwarf_srclines_comp_dir(lines, &directory, NULL);
    if (dwarf_srclines_files_indexes(lines, &first, &count, &end, NULL) != DW_DLV_OK || end <= 0)
        return;
    unit->files = calloc((size_t)end, sizeof *unit->files);
    unit->file_count = unit->files ? (size_t)end : 0;
    unit->is_broken |= !unit->files;
    for (Dwarf_Signed i = first; i < end && unit->files; i++)
        read_file(unit, lines, directory, i);
}

struct rows {
    struct dwarf_unit *unit;
    struct line_row last; /* is_end: none of the sequence yet */
    bool is_dropped;
};

static void cover(struct rows *rows, uint64_t end) {
    struct dwarf_unit *unit = rows->unit;
    size_t i, last;
    dwarf_unit_slice(unit, rows->last.address, end, &i, &last);
    for (; i < last; i++) {
        struct dwarf_hit *hit = &unit->hits[i];
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

void dwarf_unit_lines(struct dwarf_unit *unit, Dwarf_Die die) {
    struct rows rows = {.unit = unit, .last = {.is_end = true}};
    Dwarf_Unsigned version;
    Dwarf_Small table_count;
    Dwarf_Line_Context context = NULL;
    if (dwarf_srclines_b(die, &version, &table_count, &context, NULL) != DW_DLV_OK)
        return;
    read_files(unit, context);
    dwarf_srclines_dealloc_b(context);
    dwarf_each_row(unit->handle, die, take_row, &rows);
}

void dwarf_unit_files_free(struct dwarf_unit *unit) {
    for (size_t i = 0; i < unit->file_count; i++)
        free(unit->files[i]);
    free(unit->files);
    unit->files = NULL;
    unit->file_count = 0;
}
