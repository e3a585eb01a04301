/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decodes the functions and calls of a site table. */
#include "dump/table/decode.h"

#include "dump/base/memory.h"

#include <string.h>

/* ---- Functions. */

static bool read_function(const struct table_input *input, uint64_t address, const unsigned char *bytes,
                          struct table_function *function, struct reason *why) {
    struct allocsite_function raw;
    memcpy(&raw, bytes, sizeof raw);
    uint32_t version = raw.flags >> ALLOCSITE_FUNCTION_VERSION_SHIFT;
    if (version != ALLOCSITE_FORMAT_VERSION)
        return reason_set(why, "functions of format version %u; this allocsite-dump reads version %u",
                          version, ALLOCSITE_FORMAT_VERSION);
    *function = (struct table_function){
        .flags = raw.flags & (ALLOCSITE_PASSES_THROUGH | ALLOCSITE_DECLARED | ALLOCSITE_LIBRARY)};
#define READ(member)                                                                                         \
    table_read_string(input, table_target(FIELD(address, struct allocsite_function, member), raw.member),    \
                      &function->member)
    bool is_sound = READ(symbol) && READ(function) && READ(file) && READ(depends) &&
                    !function->symbol == !function->function && (function->symbol || function->file);
#undef READ
    return is_sound || reason_set(why, "damaged site table: the function at address 0x%llx is invalid",
                                  (unsigned long long)address);
}

static int by_function(const void *left, const void *right) {
    const struct table_function *a = left, *b = right;
    return table_compare_known(a->symbol, b->symbol)
               ?: table_compare_known(a->file, b->file) ?: table_compare_known(a->depends, b->depends);
}

/* Each object file that includes a header may describe its functions. */
static void sort_and_merge_functions(struct table *table) {
    size_t kept = 0;
    sort_list(table->functions, table->function_count, sizeof *table->functions, by_function);
    for (size_t i = 0; i < table->function_count; i++)
        if (kept == 0 || by_function(&table->functions[i], &table->functions[kept - 1]) != 0)
            table->functions[kept++] = table->functions[i];
        else
            table->functions[kept - 1].flags |= table->functions[i].flags;
    table->function_count = kept;
}

bool table_decode_functions(struct table *table, struct reason *why) {
    const struct table_regions *regions = &table->input.functions;
    const size_t size = sizeof(struct allocsite_function);
    size_t count;
    if (!table_count(regions, size, "the size of its functions", &count, why))
        return false;
    table->functions = memory_zeros(count, sizeof *table->functions);
    for (size_t i = 0; i < regions->count; i++)
        for (uint64_t at = 0; at < regions->items[i].size; at += size)
            if (!read_function(&table->input, regions->items[i].address + at, regions->items[i].bytes + at,
                               &table->functions[table->function_count++], why))
                return false;
    sort_and_merge_functions(table);
    return true;
}

/* ---- Types of calls. */

static bool read_call(const struct table_input *input, uint64_t address, struct table_call *call,
                      struct reason *why) {
    struct allocsite_call raw;
    if (!table_read(&input->frames, address, &raw, sizeof raw))
        return reason_set(why, "damaged site table: no call is at address 0x%llx",
                          (unsigned long long)address);
    if (raw.version != ALLOCSITE_FORMAT_VERSION)
        return reason_set(why, "types of calls of format version %u; this allocsite-dump reads version %u",
                          raw.version, ALLOCSITE_FORMAT_VERSION);
    *call = (struct table_call){.flags = raw.flags & ALLOCSITE_HANDS_ON};
    call->at.line = raw.line;
    call->at.column = raw.column;
    uint64_t scope = table_target(FIELD(address, struct allocsite_call, scope), raw.scope);
    uint64_t type = table_target(FIELD(address, struct allocsite_call, type), raw.type);
    return (table_read_scope(input, scope, &call->at) && table_read_string(input, type, &call->type)) ||
           reason_set(why, "damaged site table: the call at address 0x%llx has a bad source location or type",
                      (unsigned long long)address);
}

/* The calls of one object, and their address. */
static uint64_t read_list(const struct table_region *region, uint64_t at, struct allocsite_calls *list) {
    memcpy(list, region->bytes + at, sizeof *list);
    return table_target(FIELD(region->address + at, struct allocsite_calls, first), list->first);
}

static bool add_calls(struct table *table, const struct table_region *region, struct reason *why) {
    struct allocsite_calls list;
    for (uint64_t at = 0; at < region->size; at += sizeof list) {
        uint64_t address = read_list(region, at, &list);
        for (uint32_t i = 0; i < list.count; i++, address += sizeof(struct allocsite_call))
            if (!read_call(&table->input, address, &table->calls[table->call_count++], why))
                return false;
    }
    return true;
}

/* The lists of a sound table do not overlap. Many lists that share the same bytes would let a small file
 * cause a large allocation. */
static bool count_calls(const struct table_input *input, uint64_t *count, struct reason *why) {
    struct allocsite_calls list;
    uint64_t available = 0;
    *count = 0;
    for (size_t i = 0; i < input->frames.count; i++)
        available += input->frames.items[i].size;
    for (size_t i = 0; i < input->calls.count; i++)
        for (uint64_t at = 0; at < input->calls.items[i].size; at += sizeof list) {
            read_list(&input->calls.items[i], at, &list);
            *count += list.count;
        }
    return *count <= available / sizeof(struct allocsite_call) ||
           reason_set(why, "damaged site table: types of calls overlap");
}

bool table_decode_calls(struct table *table, struct reason *why) {
    const struct table_regions *regions = &table->input.calls;
    uint64_t count;
    size_t lists;
    if (!table_count(regions, sizeof(struct allocsite_calls), "the size of its calls", &lists, why) ||
        !count_calls(&table->input, &count, why))
        return false;
    table->calls = memory_zeros(count, sizeof *table->calls);
    for (size_t i = 0; i < regions->count; i++)
        if (!add_calls(table, &regions->items[i], why))
            return false;
    return true;
}
