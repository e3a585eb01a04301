/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The layouts of the rows of types. */
#include "group/groups.h"

#include "write/formats.h"

/* Allocations of known type and all allocations, and their bytes. */
struct types_known {
    uint64_t calls, all_calls;
    uint64_t bytes, all_bytes;
};

/* Returns the number of elements. A block that is no array has one element, even if other data follow it. */
static uint64_t type_elements(const struct type_layout *layout, uint64_t blocks, uint64_t bytes,
                              bool is_array) {
    uint64_t fit = bytes / layout->size;
    return is_array || fit < blocks ? fit : blocks;
}

static bool has_arrays(const struct type_layout *layout, const struct counters *counters) {
    uint64_t bytes = counters_bytes(counters) + counters->inherited_bytes;
    return !layout->is_flexible && bytes % layout->size == 0;
}

static bool is_other(const struct type_layout *a, const struct type_layout *b) {
    return a->state != b->state || a->size != b->size || a->padding != b->padding;
}

void type_use_add_site(struct type_use *use, const struct type_layout *layout,
                       const struct counters *counters) {
    if (!layout || layout->state == TYPE_UNKNOWN)
        return;
    use->differs |= layout->state == TYPE_DIFFERS || (use->layout && is_other(use->layout, layout));
    use->layout = layout;
    if (layout->state != TYPE_KNOWN)
        return;
    bool is_array = has_arrays(layout, counters);
    uint64_t bytes = counters_bytes(counters);
    use->bytes += bytes;
    use->live_bytes += counters->live_bytes;
    use->padding += layout->padding * type_elements(layout, counters_calls(counters), bytes, is_array);
    use->live_padding +=
        layout->padding * type_elements(layout, counters->live_blocks, counters->live_bytes, is_array);
}

void type_use_join(struct type_use *use, const struct type_use *part) {
    use->differs |= part->differs || (use->layout && part->layout && is_other(use->layout, part->layout));
    use->layout = part->layout ? part->layout : use->layout;
    type_use_add(use, part);
}

void type_use_add(struct type_use *use, const struct type_use *part) {
    use->bytes += part->bytes;
    use->live_bytes += part->live_bytes;
    use->padding += part->padding;
    use->live_padding += part->live_padding;
}

bool type_use_has_size(const struct type_use *use) {
    return use->layout && !use->differs;
}

bool type_use_has_padding(const struct type_use *use) {
    return type_use_has_size(use) && use->layout->state == TYPE_KNOWN;
}

static struct types_known groups_types_known(const struct groups *groups) {
    struct types_known known = {0};
    for (size_t i = 0; i < groups->count; i++) {
        const struct group *row = &groups->rows[i];
        uint64_t calls = counters_calls(&row->sum.counters), bytes = counters_bytes(&row->sum.counters);
        bool is_known = row->key.name && !row->key.is_module;
        known.all_calls += calls;
        known.all_bytes += bytes;
        known.calls += is_known ? calls : 0;
        known.bytes += is_known ? bytes : 0;
    }
    return known;
}

/* Returns why the types of a module are unknown, for the index-th such module; NULL if there are fewer. */
static const struct types_unknown *groups_types_unknown(const struct groups *groups, size_t index) {
    return index < groups->unknown_count ? &groups->unknown[index] : NULL;
}

/* Writes "1.0 KiB of 100 KiB (1.0%)". */
static void put_part(const struct page *page, uint64_t part, uint64_t whole) {
    out_print(page->out, "%s of %s (%s)", SIZE_TEXT(part), SIZE_TEXT(whole), SHARE_TEXT(part, whole));
}

static void put_known(const struct page *page, const struct groups *groups) {
    struct types_known known = groups_types_known(groups);
    page_begin_line(page, "types: known of ", "\nTypes: known of ");
    out_print(page->out, "%s of %s%s%s), ", COUNT_TEXT(known.calls), COUNT_TEXT(known.all_calls),
              known.all_calls == 1 ? " call (" : " calls (", SHARE_TEXT(known.calls, known.all_calls));
    put_part(page, known.bytes, known.all_bytes);
    page_end_line(page);
}

