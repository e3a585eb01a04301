/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Computes the layout of one type of debug information: which bytes its members cover. */
#include "dump/types/layout.h"

#include "dump/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Limits of the work for one type. The padding of a larger type is counted only in its beginning. */
enum { STEPS_MAX = 1 << 20, EXTENTS_MAX = 1 << 18 };

/* Bytes of a text whose words are recorded. */
enum { TEXT_MAX = 256 };

/* Limit of unions and structs around a buffer that stores an object. */
enum { ROOM_DEPTH_MAX = 4 };

struct layouter {
    struct type_source source;
    struct type_layout *layout;
    struct type_fields *fields; /* NULL: not requested */
    struct type_extent *extents;
    size_t count, capacity;
    const char *outer; /* the type's direct member that is being placed */
    unsigned steps;
};

static void add_extent(struct layouter *layouter, uint64_t start, uint64_t end, const char *inner) {
    if (layouter->count >= EXTENTS_MAX) {
        layouter->layout->is_partial = true;
        return;
    }
    memory_grow(&layouter->extents, layouter->count, &layouter->capacity, sizeof *layouter->extents);
    layouter->extents[layouter->count++] = (struct type_extent){start, end, layouter->outer, inner};
}

/* A position at which a type is placed. */
struct spot {
    uint64_t at;
    const char *name; /* of the member */
    int depth;        /* 0: the type itself */
    const struct spot *around;
    const char *member; /* name in the source; NULL: a base class or unnamed member */
    bool is_element, is_in_union;
    uint64_t every; /* as in struct type_field */
};

static void place_any(struct layouter *, Dwarf_Off type, struct spot);

/* A member of unknown size is assumed to cover all bytes up to the next one. */
static void place_unknown(struct layouter *layouter, struct spot spot) {
    layouter->layout->is_partial = true;
    add_extent(layouter, spot.at, TYPE_EXTENT_OPEN, spot.name);
}

/* True if the extents from `first` on cover all of the bytes. */
static bool is_solid(const struct layouter *layouter, size_t first, uint64_t start, uint64_t end) {
    for (; first < layouter->count && layouter->extents[first].start <= start; first++)
        if (layouter->extents[first].end > start)
            start = layouter->extents[first].end;
    return start >= end;
}

/* False: the text is full. */
static bool put_text(struct type_fields *fields, const char *text) {
    size_t length = strlen(text);
    if (length >= sizeof fields->text - fields->text_size)
        return false;
    memcpy(fields->text + fields->text_size, text, length + 1);
    fields->text_size += (uint32_t)length;
    return true;
}

static bool put_path(struct type_fields *fields, uint32_t begin, const struct spot *spot) {
    if (spot->around && !put_path(fields, begin, spot->around))
        return false;
    const char *dot = fields->text_size > begin ? "." : "";
    return (!spot->member || (put_text(fields, dot) && put_text(fields, spot->member))) &&
           (!spot->is_element || put_text(fields, "[]"));
}

/* Fields beyond the capacity remain unnamed, but pointers there are still found. */
static void add_field(struct layouter *layouter, const struct spot *spot, bool is_text) {
    struct type_fields *fields = layouter->fields;
    if (!fields || fields->count == sizeof fields->list / sizeof *fields->list)
        return;
    uint32_t name = fields->text_size;
    if (put_text(fields, "") && (is_text || put_path(fields, name, spot))) {
        fields->list[fields->count++] =
            (struct type_field){spot->at, spot->every, name, spot->is_in_union, is_text};
        fields->text_size++;
    } else {
        fields->text_size = name;
    }
}

/* A word that contains a smaller number is not a pointer. At most half of the capacity is used for such
 * words, because pointers matter more. */
static void add_small(struct layouter *layouter, struct spot spot) {
    const struct type_fields *fields = layouter->fields;
    spot.at &= -(uint64_t)TYPE_POINTER_SIZE;
    if (fields && fields->count < sizeof fields->list / sizeof *fields->list / 2)
        add_field(layouter, &spot, true);
}

/* Arrays of char and wider characters. Arrays of unsigned char and std::byte may hold anything. */
static bool is_text(struct layouter *layouter, Dwarf_Off element) {
    struct bare_type type;
    if (!bare_type_open(&layouter->source, &type, element))
        return false;
    uint64_t encoding = debug_number(layouter->source.debug, type.die, DW_AT_encoding);
    const char *name = debug_text(type.die, DW_AT_name);
    bool is_one = type.tag == DW_TAG_base_type && (encoding == DW_ATE_signed_char || encoding == DW_ATE_UTF ||
                                                   (name && strcmp(name, "wchar_t") == 0));
    bare_type_close(&layouter->source, &type);
    return is_one;
}

