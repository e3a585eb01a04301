/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "dump/types/layout.h"

#include "dump/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The caller sets the first members; the others are zero. The members below change with each unit. */
struct type_search {
    Dwarf_Debug debug;
    const struct type_sought *names;
    struct type_layout *layouts;
    struct type_fields *fields; /* NULL: not requested */
    size_t count;

    bool is_c, tells_defaults;

    struct type_wanted *wanted;
    struct hash_index by_hash;        /* the first type of each hash; the others are linked by next */
    struct type_found *noted, *found; /* in this unit; in all units */
    size_t noted_count, noted_capacity, found_count, found_capacity;
    char *text; /* names of the noted types */
    size_t text_size, text_capacity;
    struct number_map inline_spaces; /* hash of a qualified name -> anything */
    struct number_map declared;      /* offset of a declaration -> hash of its qualified name */
    struct number_map defined;       /* hash of a qualified name -> offset of a definition */
    struct number_map found_declared;
};

/* An entry that is a type or an inline namespace. */
struct type_entry {
    Dwarf_Half tag;
    Dwarf_Off offset;
    bool is_declaration;
};

/* Limit of equal types from different units that are compared. */
enum { FOUND_MAX = 256 };

struct type_wanted {
    size_t next;         /* next type with the same hash */
    size_t definitions;  /* number found */
    uint64_t last;       /* hash of the qualified name of the last one */
    enum debug_fit best; /* the best match among the found types */
    bool is_elsewhere;   /* a found type is only declared */
};

struct type_found {
    size_t wanted;
    Dwarf_Off offset;
    uint64_t whole; /* hash of its qualified name */
    size_t text;    /* offset of its name, until the end of the unit */
    enum debug_fit fit;
    bool is_declaration;
};

static bool has_hash(const void *key, const void *context, size_t element) {
    const struct type_search *search = context;
    return type_name_hash(search->names[element].text) == *(const uint64_t *)key;
}

static size_t first_of(const struct type_search *search, uint64_t hash) {
    return hash_find(&search->by_hash, hash, has_hash, &hash, search);
}

static void type_search_begin(struct type_search *search) {
    search->wanted = memory_zeros(search->count, sizeof *search->wanted);
    for (size_t i = 0; i < search->count; i++) {
        uint64_t hash = type_name_hash(search->names[i].text);
        size_t first = first_of(search, hash);
        search->wanted[i].next = HASH_NONE;
        if (first == HASH_NONE)
            hash_put(&search->by_hash, hash, i);
        else {
            search->wanted[i].next = search->wanted[first].next;
            search->wanted[first].next = i;
        }
    }
}

static bool has_tag(Dwarf_Half tag) {
    return debug_is_record(tag) || tag == DW_TAG_enumeration_type;
}

/* In C tags have a namespace separate from typedefs. */
static bool is_kind(const struct type_search *search, const struct type_sought *wanted, Dwarf_Half tag) {
    return (!search->is_c || wanted->is_tag == has_tag(tag)) && (!wanted->is_tag || has_tag(tag));
}

static void keep_text(struct type_search *search, const char *text) {
    for (bool is_end = false; !is_end; text++) {
        memory_grow(&search->text, search->text_size, &search->text_capacity, 1);
        search->text[search->text_size++] = *text;
        is_end = !*text;
    }
}

static void append_found(struct type_found **list, size_t *count, size_t *capacity,
                         const struct type_found *found) {
    memory_grow(list, *count, capacity, sizeof **list);
    (*list)[(*count)++] = *found;
}

static void note_entry(struct type_search *search, const struct type_entry *entry,
                       const struct type_name *name, uint64_t whole) {
    struct type_found noted = {.offset = entry->offset,
                               .whole = whole,
                               .text = search->text_size,
                               .is_declaration = entry->is_declaration};
    size_t i = first_of(search, type_name_hash(name->text));
    if (i == HASH_NONE)
        return;
    keep_text(search, name->text);
    for (; i != HASH_NONE; i = search->wanted[i].next) {
        noted.wanted = i;
        if (is_kind(search, &search->names[i], entry->tag))
            append_found(&search->noted, &search->noted_count, &search->noted_capacity, &noted);
    }
}

static void type_search_see(struct type_search *search, const struct type_entry *entry, const char *spelled) {
    struct type_name name;
    if (!type_name_read(&name, spelled))
        return;
    uint64_t whole = hash_text(0, name.text);
    if (entry->is_declaration)
        number_map_add(&search->declared, entry->offset, whole);
    else if (has_tag(entry->tag))
        number_map_add(&search->defined, whole, entry->offset);
    note_entry(search, entry, &name, whole);
}

static void type_search_see_inline(struct type_search *search, const char *spelled) {
    struct type_name name;
    if (type_name_read(&name, spelled))
        number_map_add(&search->inline_spaces, hash_text(0, name.text), 1);
}

