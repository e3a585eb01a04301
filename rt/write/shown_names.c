/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds names that would be shown as the same string: a sorted list of shortened names for each width. */
#include "write/shown_names.h"

#include "write/name_pieces.h"

#include <stdlib.h>
#include <string.h>

/* Each name is compared with all other names. After this number of comparisons, about a second, a report
 * shows the remaining names whole. */
#define COMPARED_MOST 10000000

struct name_entry {
    const char *name;
    char *whole; /* demangled, not shortened */
};

struct name_cut {
    char *text;
    const struct name_entry *of;
    char *apart; /* replaces text if other names have the same text; NULL: not made yet */
};

struct name_cuts {
    struct name_cuts *next;
    size_t columns, count;
    struct name_cut list[];
};

void shown_names_add(struct shown_names *names, enum name_kind kind, const char *name) {
    struct name_list *list = &names->kinds[kind];
    if (!name)
        return;
    if (list->count == list->capacity) {
        size_t capacity = 2 * list->capacity + 64;
        struct name_entry *larger = realloc(list->list, capacity * sizeof *larger);
        if (!larger)
            return;
        list->list = larger;
        list->capacity = capacity;
    }
    list->list[list->count++] = (struct name_entry){name, NULL};
    list->is_sorted = false;
}

static void free_cuts(struct name_list *list) {
    for (struct name_cuts *cuts = list->cuts, *next; cuts; cuts = next) {
        next = cuts->next;
        for (size_t i = 0; i < cuts->count; i++) {
            free(cuts->list[i].text);
            free(cuts->list[i].apart);
        }
        free(cuts);
    }
    list->cuts = NULL;
}

void shown_names_free(struct shown_names *names) {
    for (int kind = 0; kind < NAME_KINDS; kind++) {
        struct name_list *list = &names->kinds[kind];
        free_cuts(list);
        for (size_t i = 0; i < list->count; i++)
            free(list->list[i].whole);
        free(list->list);
        *list = (struct name_list){.list = NULL};
    }
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct name_entry *)a)->name, ((const struct name_entry *)b)->name);
}

static int by_text(const void *a, const void *b) {
    return strcmp(((const struct name_cut *)a)->text, ((const struct name_cut *)b)->text);
}

/* Sorts the names and removes duplicates. */
static void sort_names(struct name_list *list, enum name_kind kind) {
    size_t kept = 0;
    free_cuts(list);
    qsort(list->list, list->count, sizeof *list->list, by_name);
    for (size_t i = 0; i < list->count; i++)
        if (kept && strcmp(list->list[kept - 1].name, list->list[i].name) == 0)
            free(list->list[i].whole);
        else
            list->list[kept++] = list->list[i];
    list->count = kept;
    for (size_t i = 0; i < list->count; i++) {
        struct name_entry *entry = &list->list[i];
        size_t size = name_whole_size(entry->name);
        if (!entry->whole && (entry->whole = malloc(size)))
            (kind == NAME_TYPE ? name_type_whole : name_function_whole)(entry->whole, size, entry->name);
    }
    list->is_sorted = true;
}

static void shown_name_cut(char text[NAME_SIZE], enum name_kind kind, const char *name, size_t columns) {
    (kind == NAME_TYPE ? name_type : name_function)(text, name, columns);
}

/* Returns the names shortened to a width; NULL: there is no memory. */
static struct name_cuts *cuts_of(struct name_list *list, enum name_kind kind, size_t columns) {
    struct name_cuts *cuts = list->cuts;
    while (cuts && cuts->columns != columns)
        cuts = cuts->next;
    if (cuts || !(cuts = malloc(sizeof *cuts + list->count * sizeof *cuts->list)))
        return cuts;
    *cuts = (struct name_cuts){list->cuts, columns, 0};
    for (size_t i = 0; i < list->count; i++) {
        char text[NAME_SIZE];
        shown_name_cut(text, kind, list->list[i].name, columns);
        struct name_cut cut = {.text = strdup(text), .of = &list->list[i]};
        if (cut.text && cut.of->whole)
            cuts->list[cuts->count++] = cut;
        else
            free(cut.text);
    }
    qsort(cuts->list, cuts->count, sizeof *cuts->list, by_text);
    return list->cuts = cuts;
}

/* Returns the first of the cuts with the text; NULL if there is none. */
static struct name_cut *first_cut(struct name_cuts *cuts, const char *text) {
    const struct name_cut key = {.text = (char *)text};
    struct name_cut *cut = bsearch(&key, cuts->list, cuts->count, sizeof *cuts->list, by_text);
    while (cut && cut > cuts->list && by_text(cut - 1, &key) == 0)
        cut--;
    return cut;
}

/* Returns the next name, beginning at `from`, that the shown string selects besides its own; NULL if there is
 * none. */