/* Adds the text's aligned words. */
static void add_text(struct layouter *layouter, struct spot spot, uint64_t size) {
    uint64_t end = spot.at + (size < TEXT_MAX ? size : TEXT_MAX);
    spot.at = (spot.at + TYPE_POINTER_SIZE - 1) & -(uint64_t)TYPE_POINTER_SIZE;
    for (; spot.at + TYPE_POINTER_SIZE <= end; spot.at += TYPE_POINTER_SIZE)
        add_small(layouter, spot);
}

/* The fields of the first element repeat in the others. */
static void repeat_fields(struct layouter *layouter, uint32_t first, uint64_t size, uint64_t times) {
    struct type_fields *fields = layouter->fields;
    const uint32_t capacity = sizeof fields->list / sizeof *fields->list;
    uint32_t count = fields ? fields->count - first : 0;
    for (uint64_t i = 1; count && i < times && fields->count + count <= capacity; i++)
        for (uint32_t field = first; field < first + count; field++) {
            fields->list[fields->count] = fields->list[field];
            fields->list[fields->count++].offset += i * size;
        }
}

/* A flexible array covers no bytes of the type itself. */
static void place_flexible(struct layouter *layouter, Dwarf_Off element, uint64_t size,
                           const struct spot *spot) {
    size_t extents = layouter->count;
    bool is_partial = layouter->layout->is_partial;
    if (!layouter->fields || !size)
        return;
    place_any(layouter, element,
              (struct spot){spot->at, spot->name, spot->depth + 1, spot, .is_element = true, .every = size});
    layouter->count = extents;
    layouter->layout->is_partial = is_partial;
}

/* Elements without padding become one extent. */
static void place_array(struct layouter *layouter, const struct bare_type *array, struct spot spot) {
    Dwarf_Off element;
    uint64_t count = bare_type_elements(&layouter->source, array), size;
    if (!debug_reference(layouter->source.debug, array->die, DW_AT_type, &element)) {
        place_unknown(layouter, spot);
        return;
    }
    layouter->layout->is_flexible |= !count;
    size = bare_type_size_at(&layouter->source, element, spot.depth);
    if (count && !size)
        place_unknown(layouter, spot);
    if (!count)
        place_flexible(layouter, element, size, &spot);
    if (count && layouter->fields && size < TYPE_POINTER_SIZE && is_text(layouter, element))
        add_text(layouter, spot, count * size);
    for (uint64_t i = 0; i < count && size; i++) {
        size_t first = layouter->count;
        uint32_t field = layouter->fields ? layouter->fields->count : 0;
        uint64_t at = spot.at + i * size;
        place_any(
            layouter, element,
            (struct spot){at, spot.name, spot.depth + 1, &spot, NULL, true, spot.is_in_union, spot.every});
        if (is_solid(layouter, first, at, at + size)) {
            layouter->count = first;
            add_extent(layouter, at, spot.at + count * size, spot.name);
            repeat_fields(layouter, field, size, count - i);
            return;
        }
        if (layouter->count == first || layouter->count >= EXTENTS_MAX)
            return;
    }
}

/* DWARF before version 4 counts bits from the other end of the word. */
static uint64_t first_bit(struct layouter *layouter, Dwarf_Die member, uint64_t at, uint64_t bits) {
    Dwarf_Off type;
    if (debug_has_attribute(member, DW_AT_data_bit_offset))
        return debug_number(layouter->source.debug, member, DW_AT_data_bit_offset);
    if (!debug_has_attribute(member, DW_AT_bit_offset))
        return at * 8;
    uint64_t word = debug_number(layouter->source.debug, member, DW_AT_byte_size);
    if (!word && debug_reference(layouter->source.debug, member, DW_AT_type, &type))
        word = bare_type_size_at(&layouter->source, type, 0);
    return (at + word) * 8 - debug_number(layouter->source.debug, member, DW_AT_bit_offset) - bits;
}

static void place_bits(struct layouter *layouter, Dwarf_Die member, uint64_t at, struct spot spot) {
    uint64_t bits = debug_number(layouter->source.debug, member, DW_AT_bit_size);
    uint64_t first = first_bit(layouter, member, at, bits);
    spot.at += first / 8;
    add_small(layouter, spot);
    spot.at -= first / 8;
    add_extent(layouter, spot.at + first / 8, spot.at + (first + bits + 7) / 8, spot.name);
}

