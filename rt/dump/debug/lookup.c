/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Looks up addresses in units of debug information. */
#include "base/arrays.h"
#include "base/path.h"
#include "dump/base/hash_index.h"
#include "dump/base/memory.h"
#include "dump/base/names.h"
#include "dump/debug/child.h"
#include "dump/debug/handle.h"
#include "dump/debug/split.h"

#include <stdlib.h>

/* Limit of nested scopes. Deeper nesting is damage. */
enum { DWARF_DEPTH_MAX = 1000 };

/* A function or an inlined call. */
struct debug_scope {
    size_t parent; /* scope around an inlined call, plus one; 0: none */
    Dwarf_Off function;
    uint64_t start; /* line where the function begins; 0: unknown */
    uint64_t call_file, call_line, call_column;
};

/* Source location of an address. */
struct debug_hit {
    size_t scope; /* the innermost scope, plus one; 0: none */
    uint64_t file, line, column;
    bool has_row;
    bool is_in_unit; /* found in the current unit */
    bool is_found;   /* found in an earlier unit */
};

struct debug_unit {
    struct debug_handle *handle;
    Dwarf_Debug debug;
    const uint64_t *addresses;
    struct debug_hit *hits; /* of each address */
    size_t count;

    uint64_t base; /* address to which its ranges are relative */
    size_t *in;    /* indices of addresses in its ranges */
    size_t in_count;
    struct debug_scope *scopes; /* scopes that contain addresses */
    size_t scope_count, scope_capacity;
    char **files; /* names of its line table, by number */
    size_t file_count;
    uint64_t entries_left; /* remaining entries; exceeding the limit means a cycle */
};

/* Sets *from and *end to the addresses from low to high - 1. */
static void debug_unit_slice(const struct debug_unit *unit, uint64_t low, uint64_t high, size_t *from,
                             size_t *end) {
    *from = *end = sorted_below(unit->addresses, unit->count, sizeof *unit->addresses, 0, low);
    while (*end < unit->count && unit->addresses[*end] < high)
        ++*end;
}

static char *join_path(const char *compilation_directory, const char *directory, const char *name) {
    const char *outer = compilation_directory ?: "", *inner = directory ?: "";
    if (name[0] == '/' || inner[0] == '/')
        outer = "";
    if (name[0] == '/')
        inner = "";
    char *path = memory_text("%s%s%s%s%s", outer, *outer ? "/" : "", inner, *inner ? "/" : "", name);
    path_clean(path);
    return path;
}

/* Directory 0 is the compilation directory, which DWARF 5 names. */
static void read_file(struct debug_unit *unit, Dwarf_Line_Context lines, const char *directory,
                      Dwarf_Signed i) {
    const char *name;
    Dwarf_Unsigned index;
    if (dwarf_srclines_files_data_b(lines, i, &name, &index, NULL, NULL, NULL, NULL) == DW_DLV_OK && name)
        unit->files[i] =
            join_path(directory, index || !directory ? debug_line_directory(lines, index) : NULL, name);
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
    struct line_row last; /* is_end: no row of the sequence yet */
    bool is_dropped;
};

