/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decodes a site table. */
#include "dump/table/decode.h"

#include "base/arrays.h"
#include "base/path.h"
#include "dump/base/memory.h"
#include "format.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The last region that begins at or before the address. */
static const struct table_region *region_before(const struct table_regions *regions, uint64_t address) {
    size_t count = sorted_up_to(regions->items, regions->count, sizeof *regions->items,
                                offsetof(struct table_region, address), address);
    return count ? &regions->items[count - 1] : NULL;
}

/* Returns the bytes at the address; NULL: no region contains all of them. */
static const unsigned char *table_bytes(const struct table_regions *regions, uint64_t address, size_t size) {
    const struct table_region *region = region_before(regions, address);
    if (!region)
        return NULL;
    uint64_t offset = address - region->address;
    if (offset > region->size || size > region->size - offset)
        return NULL;
    return region->bytes + offset;
}

bool table_read(const struct table_regions *regions, uint64_t address, void *to, size_t size) {
    const unsigned char *bytes = table_bytes(regions, address, size);
    if (bytes)
        memcpy(to, bytes, size);
    return bytes;
}

/* A string stored next to the record that refers to it; NULL: not terminated. */
static const char *string_of_frames(const struct table_regions *frames, uint64_t address) {
    const struct table_region *region = region_before(frames, address);
    const unsigned char *bytes = table_bytes(frames, address, 1);
    return bytes && memchr(bytes, '\0', region->size - (address - region->address)) ? (const char *)bytes
                                                                                    : NULL;
}

/* Regions of strings end with a NUL (checked once, in check_strings), so every string in them is terminated.
 */
bool table_read_string(const struct table_input *input, uint64_t address, const char **string) {
    *string = NULL;
    if (address == 0)
        return true;
    const char *bytes =
        (const char *)table_bytes(&input->strings, address, 1) ?: string_of_frames(&input->frames, address);
    if (bytes && *bytes)
        *string = bytes;
    return bytes != NULL;
}

bool table_read_scope(const struct table_input *input, uint64_t address, struct place *place) {
    struct allocsite_scope scope;
    return table_read(&input->frames, address, &scope, sizeof scope) &&
           table_read_string(input,
                             table_target(FIELD(address, struct allocsite_scope, function), scope.function),
                             &place->function) &&
           table_read_string(input, table_target(FIELD(address, struct allocsite_scope, file), scope.file),
                             &place->file);
}

/* Reads the frame at *address and sets *address to its caller's frame. */
static bool read_frame(const struct table_input *input, uint64_t *address, struct place *place) {
    struct allocsite_frame frame;
    if (!table_read(&input->frames, *address, &frame, sizeof frame))
        return false;
    place->line = frame.line;
    place->column = frame.column;
    uint64_t scope = table_target(FIELD(*address, struct allocsite_frame, scope), frame.scope);
    *address = table_target(FIELD(*address, struct allocsite_frame, caller), frame.caller);
    return table_read_scope(input, scope, place);
}

static bool read_request(const struct table_input *input, uint64_t address, struct table_site *site) {
    struct allocsite_request request;
    if (!table_read(&input->frames, address, &request, sizeof request))
        return false;
    uint64_t callee = table_target(FIELD(address, struct allocsite_request, callee), request.callee);
    uint64_t type = table_target(FIELD(address, struct allocsite_request, type), request.type);
    return table_read_string(input, callee, &site->callee) && table_read_string(input, type, &site->type) &&
           site->callee;
}

static bool check_chain(const struct table_input *input, uint64_t address) {
    struct place place;
    for (int length = 0; address; length++)
        if (length == TABLE_CHAIN_MAX || !read_frame(input, &address, &place))
            return false;
    return true;
}

static bool table_is_damaged(struct reason *why, uint64_t address, const char *part) {
    return reason_set(why, "damaged site table: the site at address 0x%llx has a bad %s",
                      (unsigned long long)address, part);
}

/* False: the leading descriptor is missing. */
static bool read_refs(const struct table_region *region, uint64_t at, const struct allocsite_site *site,
                      struct allocsite_refs *refs) {
    struct allocsite_site leader = *site;
    uint64_t back = allocsite_to_leader(site) * sizeof leader;
    if (back > at)
        return false;
    memcpy(&leader, region->bytes + at - back, sizeof leader);
    *refs = allocsite_refs_of(site, &leader);
    return true;
}