/* False: the offset is an expression that has no value before run time. */
static bool member_offset(struct layouter *layouter, Dwarf_Die member, uint64_t *at) {
    *at = 0;
    return !debug_has_attribute(member, DW_AT_data_member_location) ||
           debug_constant(layouter->source.debug, member, DW_AT_data_member_location, at);
}

static bool is_static(Dwarf_Die member) {
    return debug_has_attribute(member, DW_AT_external) || debug_has_attribute(member, DW_AT_declaration);
}

/* True for an integer typedef that holds pointers. */
static bool holds_pointer(struct layouter *layouter, Dwarf_Off offset) {
    bool is_one = false;
    Dwarf_Die die;
    for (int hops = 0; !is_one && hops < TYPE_DEPTH_MOST; hops++) {
        if (dwarf_offdie_b(layouter->source.debug, offset, 1, &die, NULL) != DW_DLV_OK)
            return false;
        const char *name = debug_tag(die) == DW_TAG_typedef ? debug_text(die, DW_AT_name) : NULL;
        is_one = name && strstr(name, "intptr");
        bool is_more = bare_type_is_around(debug_tag(die)) &&
                       debug_reference(layouter->source.debug, die, DW_AT_type, &offset);
        dwarf_dealloc(layouter->source.debug, die, DW_DLA_DIE);
        if (!is_more)
            break;
    }
    return is_one && bare_type_size_at(&layouter->source, offset, 0) == TYPE_POINTER_SIZE;
}

static void place_member(struct layouter *layouter, Dwarf_Die member, struct spot around) {
    Dwarf_Off type;
    uint64_t at;
    const char *name = debug_text(member, DW_AT_name);
    struct spot spot = {.name = name,
                        .depth = around.depth + 1,
                        .around = &around,
                        .member = name,
                        .is_in_union = around.is_in_union,
                        .every = around.every};
    if (around.depth == 0)
        layouter->outer = spot.name;
    spot.at = around.at;
    if (!member_offset(layouter, member, &at))
        layouter->layout->state = TYPE_VIRTUAL;
    else if (debug_has_attribute(member, DW_AT_bit_size))
        place_bits(layouter, member, at, spot);
    else {
        spot.at += at;
        bool has_type = debug_reference(layouter->source.debug, member, DW_AT_type, &type);
        if (has_type && layouter->fields && holds_pointer(layouter, type))
            add_field(layouter,
                      &(struct spot){spot.at, name, spot.depth, &around, name, .is_in_union = true,
                                     .every = spot.every},
                      false);
        if (has_type)
            place_any(layouter, type, spot);
        else
            place_unknown(layouter, spot);
    }
}

static void place_members(struct layouter *layouter, Dwarf_Die record, struct spot spot) {
    Dwarf_Die die = debug_child_of(record);
    for (; die; die = debug_next_of(layouter->source.debug, die, ++layouter->steps < STEPS_MAX)) {
        Dwarf_Half tag = debug_tag(die);
        if (tag == DW_TAG_inheritance || (tag == DW_TAG_member && !is_static(die)))
            place_member(layouter, die, spot);
    }
}

