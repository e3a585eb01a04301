/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Layouts of types by name.
 *
 * Theory of operation: the entries of all units are walked once, and what has a wanted name is noted down,
 * for there can be many of one name, each with a layout of its own. Where all other types are defined is
 * noted as well: clang describes a class in the unit that has its constructor or its virtual functions, and
 * declares it in the others. Then the layouts are read. Types inside of functions are looked for only if
 * something was not found. */
#include "dwarf_types.h"
#include "dwarf_layout.h"
#include "grow.h"
#include "hash_index.h"
#include "offset_map.h"

#include <stdio.h>
#include <string.h>

/* Of one name in many units so many are compared. */
enum { DEPTH_MAX = 1000, PATH_SIZE = 2 * TYPE_NAME_SIZE, FOUND_MAX = 256 };

struct found {
    size_t wanted;
    Dwarf_Off offset;
};

/* Names of the scopes around, as they are spelled, each with its colons. */
struct path {
    char text[PATH_SIZE];
    size_t base; /* where the function around begins */
};

/* A named type. */
struct type {
    const char *name;
    Dwarf_Half tag;
    Dwarf_Off offset;
    bool is_declaration;
};

/* The usual path lacks inline namespaces, which compilers leave out of some names. */
struct search {
    Dwarf_Debug debug;
    const struct type_name *names;
    struct type_layout *layouts;
    size_t count;
    struct hash_index by_hash; /* the first one of each hash; the others follow by next */
    size_t *next;
    size_t *found_of; /* so many were found of each */
    struct found *found;
    size_t found_count, found_room;
    struct offset_map declared; /* offset of a declaration -> hash of its whole name */
    struct offset_map defined;  /* hash of a whole name -> offset of a definition */
    struct path whole, usual;
    bool is_c;      /* the unit */
    bool is_local;  /* walks functions, and nothing else */
    bool is_broken; /* for want of memory */
    bool has_split_unit;
};

static bool has_hash(const void *key, const void *context, size_t element) {
    const struct search *search = context;
    return type_name_hash(search->names[element].text) == *(const uint64_t *)key;
}

static bool index_names(struct search *search) {
    search->next = calloc(search->count + 1, sizeof *search->next);
    search->found_of = calloc(search->count + 1, sizeof *search->found_of);
    if (!search->next || !search->found_of)
        return false;
    for (size_t i = 0; i < search->count; i++) {
        uint64_t hash = type_name_hash(search->names[i].text);
        size_t first = hash_find(&search->by_hash, hash, has_hash, &hash, search);
        search->next[i] = HASH_NONE;
        if (first == HASH_NONE) {
            if (!hash_add(&search->by_hash, hash, i))
                return false;
        } else {
            search->next[i] = search->next[first];
            search->next[first] = i;
        }
    }
    return true;
}

static bool is_record(Dwarf_Half tag) {
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
           tag == DW_TAG_enumeration_type;
}

/* In C a tag is a name of its own. */
static bool fits(const struct search *search, const struct type_name *wanted, const struct type_name *name,
                 Dwarf_Half tag) {
    bool is_kind = !search->is_c || wanted->is_tag == is_record(tag);
    return is_kind && (!wanted->is_tag || is_record(tag)) && type_name_matches(wanted->text, name->text);
}

static void see_definition(struct search *search, const struct type_name *name, Dwarf_Half tag,
                           Dwarf_Off offset) {
    uint64_t hash = type_name_hash(name->text);
    size_t i = hash_find(&search->by_hash, hash, has_hash, &hash, search);
    for (; i != HASH_NONE; i = search->next[i]) {
        if (!fits(search, &search->names[i], name, tag) || search->found_of[i]++ >= FOUND_MAX)
            continue;
        if (!grow(&search->found, search->found_count, &search->found_room, sizeof *search->found)) {
            search->is_broken = true;
            return;
        }
        search->found[search->found_count++] = (struct found){i, offset};
    }
}

static void put_new(struct offset_map *map, uint64_t key, uint64_t value) {
    uint64_t before;
    if (!offset_map_get(map, key, &before))
        offset_map_put(map, key, value);
}

static void see_name(struct search *search, const struct type *type, const struct path *path) {
    char spelled[PATH_SIZE];
    struct type_name name;
    int length = snprintf(spelled, sizeof spelled, "%s%s", path->text + path->base, type->name);
    if (length >= PATH_SIZE || !type_name_read(&name, spelled))
        return;
    uint64_t whole = hash_text(0, name.text);
    if (type->is_declaration)
        put_new(&search->declared, type->offset, whole);
    else if (is_record(type->tag))
        put_new(&search->defined, whole, type->offset);
    if (!type->is_declaration)
        see_definition(search, &name, type->tag, type->offset);
}

static void see_type(struct search *search, Dwarf_Die die, Dwarf_Half tag, const char *name) {
    struct type type = {.name = name, .tag = tag};
    if (!name || search->is_local || dwarf_dieoffset(die, &type.offset, NULL) != DW_DLV_OK)
        return;
    type.is_declaration = dwarf_has_attribute(die, DW_AT_declaration);
    see_name(search, &type, &search->whole);
    if (strcmp(search->whole.text, search->usual.text) != 0)
        see_name(search, &type, &search->usual);
}

static void walk_children(struct search *, Dwarf_Die parent, int depth);

/* False: it does not fit. */
static bool enter(struct path *path, const char *name) {
    size_t length = strlen(path->text);
    return snprintf(path->text + length, PATH_SIZE - length, "%s::", name) < (int)(PATH_SIZE - length);
}

