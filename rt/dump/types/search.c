/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "dump/types/search.h"

#include "dump/base/memory.h"
#include "dump/types/layout.h"

#include <stdlib.h>
#include <string.h>

/* Of one type in many units so many are compared. */
enum { FOUND_MAX = 256 };

struct type_wanted {
    size_t next;         /* of the same hash */
    size_t definitions;  /* that were found */
    uint64_t last;       /* hash of the whole name of the last one */
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

void type_search_begin(struct type_search *search) {
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

/* In C a tag is a name of its own. */
static bool is_kind(const struct type_search *search, const struct type_sought *wanted, Dwarf_Half tag) {
    return (!search->is_c || wanted->is_tag == has_tag(tag)) && (!wanted->is_tag || has_tag(tag));
}

static void keep_text(struct type_search *search, const char *text) {
    for (bool is_end = false; !is_end; text++) {
        memory_grow(&search->text, search->text_size, &search->text_room, 1);
        search->text[search->text_size++] = *text;
        is_end = !*text;
    }
}

static void add(struct type_found **list, size_t *count, size_t *room, const struct type_found *found) {
    memory_grow(list, *count, room, sizeof **list);
    (*list)[(*count)++] = *found;
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
    keep_text(search, name->text);
    for (; i != HASH_NONE; i = search->wanted[i].next) {
        noted.wanted = i;
        if (is_kind(search, &search->names[i], entry->tag))
            add(&search->noted, &search->noted_count, &search->noted_room, &noted);
    }
}

void type_search_see(struct type_search *search, const struct type_entry *entry, const char *spelled) {
    struct type_name name;
    if (!type_name_read(&name, spelled))
        return;
    uint64_t whole = hash_text(0, name.text);
    if (entry->is_declaration)
        number_map_add(&search->declared, entry->offset, whole);
    else if (has_tag(entry->tag))
        number_map_add(&search->defined, whole, entry->offset);
    note(search, entry, &name, whole);
}

void type_search_see_inline(struct type_search *search, const char *spelled) {
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

/* The same type in so many units that a few more tell nothing. */
static bool is_enough(struct type_search *search, const struct type_found *found) {
    if (found->is_declaration)
        return !number_map_add(&search->found_declared, hash_number(found->whole, found->wanted), 1);
    const struct type_wanted *wanted = &search->wanted[found->wanted];
    return wanted->definitions >= FOUND_MAX && wanted->last == found->whole;
}

static void settle(struct type_search *search, struct type_found *noted, const char *full) {
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
    add(&search->found, &search->found_count, &search->found_room, noted);
}

/* With the inline namespaces, and then without them. */
void type_search_end_unit(struct type_search *search) {
    for (size_t i = 0; i < search->noted_count; i++) {
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

void type_search_end(struct type_search *search) {
    for (size_t i = 0; i < search->found_count; i++)
        lay_out(search, &search->found[i]);
    for (size_t i = 0; i < search->count; i++)
        if (search->wanted[i].is_elsewhere)
            search->layouts[i] = (struct type_layout){.state = TYPE_UNKNOWN};
}

void type_search_free(struct type_search *search) {
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