static void cover_addresses(struct rows *rows, uint64_t end) {
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

/* Skips sequences that start at address 0: the linker dropped that code, and it may be long enough to overlap
 * real addresses. */
static void take_row(void *context, const struct line_row *row) {
    struct rows *rows = context;
    if (rows->last.is_end)
        rows->is_dropped = row->address == 0;
    else if (!rows->is_dropped)
        cover_addresses(rows, row->address);
    rows->last = *row;
}

/* Finds the rows of addresses and the names of files. debug_unit_files_free frees the names. */
static void debug_unit_lines(struct debug_unit *unit, Dwarf_Die die) {
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

static void debug_unit_files_free(struct debug_unit *unit) {
    for (size_t i = 0; i < unit->file_count; i++)
        free(unit->files[i]);
    free(unit->files);
    unit->files = NULL;
    unit->file_count = 0;
}

/* ---- Functions and lines of addresses. */

struct lookup {
    struct debug_handle handle;
    struct debug_unit unit;
    struct number_map functions; /* offset of a function's entry -> its name */
    struct string_pool names;
    struct split split;
    bool lacks_split_unit; /* a .dwo file is missing */
    debug_found *found;
    void *context;
};

/* If units claim the same addresses, the first one that knows them wins. */
static void claim_range(void *context, uint64_t low, uint64_t high) {
    struct debug_unit *unit = context;
    size_t i, end;
    debug_unit_slice(unit, low, high, &i, &end);
    for (; i < end; i++) {
        struct debug_hit *hit = &unit->hits[i];
        if (hit->is_in_unit || hit->is_found)
            continue;
        *hit = (struct debug_hit){.is_in_unit = true};
        unit->in[unit->in_count++] = i;
    }
}

/* Thousands of inlined calls share one function, so each is read once. */
static const char *name_of(struct lookup *lookup, Dwarf_Off offset) {
    const uint64_t *known = number_map_find(&lookup->functions, offset);
    if (known)
        return (const char *)(uintptr_t)*known;
    struct debug_names names = debug_function_names(lookup->unit.debug, offset);
    char *demangled = name_demangle(names.linkage);
    const char *name = string_keep(&lookup->names, demangled ?: names.plain ?: names.linkage);
    number_map_add(&lookup->functions, offset, (uintptr_t)name);
    free(demangled);
    return name;
}

static uint32_t u32_or_zero(uint64_t number) {
    return number <= UINT32_MAX ? (uint32_t)number : 0;
}

static struct place place_at(const struct debug_unit *unit, uint64_t file, uint64_t line, uint64_t column) {
    return (struct place){
        .file = file < unit->file_count ? unit->files[file] : NULL,
        .line = u32_or_zero(line),
        .column = u32_or_zero(column),
    };
}

static void report_address(struct lookup *lookup, size_t index) {
    struct debug_place places[DWARF_DEPTH_MAX];
    const struct debug_unit *unit = &lookup->unit;
    const struct debug_hit *hit = &unit->hits[index];
    size_t count = 0, scope = hit->scope;
    places[0] = (struct debug_place){.start = 0};
    if (hit->has_row)
        places[0].at = place_at(unit, hit->file, hit->line, hit->column);
    for (; scope && count < DWARF_DEPTH_MAX - 1; scope = unit->scopes[scope - 1].parent) {
        const struct debug_scope *at = &unit->scopes[scope - 1];
        places[count].start = u32_or_zero(at->start);
        places[count++].at.function = name_of(lookup, at->function);
        places[count] =
            (struct debug_place){.at = place_at(unit, at->call_file, at->call_line, at->call_column)};
    }
    lookup->found(lookup->context, index, places, count ?: 1);
}

static void report_all(struct lookup *lookup) {
    struct debug_unit *unit = &lookup->unit;
    for (size_t i = 0; i < unit->in_count; i++) {
        struct debug_hit *hit = &unit->hits[unit->in[i]];
        hit->is_in_unit = false;
        hit->is_found = hit->scope || hit->has_row;
        if (hit->is_found)
            report_address(lookup, unit->in[i]);
    }
}

static void walk_children(struct debug_unit *, Dwarf_Die parent, size_t scope, int depth);

/* Clears the cache of functions: its offsets belong to one file. */
static void read_from(struct lookup *lookup, Dwarf_Debug debug) {
    if (lookup->unit.debug == debug)
        return;
    lookup->unit.debug = debug;
    number_map_free(&lookup->functions);
    lookup->functions = (struct number_map){.count = 0};
}

/* The functions of a split unit are in another file, its lines in this one. */
static void read_functions(struct lookup *lookup, Dwarf_Die die, const struct debug_unit_head *head) {
    Dwarf_Debug debug = lookup->handle.debug;
    if (debug_is_split(die)) {
        Dwarf_Die whole = split_unit(&lookup->split, die, head->split_id, &debug);
        lookup->lacks_split_unit |= !whole;
        die = whole ? whole : die;
        debug = whole ? debug : lookup->handle.debug;
    }
    read_from(lookup, debug);
    walk_children(&lookup->unit, die, 0, 0);
}

static void read_unit(void *context, Dwarf_Die die, const struct debug_unit_head *head) {
    struct lookup *lookup = context;
    struct debug_unit *unit = &lookup->unit;
    Dwarf_Addr base = 0;
    if (head->is_of_types)
        return;
    unit->in_count = 0;
    unit->base = dwarf_lowpc(die, &base, NULL) == DW_DLV_OK ? base : 0;
    debug_each_range(lookup->handle.debug, die, unit->base, claim_range, unit);
    if (!unit->in_count)
        return;
    unit->scope_count = 0;
    read_functions(lookup, die, head);
    debug_unit_lines(unit, die);
    report_all(lookup);
    debug_unit_files_free(unit);
}

static uint64_t all_bytes(const struct debug_sections *sections) {
    uint64_t sum = 0;
    for (size_t i = 0; i < sections->elf->count; i++)
        sum += sections->sizes[i];
    return sum;
}

static void look_up(struct lookup *lookup) {
    struct debug_unit *unit = &lookup->unit;
    unit->handle = &lookup->handle;
    unit->debug = lookup->handle.debug;
    unit->entries_left = all_bytes(&lookup->handle.sections);
    unit->hits = memory_zeros(unit->count, sizeof *unit->hits);
    unit->in = memory_zeros(unit->count, sizeof *unit->in);
    debug_each_unit(unit->debug, read_unit, lookup);
    free(unit->hits);
    free(unit->in);
    free(unit->scopes);
    number_map_free(&lookup->functions);
    string_pool_free(&lookup->names);
}

bool debug_lookup(const struct debug_files *files, const uint64_t *addresses, size_t count,
                  debug_found *found, void *context, struct reason *why) {
    struct lookup lookup = {
        .unit = {.addresses = addresses, .count = count}, .found = found, .context = context};
    if (!debug_open(&lookup.handle, files->elf, why))
        return false;
    split_open(&lookup.split, files->elf, files->module, files->sysroot);
    look_up(&lookup);
    split_close(&lookup.split);
    if (!debug_close(&lookup.handle, why))
        return false;
    return !lookup.lacks_split_unit ||
           reason_set(why, "its debug information is split, and a .dwo file is missing");
}

/* ---- The functions and inlined calls that contain addresses. */

struct scoping {
    struct debug_unit *unit;
    size_t scope;     /* plus one */
    bool has_address; /* an address is in the scope */
};

static void take_range(void *context, uint64_t low, uint64_t high) {
    struct scoping *scoping = context;
    size_t i, end;
    debug_unit_slice(scoping->unit, low, high, &i, &end);
    scoping->has_address |= i < end;
    for (; i < end; i++)
        scoping->unit->hits[i].scope = scoping->scope;
}

static Dwarf_Off function_of(const struct debug_unit *unit, Dwarf_Die die) {
    Dwarf_Off offset = 0;
    if (!debug_next_origin(unit->debug, die, &offset))
        dwarf_dieoffset(die, &offset, NULL);
    return offset;
}

/* The line of a definition outside of its class; for inlined calls, of the abstract function. */
static uint64_t start_of(const struct debug_unit *unit, Dwarf_Die die, Dwarf_Off function) {
    Dwarf_Die origin;
    uint64_t start = debug_number(unit->debug, die, DW_AT_decl_line);
    if (start || dwarf_offdie_b(unit->debug, function, 1, &origin, NULL) != DW_DLV_OK)
        return start;
    start = debug_number(unit->debug, origin, DW_AT_decl_line);
    dwarf_dealloc(unit->debug, origin, DW_DLA_DIE);
    return start;
}

/* Inner scopes are added after outer ones and replace them, so each address ends up with its innermost
 * scope. */
static size_t add_scope(struct debug_unit *unit, Dwarf_Die die, size_t parent) {
    struct scoping scoping = {.unit = unit, .scope = unit->scope_count + 1};
    debug_each_range(unit->debug, die, unit->base, take_range, &scoping);
    if (!scoping.has_address)
        return 0;
    memory_grow(&unit->scopes, unit->scope_count, &unit->scope_capacity, sizeof *unit->scopes);
    Dwarf_Off function = function_of(unit, die);
    unit->scopes[unit->scope_count++] = (struct debug_scope){
        .parent = parent,
        .function = function,
        .start = start_of(unit, die, function),
        .call_file = debug_number(unit->debug, die, DW_AT_call_file),
        .call_line = debug_number(unit->debug, die, DW_AT_call_line),
        .call_column = debug_number(unit->debug, die, DW_AT_call_column),
    };
    return scoping.scope;
}

static void walk_entry(struct debug_unit *unit, Dwarf_Die die, size_t scope, int depth) {
    Dwarf_Half tag = debug_tag(die);
    if (debug_is_transparent(tag)) {
        walk_children(unit, die, scope, depth + 1);
        return;
    }
    bool is_function = tag == DW_TAG_subprogram;
    if ((!is_function && tag != DW_TAG_inlined_subroutine) || !debug_has_code(die))
        return;
    scope = add_scope(unit, die, is_function ? 0 : scope);
    if (scope)
        walk_children(unit, die, scope, depth + 1);
}

static bool take_entry(struct debug_unit *unit) {
    return unit->entries_left && unit->entries_left--;
}

static void walk_children(struct debug_unit *unit, Dwarf_Die parent, size_t scope, int depth) {
    Dwarf_Die die = depth > DWARF_DEPTH_MAX ? NULL : debug_child_of(parent);
    for (; die; die = debug_next_of(unit->debug, die, take_entry(unit)))
        walk_entry(unit, die, scope, depth);
}