static void put_padding(const struct page *page, const struct type_use *whole) {
    if (!whole->bytes && !whole->live_bytes)
        return;
    page_begin_line(page, "padding: ", "\nPadding: ");
    put_part(page, whole->padding, whole->bytes);
    out_text(page->out, "; of what is live ");
    put_part(page, whole->live_padding, whole->live_bytes);
    page_end_line(page);
}

void groups_put_types(const struct page *page, const struct groups *groups) {
    const struct types_unknown *unknown;
    put_known(page, groups);
    put_padding(page, &groups->whole_use);
    for (size_t i = 0; (unknown = groups_types_unknown(groups, i)); i++) {
        page_begin_line(page, "layouts: not known of ", "\nLayouts: not known of ");
        page_code(page, unknown->module);
        out_text(page->out, ", ");
        page_code(page, unknown->why);
        page_end_line(page);
    }
}

void groups_types_json(struct json *json, const struct groups *groups) {
    struct types_known known = groups_types_known(groups);
    const struct type_use *whole = &groups->whole_use;
    const struct types_unknown *unknown;
    json_number(json, "typed_calls", known.calls);
    json_number(json, "typed_bytes", known.bytes);
    json_number(json, "laid_out_bytes", whole->bytes);
    json_number(json, "laid_out_live_bytes", whole->live_bytes);
    json_number(json, "padding_bytes", whole->padding);
    json_number(json, "live_padding_bytes", whole->live_padding);
    json_open(json, "unknown_layouts", '[');
    for (size_t i = 0; (unknown = groups_types_unknown(groups, i)); i++) {
        json_open(json, NULL, '{');
        json_text(json, "module", unknown->module);
        json_text(json, "reason", unknown->why);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void put_hole(const struct page *page, const struct type_hole *hole) {
    page_break(page);
    out_print(page->out, "%s at %lu", SIZE_TEXT(hole->size), hole->offset);
    if (!hole->after[0])
        return;
    out_text(page->out, ", behind ");
    page_code(page, hole->after);
}

void groups_put_holes(const struct page *page, const struct groups *groups, const struct type_use *use) {
    if (!groups->show_holes || !type_use_has_padding(use))
        return;
    for (size_t i = 0; i < use->layout->holes_count && i < TYPE_HOLES_MAX; i++)
        put_hole(page, &use->layout->holes[i]);
    if (use->layout->holes_count <= TYPE_HOLES_MAX)
        return;
    page_break(page);
    page_count(page, use->layout->holes_count - TYPE_HOLES_MAX, " more", " more");
}

/* Types that differ between modules have no common size, but their bytes have a sum. */
static bool has_sums(const struct type_use *use) {
    return use->bytes || type_use_has_padding(use);
}

static void put_number(const struct record *record, const char *name, uint64_t value, bool is_known) {
    if (is_known)
        record_number(record, name, value);
    else
        record_text(record, name, NULL);
}

static void hole_json(struct json *json, const struct type_hole *hole) {
    json_open(json, NULL, '{');
    json_text(json, "after", hole->after[0] ? hole->after : NULL);
    json_number(json, "offset", hole->offset);
    json_number(json, "size", hole->size);
    json_close(json, '}');
}

void type_use_write(const struct record *record, const struct type_use *use) {
    bool has_size = type_use_has_size(use), has_padding = type_use_has_padding(use);
    struct json *json = record->json;
    put_number(record, "size", has_size ? use->layout->size : 0, has_size);
    put_number(record, "padding", has_padding ? use->layout->padding : 0, has_padding);
    put_number(record, "padding_bytes", use->padding, has_sums(use));
    put_number(record, "live_padding_bytes", use->live_padding, has_sums(use));
    if (!json)
        return;
    json_flag(json, "differs", use->differs);
    json_flag(json, "partial", has_padding && use->layout->is_partial);
    json_open(json, "holes", '[');
    for (size_t i = 0; has_padding && i < use->layout->holes_count && i < TYPE_HOLES_MAX; i++)
        hole_json(json, &use->layout->holes[i]);
    json_close(json, ']');
}
