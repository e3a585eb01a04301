/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decoding of the wrappers of a site table. */
#include "table.h"

#include "../format.h"

#include <stdlib.h>
#include <string.h>

static bool read_wrapper(const struct table_input *input, uint64_t address, const unsigned char *bytes,
                         struct table_wrapper *wrapper, struct reason *why) {
    struct allocsite_wrapper raw;
    memcpy(&raw, bytes, sizeof raw);
    if (raw.version != ALLOCSITE_FORMAT_VERSION)
        return reason_set(why, "wrappers of format version %u; this allocsite-dump reads version %u",
                          raw.version, ALLOCSITE_FORMAT_VERSION);
    *wrapper =
        (struct table_wrapper){NULL, raw.kind, raw.origin, raw.size, raw.count, raw.align, raw.pointer};
    bool is_sound = raw.kind <= ALLOCSITE_FREE && raw.origin <= ALLOCSITE_BY_LIST && raw.symbol &&
                    table_string(input, address + (uint64_t)(int64_t)raw.symbol, &wrapper->symbol) &&
                    wrapper->symbol;
    return is_sound || reason_set(why, "damaged site table: the wrapper at address 0x%llx is none",
                                  (unsigned long long)address);
}

static bool count_wrappers(const struct table_regions *regions, size_t *count, struct reason *why) {
    *count = 0;
    for (size_t i = 0; i < regions->count; i++) {
        if (regions->items[i].size % sizeof(struct allocsite_wrapper))
            return reason_set(why,
                              "damaged site table: the size of its wrappers is not a multiple of %zu bytes",
                              sizeof(struct allocsite_wrapper));
        *count += regions->items[i].size / sizeof(struct allocsite_wrapper);
    }
    return true;
}

/* What a body shows is known best, so it stands first. */
static int by_symbol(const void *left, const void *right) {
    const struct table_wrapper *a = left, *b = right;
    int order = strcmp(a->symbol, b->symbol);
    return order ? order : a->origin - b->origin;
}

/* Every unit that has or sees a wrapper tells of it. */
static void sort_and_merge(struct table *table) {
    size_t kept = 0;
    if (table->wrapper_count)
        qsort(table->wrappers, table->wrapper_count, sizeof *table->wrappers, by_symbol);
    for (size_t i = 0; i < table->wrapper_count; i++)
        if (i == 0 || strcmp(table->wrappers[i].symbol, table->wrappers[kept - 1].symbol) != 0)
            table->wrappers[kept++] = table->wrappers[i];
    table->wrapper_count = kept;
}

bool table_decode_wrappers(struct table *table, struct reason *why) {
    const struct table_regions *regions = &table->input.wrappers;
    const size_t size = sizeof(struct allocsite_wrapper);
    size_t count;
    if (!count_wrappers(regions, &count, why))
        return false;
    table->wrappers = calloc(count ? count : 1, sizeof *table->wrappers);
    if (!table->wrappers)
        return reason_set(why, "out of memory");
    for (size_t i = 0; i < regions->count; i++)
        for (uint64_t at = 0; at < regions->items[i].size; at += size)
            if (!read_wrapper(&table->input, regions->items[i].address + at, regions->items[i].bytes + at,
                              &table->wrappers[table->wrapper_count++], why))
                return false;
    sort_and_merge(table);
    return true;
}
