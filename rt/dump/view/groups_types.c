/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is known of the rows of types. */
#include "dump/view/groups_types.h"

#include "write/json.h"

/* One block can be an array, which is elements and nothing else, or have other data behind what the type
 * describes. */
static uint64_t elements(const struct type_layout *layout, uint64_t blocks, uint64_t bytes, bool is_array) {
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
    use->padding += layout->padding * elements(layout, counters_calls(counters), bytes, is_array);
    use->live_padding +=
        layout->padding * elements(layout, counters->live_blocks, counters->live_bytes, is_array);
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

struct types_known groups_types_known(const struct groups *groups) {
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

const struct types_unknown *groups_types_unknown(const struct groups *groups, size_t index) {
    bool has = groups->layouts && index < groups->layouts->unknown_count;
    return has ? &groups->layouts->unknown[index] : NULL;
}

static void begin_line(const struct page *page, const char *text, const char *markdown) {
    out_text(page->out, page->is_markdown ? markdown : text);
}

static void end_line(const struct page *page) {
    out_text(page->out, page->is_markdown ? ".\n" : "\n");
}

/* "1.0 KiB of 100 KiB (1.0%)" */
static void put_part(const struct page *page, uint64_t part, uint64_t whole) {
    page_size(page, part);
    out_text(page->out, " of ");
    page_size(page, whole);
    out_text(page->out, " (");
    page_share(page, part, whole);
    out_char(page->out, ')');
}

static void put_known(const struct page *page, const struct groups *groups) {
    struct types_known known = groups_types_known(groups);
    begin_line(page, "types: known of ", "\nTypes: known of ");
    page_count(page, known.calls, " of ", " of ");
    page_count(page, known.all_calls, " call (", " calls (");
    page_share(page, known.calls, known.all_calls);
    out_text(page->out, "), ");
    put_part(page, known.bytes, known.all_bytes);
    end_line(page);
}

static void put_padding(const struct page *page, const struct type_use *whole) {
    if (!whole->bytes && !whole->live_bytes)
        return;
    begin_line(page, "padding: ", "\nPadding: ");
    put_part(page, whole->padding, whole->bytes);
    out_text(page->out, "; of what is live ");
    put_part(page, whole->live_padding, whole->live_bytes);
    end_line(page);
}

void groups_put_types(const struct page *page, const struct groups *groups) {
    const struct types_unknown *unknown;
    put_known(page, groups);
    put_padding(page, &groups->whole_use);
    for (size_t i = 0; (unknown = groups_types_unknown(groups, i)); i++) {
        begin_line(page, "layouts: not known of ", "\nLayouts: not known of ");
        page_code(page, unknown->module);
        out_text(page->out, ", ");
        out_plain(page->out, unknown->why.text);
        end_line(page);
    }
}

static void use_json(struct out *out, const struct type_use *use) {
    json_number(out, "padding_bytes", use->padding);
    json_number(out, "live_padding_bytes", use->live_padding);
}

void groups_types_json(struct out *out, const struct groups *groups) {
    struct types_known known = groups_types_known(groups);
    const struct types_unknown *unknown;
    json_number(out, "typed_calls", known.calls);
    json_number(out, "typed_bytes", known.bytes);
    json_number(out, "laid_out_bytes", groups->whole_use.bytes);
    json_number(out, "laid_out_live_bytes", groups->whole_use.live_bytes);
    use_json(out, &groups->whole_use);
    out_text(out, ",\"unknown_layouts\":[");
    for (size_t i = 0; (unknown = groups_types_unknown(groups, i)); i++) {
        out_text(out, i ? ",{\"module\":" : "{\"module\":");
        out_json_string(out, unknown->module);
        json_text(out, "reason", unknown->why.text);
        out_char(out, '}');
    }
    out_char(out, ']');
}

static void put_hole(const struct page *page, const struct type_hole *hole) {
    page_break(page);
    page_size(page, hole->size);
    out_text(page->out, " at ");
    out_u64(page->out, hole->offset);
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

/* Of types that differ from module to module there is a sum all the same. */
static bool has_sums(const struct type_use *use) {
    return use->bytes || type_use_has_padding(use);
}

static void number_or_null(struct out *out, const char *name, uint64_t value, bool is_known) {
    if (is_known)
        json_number(out, name, value);
    else
        json_text(out, name, NULL);
}

static void hole_json(struct out *out, const struct type_hole *hole) {
    out_text(out, "{\"after\":");
    out_json_string(out, hole->after[0] ? hole->after : NULL);
    json_number(out, "offset", hole->offset);
    json_number(out, "size", hole->size);
    out_char(out, '}');
}

void type_use_json(struct out *out, const struct type_use *use) {
    bool has_size = type_use_has_size(use), has_padding = type_use_has_padding(use);
    number_or_null(out, "size", has_size ? use->layout->size : 0, has_size);
    number_or_null(out, "padding", has_padding ? use->layout->padding : 0, has_padding);
    number_or_null(out, "padding_bytes", use->padding, has_sums(use));
    number_or_null(out, "live_padding_bytes", use->live_padding, has_sums(use));
    out_text(out, use->differs ? ",\"differs\":true" : ",\"differs\":false");
    out_text(out, has_padding && use->layout->is_partial ? ",\"partial\":true" : ",\"partial\":false");
    out_text(out, ",\"holes\":[");
    for (size_t i = 0; has_padding && i < use->layout->holes_count && i < TYPE_HOLES_MAX; i++) {
        out_text(out, i ? "," : "");
        hole_json(out, &use->layout->holes[i]);
    }
    out_char(out, ']');
}

static void csv_number(struct out *out, uint64_t value, bool is_known) {
    out_char(out, ',');
    if (is_known)
        out_u64(out, value);
}

void type_use_csv(struct out *out, const struct type_use *use) {
    bool has_size = type_use_has_size(use), has_padding = type_use_has_padding(use);
    csv_number(out, has_size ? use->layout->size : 0, has_size);
    csv_number(out, has_padding ? use->layout->padding : 0, has_padding);
    csv_number(out, use->padding, has_sums(use));
    csv_number(out, use->live_padding, has_sums(use));
}