static bool is_pointer(Dwarf_Half tag) {
    return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

/* The first type argument of the template with that size. False: none. */
static bool find_argument(struct layouter *layouter, const struct bare_type *type, uint64_t size,
                          Dwarf_Off *argument) {
    bool is_found = false;
    Dwarf_Die die = debug_child_of(type->die);
    for (; die; die = debug_next_of(layouter->source.debug, die, !is_found))
        is_found = is_found || (debug_tag(die) == DW_TAG_template_type_parameter &&
                                debug_reference(layouter->source.debug, die, DW_AT_type, argument) &&
                                bare_type_size_at(&layouter->source, *argument, 0) == size);
    return is_found;
}

static bool is_bytes(struct layouter *layouter, Dwarf_Off, uint64_t size, int depth);

/* True if the buffer is one member of a union, or the only member of a struct. Base classes must then be
 * empty. */
static bool has_bytes(struct layouter *layouter, const struct bare_type *type, uint64_t size, int depth) {
    unsigned members = 0, rooms = 0;
    Dwarf_Die die = debug_child_of(type->die);
    for (; die; die = debug_next_of(layouter->source.debug, die, ++layouter->steps < STEPS_MAX)) {
        Dwarf_Half tag = debug_tag(die);
        Dwarf_Off of;
        if (tag != DW_TAG_member || is_static(die))
            continue;
        members++;
        rooms += debug_reference(layouter->source.debug, die, DW_AT_type, &of) &&
                 is_bytes(layouter, of, size, depth);
    }
    return rooms && (members == 1 || type->tag == DW_TAG_union_type);
}

/* True if the type is a buffer of that size, possibly nested in structs and unions. */
static bool is_bytes(struct layouter *layouter, Dwarf_Off offset, uint64_t size, int depth) {
    struct bare_type type;
    Dwarf_Off element;
    bool is_one = false;
    if (depth > ROOM_DEPTH_MAX || !bare_type_open(&layouter->source, &type, offset))
        return false;
    if (bare_type_size(&layouter->source, &type, 0) == size && type.tag == DW_TAG_array_type)
        is_one = debug_reference(layouter->source.debug, type.die, DW_AT_type, &element) &&
                 bare_type_size_at(&layouter->source, element, 0) == 1;
    else if (debug_is_record(type.tag) && !type.is_declaration)
        is_one = has_bytes(layouter, &type, size, depth + 1);
    bare_type_close(&layouter->source, &type);
    return is_one;
}

/* Finds the type of an object stored in a buffer of bytes: a template argument with the buffer's size.
 * libstdc++ has such buffers in the nodes of maps and sets, and after the counts of std::make_shared. */
static bool find_stored(struct layouter *layouter, const struct bare_type *type, Dwarf_Off *stored) {
    uint64_t size = bare_type_size(&layouter->source, type, 0);
    return type->tag != DW_TAG_union_type && size >= TYPE_POINTER_SIZE &&
           find_argument(layouter, type, size, stored) && has_bytes(layouter, type, size, 0);
}

/* The buffer determines the padding, the stored object the pointers. */
static void place_stored(struct layouter *layouter, const struct bare_type *type, const struct spot *spot) {
    Dwarf_Off stored;
    size_t extents = layouter->count;
    bool is_partial = layouter->layout->is_partial;
    if (!layouter->fields || !find_stored(layouter, type, &stored))
        return;
    place_any(layouter, stored,
              (struct spot){spot->at, spot->name, spot->depth + 1, spot, .is_in_union = spot->is_in_union,
                            .every = spot->every});
    layouter->count = extents;
    layouter->layout->is_partial = is_partial;
}

static void place_type(struct layouter *layouter, const struct bare_type *type, struct spot spot) {
    spot.is_in_union |= type->tag == DW_TAG_union_type;
    if (is_pointer(type->tag))
        add_field(layouter, &spot, false);
    if (debug_is_record(type->tag))
        place_stored(layouter, type, &spot);
    if (type->tag == DW_TAG_array_type)
        place_array(layouter, type, spot);
    else if (debug_is_record(type->tag) && !type->is_declaration)
        place_members(layouter, type->die, spot);
    else {
        uint64_t size = bare_type_size(&layouter->source, type, spot.depth);
        if (size && size < TYPE_POINTER_SIZE && !spot.is_element)
            add_small(layouter, spot);
        if (size)
            add_extent(layouter, spot.at, spot.at + size, spot.name);
        else
            place_unknown(layouter, spot);
    }
}

static void place_any(struct layouter *layouter, Dwarf_Off offset, struct spot spot) {
    struct bare_type type;
    if (spot.depth > TYPE_DEPTH_MOST || !bare_type_open(&layouter->source, &type, offset)) {
        place_unknown(layouter, spot);
        return;
    }
    if (!spot.name && debug_is_record(type.tag))
        spot.name = debug_text(type.die, DW_AT_name);
    if (spot.depth == 1 && !layouter->outer)
        layouter->outer = spot.name;
    place_type(layouter, &type, spot);
    bare_type_close(&layouter->source, &type);
}

void debug_layout(struct type_layout *layout, struct type_fields *fields, Dwarf_Debug debug, Dwarf_Off offset,
                  debug_definition *find, void *context) {
    struct layouter layouter = {.source = {debug, find, context}, .layout = layout, .fields = fields};
    *layout = (struct type_layout){.size = bare_type_size_at(&layouter.source, offset, 0),
                                   .first_field = fields ? fields->count : 0};
    if (!layout->size)
        return;
    layout->state = TYPE_KNOWN;
    place_any(&layouter, offset, (struct spot){.at = 0});
    layout->is_partial |= layouter.steps >= STEPS_MAX;
    layout->field_count = fields ? fields->count - layout->first_field : 0;
    type_layout_fill(layout, layouter.extents, layouter.count);
    free(layouter.extents);
}