static bool is_inline(const void *context, const char *path, size_t length) {
    const struct type_search *search = context;
    char text[TYPE_NAME_SIZE];
    if (!search->inline_spaces.count)
        return false;
    memcpy(text, path, length);
    text[length] = '\0';
    return number_map_find(&search->inline_spaces, hash_text(0, text));
}

/* True if the same type was found in so many units that more of them add nothing. */
static bool is_enough(struct type_search *search, const struct type_found *found) {
    if (found->is_declaration)
        return !number_map_add(&search->found_declared, hash_number(found->whole, found->wanted), 1);
    const struct type_wanted *wanted = &search->wanted[found->wanted];
    return wanted->definitions >= FOUND_MAX && wanted->last == found->whole;
}

static void settle_found(struct type_search *search, struct type_found *noted, const char *full) {
    struct type_wanted *wanted = &search->wanted[noted->wanted];
    const char *name = search->names[noted->wanted].text;
    if (!type_name_matches(name, full))
        return;
    noted->fit = debug_fit(search->debug, noted->offset, name, full, search->tells_defaults);
    if (noted->fit == FIT_NONE || is_enough(search, noted))
        return;
    if (!noted->is_declaration) {
        wanted->definitions++;
        wanted->last = noted->whole;
    }
    wanted->best = noted->fit > wanted->best ? noted->fit : wanted->best;
    append_found(&search->found, &search->found_count, &search->found_capacity, noted);
}

/* Tries the noted names with inline namespaces, and then without them. */
static void type_search_end_unit(struct type_search *search) {
    for (size_t i = 0; i < search->noted_count; i++) {
        struct type_found *noted = &search->noted[i];
        struct type_name stripped;
        strcpy(stripped.text, search->text + noted->text);
        type_name_strip(&stripped, is_inline, search);
        settle_found(search, noted, search->text + noted->text);
        if (strcmp(stripped.text, search->text + noted->text) != 0)
            settle_found(search, noted, stripped.text);
    }
    search->noted_count = 0;
    search->text_size = 0;
}

static bool find_definition(void *context, Dwarf_Off declaration, Dwarf_Off *offset) {
    const struct type_search *search = context;
    const uint64_t *name = number_map_find(&search->declared, declaration);
    const uint64_t *at = name ? number_map_find(&search->defined, *name) : NULL;
    if (at)
        *offset = *at;
    return at;
}

static void lay_out(struct type_search *search, const struct type_found *found) {
    struct type_wanted *wanted = &search->wanted[found->wanted];
    struct type_layout layout;
    if (found->fit < wanted->best)
        return;
    if (found->is_declaration) {
        wanted->is_elsewhere |= !number_map_find(&search->defined, found->whole);
        return;
    }
    const struct type_layout *known = &search->layouts[found->wanted];
    bool has_fields = known->state != TYPE_UNKNOWN && !known->is_partial;
    debug_layout(&layout, has_fields ? NULL : search->fields, search->debug, found->offset, find_definition,
                 search);
    type_layout_join(&search->layouts[found->wanted], &layout);
}

/* Sets the layouts of all found types. */
static void type_search_end(struct type_search *search) {
    for (size_t i = 0; i < search->found_count; i++)
        lay_out(search, &search->found[i]);
    for (size_t i = 0; i < search->count; i++)
        if (search->wanted[i].is_elsewhere)
            search->layouts[i] = (struct type_layout){.state = TYPE_UNKNOWN};
}

static void type_search_free(struct type_search *search) {
    hash_free(&search->by_hash);
    number_map_free(&search->inline_spaces);
    number_map_free(&search->declared);
    number_map_free(&search->defined);
    number_map_free(&search->found_declared);
    free(search->wanted);
    free(search->noted);
    free(search->found);
    free(search->text);
}

/* ---- Layouts of types by name.
 *
 * Theory of operation: the entries of all units are walked once, including functions, because a local type
 * may have the same name as another one. All definitions are recorded, because clang describes a class only
 * in the unit that has its constructor or virtual functions and declares it elsewhere. Then the layouts are
 * read. */

enum { DEPTH_MAX = 1000, PATH_SIZE = 2 * TYPE_NAME_SIZE };

/* Names of the enclosing scopes, each followed by "::". */
struct path {
    char text[PATH_SIZE];
    size_t base; /* start of the enclosing function's part */
};

/* The usual path lacks inline namespaces, which compilers leave out of some names. */
struct walk {
    struct type_search search;
    struct path whole, usual;
    bool has_split_unit;
};

static void see_name(struct walk *walk, const struct path *path, const struct type_entry *entry,
                     const char *name) {
    char spelled[PATH_SIZE];
    if (snprintf(spelled, sizeof spelled, "%s%s", path->text + path->base, name) < PATH_SIZE)
        type_search_see(&walk->search, entry, spelled);
}

