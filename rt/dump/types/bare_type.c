/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A type of debug information without names around it, and its size. */
#include "dump/types/bare_type.h"

bool bare_type_is_around(Dwarf_Half tag) {
    return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
           tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type;
}

/* Whether there is another type to go on to. */
static bool next_type(const struct type_source *source, const struct bare_type *type, Dwarf_Off *offset) {
    Dwarf_Off own;
    if (bare_type_is_around(type->tag))
        return debug_reference(source->debug, type->die, DW_AT_type, offset);
    return type->is_declaration && dwarf_dieoffset(type->die, &own, NULL) == DW_DLV_OK &&
           source->find(source->context, own, offset);
}

bool bare_type_open(const struct type_source *source, struct bare_type *type, Dwarf_Off offset) {
    for (int hops = 0; hops < TYPE_DEPTH_MOST; hops++) {
        if (dwarf_offdie_b(source->debug, offset, 1, &type->die, NULL) != DW_DLV_OK)
            return false;
        type->tag = debug_tag(type->die);
        type->is_declaration = debug_has_attribute(type->die, DW_AT_declaration);
        if (!next_type(source, type, &offset))
            return true;
        dwarf_dealloc(source->debug, type->die, DW_DLA_DIE);
    }
    return false;
}

void bare_type_close(const struct type_source *source, struct bare_type *type) {
    dwarf_dealloc(source->debug, type->die, DW_DLA_DIE);
}

/* An array of no elements, or of any number, counts none. */
static void count_dimension(const struct type_source *source, Dwarf_Die die, uint64_t *count) {
    uint64_t of_it = 0;
    if (debug_tag(die) != DW_TAG_subrange_type)
        return;
    if (debug_has_attribute(die, DW_AT_count))
        of_it = debug_number(source->debug, die, DW_AT_count);
    else if (debug_has_attribute(die, DW_AT_upper_bound))
        of_it = debug_number(source->debug, die, DW_AT_upper_bound) + 1;
    if (of_it >> 48 || __builtin_mul_overflow(*count, of_it, count))
        *count = 0;
}

uint64_t bare_type_elements(const struct type_source *source, const struct bare_type *array) {
    uint64_t count = 1;
    Dwarf_Die die = debug_child_of(array->die);
    for (; die; die = debug_next_of(source->debug, die, true))
        count_dimension(source, die, &count);
    return count;
}

/* Pointers to member functions are two words. */
static bool is_function(const struct type_source *source, Dwarf_Off offset) {
    struct bare_type type;
    if (!bare_type_open(source, &type, offset))
        return false;
    bool is_one = type.tag == DW_TAG_subroutine_type;
    bare_type_close(source, &type);
    return is_one;
}

uint64_t bare_type_size(const struct type_source *source, const struct bare_type *type, int depth) {
    Dwarf_Off of;
    uint64_t size = debug_number(source->debug, type->die, DW_AT_byte_size);
    bool has_of = debug_reference(source->debug, type->die, DW_AT_type, &of);
    if (size)
        return size;
    switch (type->tag) {
    case DW_TAG_array_type:
        size = has_of ? bare_type_size_at(source, of, depth + 1) : 0;
        return __builtin_mul_overflow(size, bare_type_elements(source, type), &size) ? 0 : size;
    case DW_TAG_ptr_to_member_type:
        return has_of && is_function(source, of) ? 2 * TYPE_POINTER_SIZE : TYPE_POINTER_SIZE;
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
    case DW_TAG_unspecified_type:
        return TYPE_POINTER_SIZE;
    default:
        return 0;
    }
}

uint64_t bare_type_size_at(const struct type_source *source, Dwarf_Off offset, int depth) {
    struct bare_type type;
    if (depth > TYPE_DEPTH_MOST || !bare_type_open(source, &type, offset))
        return 0;
    uint64_t size = bare_type_size(source, &type, depth);
    bare_type_close(source, &type);
    return size;
}