static const struct name_entry *selected_too(struct name_list *list, const struct name_entry *entry,
                                             const struct name_entry *from, const char *shown) {
    for (; from < list->list + list->count; from++, list->compared++)
        if (from != entry && from->whole && name_pieces_select(shown, from->name, from->whole))
            return from;
    return NULL;
}

/* Shows more of the name. Returns false if the string selects no other name, or if all of it is shown. */
static bool show_more(struct name_list *list, const struct name_entry *entry, bool is_whole,
                      struct name_pieces *pieces, const char *shown) {
    const struct name_entry *first = selected_too(list, entry, list->list, shown);
    for (const struct name_entry *other = first; other; other = selected_too(list, entry, other + 1, shown))
        if (name_pieces_differ(pieces, is_whole ? other->whole : other->name))
            return true;
    return first && name_pieces_widen(pieces, is_whole ? first->whole : first->name);
}

/* Returns a string that selects no other name or, if there is none, the whole name; NULL: there is no
 * memory. */
static char *keep_apart(struct name_list *list, const struct name_entry *entry, bool is_whole,
                        struct name_pieces *pieces) {
    char *shown = name_pieces_join(pieces);
    while (shown && show_more(list, entry, is_whole, pieces, shown)) {
        free(shown);
        shown = name_pieces_join(pieces);
    }
    return shown;
}

/* Returns whether the whole names without parameters differ for all names with the same cut. */
static bool are_wholes_apart(const struct name_cut *first, const struct name_cuts *cuts,
                             const struct name_entry *entry) {
    for (const struct name_cut *cut = first; cut < cuts->list + cuts->count && by_text(first, cut) == 0;
         cut++)
        if (cut->of != entry && strcmp(cut->of->whole, entry->whole) == 0)
            return false;
    return true;
}

/* Returns a string that shows only the first differences of a function from names with the same cut; NULL:
 * there is no memory. */
static char *keep_differences(const struct name_cut *first, const struct name_cuts *cuts,
                              const struct name_entry *entry, bool is_whole) {
    struct name_pieces *pieces = name_pieces_make(is_whole ? entry->whole : entry->name, true);
    for (const struct name_cut *cut = first;
         pieces && cut < cuts->list + cuts->count && by_text(first, cut) == 0; cut++)
        if (cut->of != entry)
            name_pieces_differ(pieces, is_whole ? cut->of->whole : cut->of->name);
    char *shown = pieces ? name_pieces_join(pieces) : NULL;
    free(pieces);
    return shown;
}

/* Returns `apart`, a string that no other name matches, if it fits the columns; otherwise returns `narrow`.
 * Frees the other string. */
static char *shown_name_choose(char *apart, char *narrow, size_t columns) {
    bool is_apart = apart && (!narrow || name_columns(apart) <= columns || strlen(apart) <= strlen(narrow));
    free(is_apart ? narrow : apart);
    return is_apart ? apart : narrow;
}

static char *make_apart(struct name_list *list, enum name_kind kind, const struct name_cut *first,
                        const struct name_cuts *cuts, const struct name_entry *entry) {
    bool is_whole = are_wholes_apart(first, cuts, entry);
    char *best = NULL;
    if (list->compared > COMPARED_MOST)
        return strdup(is_whole ? entry->whole : entry->name);
    for (int inner = 0; inner <= (kind == NAME_FUNCTION); inner++) {
        struct name_pieces *pieces = name_pieces_make(is_whole ? entry->whole : entry->name, inner);
        char *shown = pieces ? keep_apart(list, entry, is_whole, pieces) : NULL;
        free(pieces);
        best = shown_name_choose(best, shown, cuts->columns);
    }
    return kind == NAME_TYPE
               ? best
               : shown_name_choose(best, keep_differences(first, cuts, entry, is_whole), cuts->columns);
}

const char *shown_name(struct shown_names *names, enum name_kind kind, const char *name, size_t columns,
                       char text[NAME_SIZE]) {
    struct name_list *list = names ? &names->kinds[kind] : NULL;
    shown_name_cut(text, kind, name, columns);
    if (!list || !list->count)
        return text;
    if (!list->is_sorted)
        sort_names(list, kind);
    struct name_cuts *cuts = cuts_of(list, kind, columns);
    struct name_cut *first = cuts ? first_cut(cuts, text) : NULL, *entry = NULL;
    size_t alike = 0;
    for (struct name_cut *cut = first; cut && cut < cuts->list + cuts->count && by_text(first, cut) == 0;
         cut++) {
        entry = strcmp(cut->of->name, name) == 0 ? cut : entry;
        alike++;
    }
    if (!entry || alike < 2)
        return text;
    if (!entry->apart)
        entry->apart = make_apart(list, kind, first, cuts, entry->of);
    return entry->apart ? entry->apart : text;
}