static bool read_site(const struct table_input *input, const struct table_region *region, uint64_t at,
                      struct table_site *site, struct reason *why) {
    struct allocsite_site raw;
    struct allocsite_refs refs;
    uint64_t address = region->address + at;
    memcpy(&raw, region->bytes + at, sizeof raw);
    if (raw.version != ALLOCSITE_FORMAT_VERSION)
        return reason_set(why, "site table of format version %u; this allocsite-dump reads version %u",
                          raw.version, ALLOCSITE_FORMAT_VERSION);
    uint8_t kind = raw.kind & (uint8_t)~ALLOCSITE_JOINED;
    if (kind > ALLOCSITE_FREE)
        return table_is_damaged(why, address, "kind");
    if (!read_refs(region, at, &raw, &refs))
        return table_is_damaged(why, address, "leader");
    *site = (struct table_site){.address = address, .hash = raw.hash, .kind = kind};
    site->at.line = raw.line;
    site->at.column = raw.column;
    site->caller = table_target(FIELD(address, struct allocsite_site, caller), refs.caller);
    if (!table_read_scope(input, table_target(FIELD(address, struct allocsite_site, scope), refs.scope),
                          &site->at))
        return table_is_damaged(why, address, "function or file");
    uint64_t request = table_target(FIELD(address, struct allocsite_site, request), refs.request);
    if (!read_request(input, request, site))
        return table_is_damaged(why, address, "callee or type");
    if (!check_chain(input, site->caller))
        return table_is_damaged(why, address, "inline chain");
    return true;
}

static bool read_region(struct table *table, const struct table_region *region, struct reason *why) {
    const size_t size = sizeof(struct allocsite_site);
    for (uint64_t at = 0; at < region->size; at += size)
        if (!read_site(&table->input, region, at, &table->sites[table->count++], why))
            return false;
    return true;
}

bool table_count(const struct table_regions *regions, size_t element, const char *what, size_t *count,
                 struct reason *why) {
    *count = 0;
    for (size_t i = 0; i < regions->count; i++) {
        if (regions->items[i].size % element)
            return reason_set(why, "damaged site table: %s is not a multiple of %zu bytes", what, element);
        *count += regions->items[i].size / element;
    }
    return true;
}

static bool check_strings(const struct table_regions *regions, struct reason *why) {
    for (size_t i = 0; i < regions->count; i++)
        if (regions->items[i].size && regions->items[i].bytes[regions->items[i].size - 1] != '\0')
            return reason_set(why, "damaged site table: its strings are not terminated");
    return true;
}

static void sort_regions(struct table_regions *regions) {
    sort_list(regions->items, regions->count, sizeof *regions->items, compare_first_u64);
}

int table_compare_known(const char *a, const char *b) {
    return a == b ? 0 : a && b ? strcmp(a, b) : !a - !b;
}

/* Compares simplified paths, as they are shown. */
static int compare_file(const char *a, const char *b) {
    char clean_a[PATH_MAX], clean_b[PATH_MAX];
    if (a == b || !a || !b)
        return table_compare_known(a, b);
    path_show(clean_a, sizeof clean_a, a, NULL);
    path_show(clean_b, sizeof clean_b, b, NULL);
    return strcmp(clean_a, clean_b) ?: strcmp(a, b);
}

static int by_place(const void *left, const void *right) {
    const struct table_site *a = left, *b = right;
    return compare_file(a->at.file, b->at.file)
               ?: compare_u64(a->at.line, b->at.line)
               ?: compare_u64(a->at.column, b->at.column)
               ?: table_compare_known(a->at.function, b->at.function)
               ?: table_compare_known(a->callee, b->callee) ?: compare_u64(a->hash, b->hash);
}

/* A module may contain the same site several times (see rt/format.h). */
static void sort_and_merge(struct table *table) {
    if (table->count == 0)
        return;
    qsort(table->sites, table->count, sizeof *table->sites, by_place);
    size_t kept = 1;
    for (size_t i = 1; i < table->count; i++)
        if (by_place(&table->sites[i], &table->sites[kept - 1]) != 0)
            table->sites[kept++] = table->sites[i];
    table->count = kept;
}

static bool decode_sites(struct table *table, struct reason *why) {
    const struct table_regions *regions = &table->input.sites;
    size_t count;
    if (!table_count(regions, sizeof(struct allocsite_site), "its size", &count, why) ||
        !check_strings(&table->input.strings, why))
        return false;
    table->sites = memory_zeros(count, sizeof *table->sites);
    for (size_t i = 0; i < regions->count; i++)
        if (!read_region(table, &regions->items[i], why))
            return false;
    sort_and_merge(table);
    return true;
}

bool table_decode(struct table *table, struct table_input input, struct reason *why) {
    sort_regions(&input.frames);
    sort_regions(&input.strings);
    *table = (struct table){.input = input};
    if (decode_sites(table, why) && table_decode_functions(table, why) && table_decode_calls(table, why))
        return true;
    table_free(table);
    return false;
}

void table_free(struct table *table) {
    free(table->sites);
    free(table->functions);
    free(table->calls);
    *table = (struct table){0};
}

size_t table_callers(const struct table *table, const struct table_site *site,
                     struct place chain[TABLE_CHAIN_MAX]) {
    size_t length = 0;
    for (uint64_t address = site->caller; address; length++)
        read_frame(&table->input, &address, &chain[length]);
    return length;
}

const char *table_kind_name(uint8_t kind) {
    static const char *const names[] = {"alloc", "realloc", "free"};
    COVERS(names, ALLOCSITE_FREE + 1);
    return names[kind];
}