static void see_type(struct walk *walk, Dwarf_Die die, Dwarf_Half tag, const char *name) {
    struct type_entry entry = {.tag = tag};
    if (!name || dwarf_dieoffset(die, &entry.offset, NULL) != DW_DLV_OK)
        return;
    entry.is_declaration = debug_has_attribute(die, DW_AT_declaration);
    see_name(walk, &walk->whole, &entry, name);
    if (strcmp(walk->whole.text, walk->usual.text) != 0)
        see_name(walk, &walk->usual, &entry, name);
}

static void see_inline(struct walk *walk, const char *name) {
    char spelled[PATH_SIZE];
    if (snprintf(spelled, sizeof spelled, "%s%s", walk->whole.text, name) < PATH_SIZE)
        type_search_see_inline(&walk->search, spelled);
}

static void walk_children(struct walk *, Dwarf_Die parent, int depth);

/* False: the path is too long. */
static bool enter_scope(struct path *path, const char *name) {
    size_t length = strlen(path->text);
    return snprintf(path->text + length, PATH_SIZE - length, "%s::", name) < (int)(PATH_SIZE - length);
}

/* Appends the scope's name to the paths while it walks the scope; NULL: unnamed, adds nothing. */
static void walk_scope(struct walk *walk, Dwarf_Die die, const char *name, int depth) {
    size_t whole = strlen(walk->whole.text), usual = strlen(walk->usual.text);
    bool is_inline = name && debug_has_attribute(die, DW_AT_export_symbols);
    if (is_inline)
        see_inline(walk, name);
    if (!name || (enter_scope(&walk->whole, name) && (is_inline || enter_scope(&walk->usual, name))))
        walk_children(walk, die, depth + 1);
    walk->whole.text[whole] = walk->usual.text[usual] = '\0';
}

/* Names of types in functions do not include the scopes around the function. */
static void walk_function(struct walk *walk, Dwarf_Die die, int depth) {
    size_t whole = walk->whole.base, usual = walk->usual.base;
    walk->whole.base = strlen(walk->whole.text);
    walk->usual.base = strlen(walk->usual.text);
    walk_children(walk, die, depth + 1);
    walk->whole.base = whole;
    walk->usual.base = usual;
}

static void walk_entry(struct walk *walk, Dwarf_Die die, int depth) {
    Dwarf_Half tag = debug_tag(die);
    const char *name = debug_text(die, DW_AT_name);
    switch (tag) {
    case DW_TAG_namespace:
        walk_scope(walk, die, name ?: "(anonymous namespace)", depth);
        return;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        see_type(walk, die, tag, name);
        walk_scope(walk, die, name, depth);
        return;
    case DW_TAG_enumeration_type:
    case DW_TAG_typedef:
    case DW_TAG_base_type:
        see_type(walk, die, tag, name);
        return;
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
        walk_function(walk, die, depth);
        return;
    default:
        return;
    }
}

static void walk_children(struct walk *walk, Dwarf_Die parent, int depth) {
    Dwarf_Die die = depth > DEPTH_MAX ? NULL : debug_child_of(parent);
    for (; die; die = debug_next_of(walk->search.debug, die, true))
        walk_entry(walk, die, depth);
}

static bool is_c_language(uint64_t language) {
    return language == DW_LANG_C || language == DW_LANG_C89 || language == DW_LANG_C99 ||
           language == DW_LANG_C11 || language == 0x2c; /* C17, which libdwarf does not define yet */
}

static void walk_unit(void *context, Dwarf_Die unit, const struct debug_unit_head *head) {
    struct walk *walk = context;
    (void)head;
    walk->search.is_c = is_c_language(debug_number(walk->search.debug, unit, DW_AT_language));
    walk->has_split_unit |= debug_is_split(unit);
    walk->whole.text[0] = walk->usual.text[0] = '\0';
    walk->search.tells_defaults = debug_marks_defaults(unit);
    walk_children(walk, unit, 0);
    type_search_end_unit(&walk->search);
}

bool debug_types(struct type_layout *layouts, struct type_fields *fields, const struct type_sought *names,
                 size_t count, const struct elf_file *elf, struct reason *why) {
    struct debug_handle handle;
    if (!debug_open(&handle, elf, why))
        return false;
    struct walk *walk = memory_zeros(1, sizeof *walk);
    walk->search.debug = handle.debug;
    walk->search.names = names;
    walk->search.layouts = layouts;
    walk->search.fields = fields;
    walk->search.count = count;
    type_search_begin(&walk->search);
    debug_each_unit(handle.debug, walk_unit, walk);
    type_search_end(&walk->search);
    bool is_split = walk->has_split_unit && !walk->search.found_count;
    bool is_whole = debug_close(&handle, why);
    type_search_free(&walk->search);
    free(walk);
    if (!is_whole)
        return false;
    return !is_split || reason_set(why, "its debug information is split into .dwo files");
}