/* The scope's name goes to the paths meanwhile; NULL: it has none and adds nothing. */
static void walk_scope(struct search *search, Dwarf_Die die, const char *name, int depth) {
    size_t whole = strlen(search->whole.text), usual = strlen(search->usual.text);
    bool is_inline = dwarf_has_attribute(die, DW_AT_export_symbols);
    if (!name || (enter(&search->whole, name) && (is_inline || enter(&search->usual, name))))
        walk_children(search, die, depth + 1);
    search->whole.text[whole] = search->usual.text[usual] = '\0';
}

/* What is inside of functions is spelled without what is around them. */
static void walk_function(struct search *search, Dwarf_Die die, int depth) {
    bool is_local = search->is_local;
    size_t whole = search->whole.base, usual = search->usual.base;
    search->whole.base = strlen(search->whole.text);
    search->usual.base = strlen(search->usual.text);
    search->is_local = false;
    walk_children(search, die, depth + 1);
    search->is_local = is_local;
    search->whole.base = whole;
    search->usual.base = usual;
}

static void walk_entry(struct search *search, Dwarf_Die die, int depth, bool is_in_function) {
    Dwarf_Half tag = 0;
    if (dwarf_tag(die, &tag, NULL) != DW_DLV_OK)
        return;
    const char *name = dwarf_text(die, DW_AT_name);
    switch (tag) {
    case DW_TAG_namespace:
        walk_scope(search, die, name ? name : "(anonymous namespace)", depth);
        return;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        see_type(search, die, tag, name);
        walk_scope(search, die, name, depth);
        return;
    case DW_TAG_enumeration_type:
    case DW_TAG_typedef:
    case DW_TAG_base_type:
        see_type(search, die, tag, name);
        return;
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
        if (search->is_local || is_in_function)
            walk_function(search, die, depth);
        return;
    default:
        return;
    }
}

static bool is_function(Dwarf_Die die) {
    Dwarf_Half tag = 0;
    return dwarf_tag(die, &tag, NULL) == DW_DLV_OK &&
           (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block);
}

static void walk_children(struct search *search, Dwarf_Die parent, int depth) {
    Dwarf_Die die, next;
    bool is_in_function = is_function(parent);
    if (depth > DEPTH_MAX || dwarf_child(parent, &die, NULL) != DW_DLV_OK)
        return;
    for (bool is_last = false; !is_last; die = next) {
        walk_entry(search, die, depth, is_in_function);
        is_last = search->is_broken || dwarf_siblingof_b(search->debug, die, 1, &next, NULL) != DW_DLV_OK;
        dwarf_dealloc(search->debug, die, DW_DLA_DIE);
    }
}

static bool is_c_language(uint64_t language) {
    return language == DW_LANG_C || language == DW_LANG_C89 || language == DW_LANG_C99 ||
           language == DW_LANG_C11 || language == 0x2c; /* C17, which libdwarf does not name yet */
}

static void walk_unit(void *context, Dwarf_Die unit, bool is_of_types) {
    struct search *search = context;
    (void)is_of_types;
    if (search->is_broken)
        return;
    search->is_c = is_c_language(dwarf_number(search->debug, unit, DW_AT_language));
    search->has_split_unit |= dwarf_is_split(unit);
    search->whole.text[0] = search->usual.text[0] = '\0';
    walk_children(search, unit, 0);
}

static bool find_definition(void *context, Dwarf_Off declaration, Dwarf_Off *offset) {
    const struct search *search = context;
    uint64_t name, at;
    if (!offset_map_get(&search->declared, declaration, &name) ||
        !offset_map_get(&search->defined, name, &at))
        return false;
    *offset = at;
    return true;
}

static bool lay_out(struct search *search) {
    for (size_t i = 0; i < search->found_count; i++) {
        struct type_layout layout;
        if (!dwarf_layout(&layout, search->debug, search->found[i].offset, find_definition, search))
            return false;
        type_layout_join(&search->layouts[search->found[i].wanted], &layout);
    }
    return true;
}

static bool lacks_some(const struct search *search) {
    for (size_t i = 0; i < search->count; i++)
        if (!search->found_of[i])
            return true;
    return false;
}

static bool find_all(struct search *search, struct reason *why) {
    search->is_broken = !index_names(search);
    dwarf_each_unit(search->debug, walk_unit, search);
    search->is_local = true;
    if (lacks_some(search))
        dwarf_each_unit(search->debug, walk_unit, search);
    if (search->is_broken || !lay_out(search))
        return reason_set(why, "out of memory");
    return !search->has_split_unit || search->found_count ||
           reason_set(why, "its debug information is split into .dwo files");
}

bool dwarf_types(struct type_layout *layouts, const struct type_name *names, size_t count,
                 const struct elf_file *elf, struct reason *why) {
    struct search *search = calloc(1, sizeof *search);
    struct dwarf_handle handle;
    if (!search)
        return reason_set(why, "out of memory");
    bool is_open = dwarf_open(&handle, elf, why);
    search->names = names;
    search->layouts = layouts;
    search->count = count;
    bool is_done = false;
    if (is_open) {
        search->debug = handle.debug;
        is_done = find_all(search, why);
        dwarf_close(&handle);
    }
    hash_free(&search->by_hash);
    offset_map_free(&search->declared);
    offset_map_free(&search->defined);
    free(search->found);
    free(search->found_of);
    free(search->next);
    free(search);
    return is_done;
}
