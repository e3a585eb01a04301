/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions and inlined calls that addresses lie in. */
#include "dwarf_unit.h"
#include "grow.h"

struct scoping {
    struct dwarf_unit *unit;
    size_t scope;     /* plus one */
    bool has_address; /* some address lies in it */
};

static void take_range(void *context, uint64_t low, uint64_t high) {
    struct scoping *scoping = context;
    size_t i, end;
    dwarf_unit_slice(scoping->unit, low, high, &i, &end);
    scoping->has_address |= i < end;
    for (; i < end; i++)
        scoping->unit->hits[i].scope = scoping->scope;
}

static Dwarf_Off function_of(const struct dwarf_unit *unit, Dwarf_Die die) {
    Dwarf_Off offset = 0;
    if (!dwarf_next_origin(unit->debug, die, &offset))
        dwarf_dieoffset(die, &offset, NULL);
    return offset;
}

/* Inner scopes come after the ones around them, so that theirs is what stays with the address. */
static size_t add_scope(struct dwarf_unit *unit, Dwarf_Die die, size_t parent) {
    struct scoping scoping = {.unit = unit, .scope = unit->scope_count + 1};
    if (!grow(&unit->scopes, unit->scope_count, &unit->scope_room, sizeof *unit->scopes)) {
        unit->is_broken = true;
        return 0;
    }
    dwarf_each_range(unit->debug, die, unit->base, take_range, &scoping);
    if (!scoping.has_address)
        return 0;
    unit->scopes[unit->scope_count++] = (struct dwarf_scope){
        .parent = parent,
        .function = function_of(unit, die),
        .call_file = dwarf_number(unit->debug, die, DW_AT_call_file),
        .call_line = dwarf_number(unit->debug, die, DW_AT_call_line),
        .call_column = dwarf_number(unit->debug, die, DW_AT_call_column),
    };
    return scoping.scope;
}

static void walk_children(struct dwarf_unit *unit, Dwarf_Die parent, size_t scope, int depth);

static void walk_entry(struct dwarf_unit *unit, Dwarf_Die die, size_t scope, int depth) {
    Dwarf_Half tag = 0;
    if (dwarf_tag(die, &tag, NULL) != DW_DLV_OK)
        return;
    if (dwarf_is_transparent(tag)) {
        walk_children(unit, die, scope, depth + 1);
        return;
    }
    bool is_function = tag == DW_TAG_subprogram;
    if ((!is_function && tag != DW_TAG_inlined_subroutine) || !dwarf_has_code(die))
        return;
    scope = add_scope(unit, die, is_function ? 0 : scope);
    if (scope)
        walk_children(unit, die, scope, depth + 1);
}

static bool take_entry(struct dwarf_unit *unit) {
    return unit->entries_left && unit->entries_left--;
}

static void walk_children(struct dwarf_unit *unit, Dwarf_Die parent, size_t scope, int depth) {
    Dwarf_Die die, next;
    if (depth > DWARF_DEPTH_MAX || dwarf_child(parent, &die, NULL) != DW_DLV_OK)
        return;
    for (bool is_last = false; !is_last; die = next) {
        walk_entry(unit, die, scope, depth);
        is_last = unit->is_broken || !take_entry(unit) ||
                  dwarf_siblingof_b(unit->debug, die, 1, &next, NULL) != DW_DLV_OK;
        dwarf_dealloc(unit->debug, die, DW_DLA_DIE);
    }
}

void dwarf_unit_scopes(struct dwarf_unit *unit, Dwarf_Die die) {
    unit->scope_count = 0;
    walk_children(unit, die, 0, 0);
}
