/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Types as entries of debug information. */
#include "dump/types/layout.h"

#include <stdlib.h>
#include <string.h>

/* ---- A type without typedefs and qualifiers, and its size. */

bool bare_type_is_around(Dwarf_Half tag) {
    return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
           tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type;
}

/* True if the type is a typedef or qualifier, or a declaration with a known definition; *next is that type.
 */
static bool next_type(const struct type_source *source, const struct bare_type *type, Dwarf_Off *next) {
    Dwarf_Off offset;
    if (bare_type_is_around(type->tag))
        return debug_reference(source->debug, type->die, DW_AT_type, next);
    return type->is_declaration && dwarf_dieoffset(type->die, &offset, NULL) == DW_DLV_OK &&
           source->find(source->context, offset, next);
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

/* An array of zero or unknown length has the count 0. */
static void count_dimension(const struct type_source *source, Dwarf_Die die, uint64_t *count) {
    uint64_t length = 0;
    if (debug_tag(die) != DW_TAG_subrange_type)
        return;
    if (debug_has_attribute(die, DW_AT_count))
        length = debug_number(source->debug, die, DW_AT_count);
    else if (debug_has_attribute(die, DW_AT_upper_bound))
        length = debug_number(source->debug, die, DW_AT_upper_bound) + 1;
    if (length >> 48 || __builtin_mul_overflow(*count, length, count))
        *count = 0;
}

uint64_t bare_type_elements(const struct type_source *source, const struct bare_type *array) {
    uint64_t count = 1;
    Dwarf_Die die = debug_child_of(array->die);
    for (; die; die = debug_next_of(source->debug, die, true))
        count_dimension(source, die, &count);
    return count;
}

/* A pointer to a member function is two words. */
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

/* ---- Whether an entry is the type with a name that may lack default arguments. The entry's template
 * parameters, its children, are in the order of the arguments. */

/* Limit of nesting of templates in template arguments. */
enum { DEPTH_MAX = 16 };

struct match {
    Dwarf_Debug debug;
    struct type_text given, wanted, full; /* given: all wanted arguments; the others: the arguments not yet
                                           * compared */
    bool marks_defaults, is_standard; /* marks_defaults: the compiler marks defaults; is_standard: a template
                                       * of the standard library */
    int depth;
    enum debug_fit fit;
};

static bool is_text(struct type_text a, struct type_text b) {
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

static void lower_fit(struct match *match, enum debug_fit fit) {
    if (fit < match->fit)
        match->fit = fit;
}

/* The default of `class Allocator = std::allocator<T>` contains T. */
static bool depends_on_given(struct match *match, struct type_text argument) {
    struct type_text left = match->given, given;
    while (type_name_next(&left, &given))
        if (given.length && memmem(argument.text, argument.length, given.text, given.length))
            return true;
    return false;
}

static bool has_prefix(struct type_text name, const char *with) {
    return name.length >= strlen(with) && memcmp(name.text, with, strlen(with)) == 0;
}

/* The defaults of the standard library's templates are its own types outside of namespace pmr. */
static bool is_foreign(struct type_text argument) {
    bool is_simple =
        !memchr(argument.text, '<', argument.length) && !memchr(argument.text, ':', argument.length);
    return !is_simple && (!has_prefix(argument, "std::") || has_prefix(argument, "std::pmr::"));
}

/* Finds the template that the entry's type is or points to, through up to DEPTH_MAX steps. False: no
 * template, or unknown. */
static bool find_template(struct match *match, Dwarf_Die die, Dwarf_Off *offset) {
    Dwarf_Half tag = 0;
    bool is_more = debug_reference(match->debug, die, DW_AT_type, offset);
    for (int hops = 0; is_more && hops < DEPTH_MAX; hops++) {
        Dwarf_Off next;
        if (dwarf_offdie_b(match->debug, *offset, 1, &die, NULL) != DW_DLV_OK)
            return false;
        tag = debug_tag(die);
        is_more = tag && tag != DW_TAG_typedef && debug_reference(match->debug, die, DW_AT_type, &next);
        *offset = is_more ? next : *offset;
        dwarf_dealloc(match->debug, die, DW_DLA_DIE);
    }
    return debug_is_record(tag);
}

/* The name without trailing *, & and qualifiers. */
static struct type_text template_of(struct type_text name) {
    while (name.length && name.text[name.length - 1] != '>')
        name.length--;
    return name;
}

static enum debug_fit fit_template(Dwarf_Debug, Dwarf_Off, struct type_text wanted, struct type_text full,
                                   bool marks_defaults, int depth);

static void see_given(struct match *match, Dwarf_Die die, struct type_text wanted, struct type_text full) {
    Dwarf_Off offset;
    if (is_text(wanted, full))
        return;
    if (find_template(match, die, &offset))
        lower_fit(match, fit_template(match->debug, offset, template_of(wanted), template_of(full),
                                      match->marks_defaults, match->depth + 1));
    else
        lower_fit(match, FIT_GUESSED);
}

static void see_parameter(struct match *match, Dwarf_Die die, Dwarf_Half tag) {
    struct type_text wanted, full;
    if (!type_name_next(&match->full, &full)) {
        lower_fit(match, FIT_GUESSED);
    } else if (type_name_next(&match->wanted, &wanted)) {
        see_given(match, die, wanted, full);
    } else if (!debug_has_attribute(die, DW_AT_default_value)) {
        bool is_other = tag == DW_TAG_template_type_parameter &&
                        ((match->marks_defaults && !depends_on_given(match, full)) ||
                         (match->is_standard && is_foreign(full)));
        lower_fit(match, is_other ? FIT_NONE : FIT_GUESSED);
    }
}

static void see_parameters(struct match *match, Dwarf_Die parent, int depth) {
    Dwarf_Die die = depth > DEPTH_MAX ? NULL : debug_child_of(parent);
    for (; die; die = debug_next_of(match->debug, die, true)) {
        Dwarf_Half tag = debug_tag(die);
        if (tag == DW_TAG_GNU_template_parameter_pack)
            see_parameters(match, die, depth + 1);
        else if (tag == DW_TAG_template_type_parameter || tag == DW_TAG_template_value_parameter ||
                 tag == DW_TAG_GNU_template_template_param)
            see_parameter(match, die, tag);
    }
}

static struct type_text name_until(struct type_text name, struct type_text arguments) {
    return (struct type_text){name.text, (size_t)(arguments.text - name.text)};
}

static enum debug_fit fit_template(Dwarf_Debug debug, Dwarf_Off offset, struct type_text wanted,
                                   struct type_text full, bool marks_defaults, int depth) {
    struct match match = {.debug = debug, .marks_defaults = marks_defaults, .depth = depth, .fit = FIT_SURE};
    Dwarf_Die die;
    if (depth > DEPTH_MAX || !type_name_arguments(wanted, &match.wanted) ||
        !type_name_arguments(full, &match.full) || dwarf_offdie_b(debug, offset, 1, &die, NULL) != DW_DLV_OK)
        return FIT_GUESSED;
    match.given = match.wanted;
    match.is_standard = has_prefix(wanted, "std::");
    if (!is_text(name_until(wanted, match.wanted), name_until(full, match.full)))
        match.fit = FIT_GUESSED;
    see_parameters(&match, die, 0);
    dwarf_dealloc(debug, die, DW_DLA_DIE);
    if (match.full.length)
        lower_fit(&match, FIT_GUESSED);
    return match.fit;
}

static struct type_text text_of(const char *text) {
    return (struct type_text){text, strlen(text)};
}

enum debug_fit debug_fit(Dwarf_Debug debug, Dwarf_Off offset, const char *wanted, const char *full,
                         bool marks_defaults) {
    if (strcmp(wanted, full) == 0)
        return FIT_SURE;
    return fit_template(debug, offset, text_of(wanted), text_of(full), marks_defaults, 0);
}

bool debug_marks_defaults(Dwarf_Die unit) {
    static const char clang[] = "clang version ";
    const char *producer = debug_text(unit, DW_AT_producer);
    const char *version = producer ? strstr(producer, clang) : NULL;
    return version && atoi(version + strlen(clang)) >= 15;
}
