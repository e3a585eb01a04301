/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "dump/types/search.h"

#include "base/grow.h"
#include "dump/types/layout.h"

#include <string.h>

/* Of one type in many units so many are compared. */
enum { FOUND_MAX = 256 };

struct type_wanted {
    size_t next;         /* of the same hash */
    size_t definitions;  /* that were found */
    enum debug_fit best; /* of all that were found */
    bool is_elsewhere;   /* one of them is only declared */
};

struct type_found {
    size_t wanted;
    Dwarf_Off offset;
    uint64_t whole; /* hash of its name */
    size_t text;    /* where its name is, until the end of the unit */
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

bool type_search_begin(struct type_search *search) {
    search->wanted = calloc(search->count + 1, sizeof *search->wanted);
    if (!search->wanted)
        return false;
    for (size_t i = 0; i < search->count; i++) {
        uint64_t hash = type_name_hash(search->names[i].text);
        size_t first = first_of(search, hash);
        search->wanted[i].next = HASH_NONE;
        if (first == HASH_NONE) {
            if (!hash_add(&search->by_hash, hash, i))
                return false;
        } else {
            search->wanted[i].next = search->wanted[first].next;
            search->wanted[first].next = i;
        }
    }
    return true;
}

static bool is_record(Dwarf_Half tag) {
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
           tag == DW_TAG_enumeration_type;
}

/* In C a tag is a name of its own. */
static bool is_kind(const struct type_search *search, const struct type_name *wanted, Dwarf_Half tag) {
    return (!search->is_c || wanted->is_tag == is_record(tag)) && (!wanted->is_tag || is_record(tag));
}

static bool put_new(struct offset_map *map, uint64_t key, uint64_t value) {
    uint64_t before;
    bool is_new = !offset_map_get(map, key, &before);
    if (is_new)
        offset_map_put(map, key, value);
    return is_new;
}

static bool keep_text(struct type_search *search, const char *text) {
    size_t size = strlen(text) + 1;
    while (search->text_room < search->text_size + size)
        if (!grow(&search->text, search->text_room, &search->text_room, 1))
            return false;
    memcpy(search->text + search->text_size, text, size);
    search->text_size += size;
    return true;
}

static bool add(struct type_found **list, size_t *count, size_t *room, const struct type_found *found) {
    if (!grow(list, *count, room, sizeof **list))
        return false;
    (*list)[(*count)++] = *found;
    return true;
}

static void note(struct type_search *search, const struct type_entry *entry, const struct type_name *name,
                 uint64_t whole) {
    struct type_found noted = {.offset = entry->offset,
                               .whole = whole,
                               .text = search->text_size,
                               .is_declaration = entry->is_declaration};
    size_t i = first_of(search, type_name_hash(name->text));
    if (i == HASH_NONE)
        return;
    search->is_broken |= !keep_text(search, name->text);
    for (; i != HASH_NONE && !search->is_broken; i = search->wanted[i].next) {
        noted.wanted = i;
        if (is_kind(search, &search->names[i], entry->tag))
            search->is_broken |= !add(&search->noted, &search->noted_count, &search->noted_room, &noted);
    }
}

void type_search_see(struct type_search *search, const struct type_entry *entry, const char *spelled) {
    struct type_name name;
    if (!type_name_read(&name, spelled))
        return;
    uint64_t whole = hash_text(0, name.text);
    if (entry->is_declaration)
        put_new(&search->declared, entry->offset, whole);
    else if (is_record(entry->tag))
        put_new(&search->defined, whole, entry->offset);
    note(search, entry, &name, whole);
}

void type_search_see_inline(struct type_search *search, const char *spelled) {
    struct type_name name;
    if (type_name_read(&name, spelled))
        put_new(&search->inline_spaces, hash_text(0, name.text), 1);
}

static bool is_inline(const void *context, const char *path, size_t length) {
    const struct type_search *search = context;
    char text[TYPE_NAME_SIZE];
    uint64_t any;
    if (!search->inline_spaces.count)
        return false;
    memcpy(text, path, length);
    text[length] = '\0';
    return offset_map_get(&search->inline_spaces, hash_text(0, text), &any);
}

/* The same type in so many units that a few more tell nothing. */
static bool is_enough(struct type_search *search, const struct type_found *found) {
    if (found->is_declaration)
        return !put_new(&search->found_declared, hash_number(found->whole, found->wanted), 1);
    if (search->wanted[found->wanted].definitions < FOUND_MAX)
        return false;
    for (size_t i = search->found_count; i-- > 0;)
        if (search->found[i].wanted == found->wanted && !search->found[i].is_declaration)
            return search->found[i].whole == found->whole;
    return false;
}

static void settle(struct type_search *search, struct type_found *noted, const char *full) {
    struct type_wanted *wanted = &search->wanted[noted->wanted];
    const char *name = search->names[noted->wanted].text;
    if (!type_name_matches(name, full))
        return;
    noted->fit = debug_fit(search->debug, noted->offset, name, full, search->tells_defaults);
    if (noted->fit == FIT_NONE || is_enough(search, noted))
        return;
    wanted->definitions += !noted->is_declaration;
    wanted->best = noted->fit > wanted->best ? noted->fit : wanted->best;
    search->is_broken |= !add(&search->found, &search->found_count, &search->found_room, noted);
}

/* With the inline namespaces, and then without them. */
void type_search_end_unit(struct type_search *search) {
    for (size_t i = 0; i < search->noted_count && !search->is_broken; i++) {
        struct type_found *noted = &search->noted[i];
        struct type_name stripped;
        strcpy(stripped.text, search->text + noted->text);
        type_name_strip(&stripped, is_inline, search);
        settle(search, noted, search->text + noted->text);
        if (strcmp(stripped.text, search->text + noted->text) != 0)
            settle(search, noted, stripped.text);
    }
    search->noted_count = 0;
    search->text_size = 0;
}

static bool find_definition(void *context, Dwarf_Off declaration, Dwarf_Off *offset) {
    const struct type_search *search = context;
    uint64_t name, at;
    if (!offset_map_get(&search->declared, declaration, &name) ||
        !offset_map_get(&search->defined, name, &at))
        return false;
    *offset = at;
    return true;
}

static bool lay_out(struct type_search *search, const struct type_found *found) {
    struct type_wanted *wanted = &search->wanted[found->wanted];
    struct type_layout layout;
    uint64_t at;
    if (found->fit < wanted->best)
        return true;
    if (found->is_declaration) {
        wanted->is_elsewhere |= !offset_map_get(&search->defined, found->whole, &at);
        return true;
    }
    if (!debug_layout(&layout, search->debug, found->offset, find_definition, search))
        return false;
    type_layout_join(&search->layouts[found->wanted], &layout);
    return true;
}

bool type_search_end(struct type_search *search) {
    for (size_t i = 0; i < search->found_count; i++)
        if (!lay_out(search, &search->found[i]))
            return false;
    for (size_t i = 0; i < search->count; i++)
        if (search->wanted[i].is_elsewhere)
            search->layouts[i] = (struct type_layout){.state = TYPE_UNKNOWN};
    return !search->is_broken;
}

void type_search_free(struct type_search *search) {
    hash_free(&search->by_hash);
    offset_map_free(&search->inline_spaces);
    offset_map_free(&search->declared);
    offset_map_free(&search->defined);
    offset_map_free(&search->found_declared);
    free(search->wanted);
    free(search->noted);
    free(search->found);
    free(search->text);
}
