/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which of the functions that could be wrappers are: a table knows that only as a whole, when all files of a
 * module have been linked. */
#include "dump/base/memory.h"
#include "dump/base/names.h"
#include "dump/table/table.h"

#include <stdlib.h>
#include <string.h>

static int by_symbol(const void *symbol, const void *wrapper) {
    return strcmp(symbol, ((const struct table_wrapper *)wrapper)->symbol);
}

static struct table_wrapper *find(const struct table *table, const char *symbol) {
    return bsearch(symbol, table->wrappers, table->wrapper_count, sizeof *table->wrappers, by_symbol);
}

static bool is_real(const struct table *table, const struct table_site *site) {
    const struct table_wrapper *wrapper = site->possible ? find(table, site->possible) : NULL;
    return !site->possible || (wrapper && !wrapper->is_possible);
}

/* The sites in wrappers, by the names that debug information has for these. */
struct inner_sites {
    const struct table_site **list;
    size_t count;
};

static int by_function(const void *left, const void *right) {
    const struct table_site *a = *(struct table_site *const *)left, *b = *(struct table_site *const *)right;
    return strcmp(a->at.function, b->at.function);
}

static struct inner_sites collect(const struct table *table) {
    struct inner_sites inner = {memory_zeros(table->count, sizeof *inner.list), 0};
    for (size_t i = 0; i < table->count; i++)
        if (table->sites[i].of_wrapper && table->sites[i].at.function)
            inner.list[inner.count++] = &table->sites[i];
    qsort(inner.list, inner.count, sizeof *inner.list, by_function);
    return inner;
}

static int by_name(const void *name, const void *site) {
    return strcmp(name, (*(struct table_site *const *)site)->at.function);
}

/* A wrapper is one if something is that it hands on the blocks of. */
static bool hands_on(const struct table *table, const struct inner_sites *inner,
                     const struct table_wrapper *wrapper) {
    char *name = demangle(wrapper->symbol);
    const char *function = name ? name : wrapper->symbol;
    const struct table_site **found =
        bsearch(function, inner->list, inner->count, sizeof *inner->list, by_name);
    bool is_one = false;
    while (found && found > inner->list && strcmp(found[-1]->at.function, function) == 0)
        found--;
    for (; found && found < inner->list + inner->count && strcmp((*found)->at.function, function) == 0;
         found++)
        is_one |= is_real(table, *found);
    free(name);
    return is_one;
}

static bool settle_once(struct table *table, const struct inner_sites *inner) {
    bool has_changed = false;
    for (size_t i = 0; i < table->wrapper_count; i++)
        if (table->wrappers[i].is_possible && hands_on(table, inner, &table->wrappers[i])) {
            table->wrappers[i].is_possible = false;
            has_changed = true;
        }
    return has_changed;
}

/* Puts those that are possible alone behind all others, in their order. */
static void part(struct table *table) {
    struct table_site *possible = memory_zeros(table->count, sizeof *possible);
    size_t known = 0;
    for (size_t i = 0; i < table->count; i++)
        if (is_real(table, &table->sites[i]))
            table->sites[known++] = table->sites[i];
        else
            possible[table->possible_count++] = table->sites[i];
    memcpy(table->sites + known, possible, table->possible_count * sizeof *possible);
    free(possible);
    table->count = known;
}

void table_settle(struct table *table) {
    struct inner_sites inner = collect(table);
    while (settle_once(table, &inner))
        ;
    free(inner.list);
    part(table);
}
