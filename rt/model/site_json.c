/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The JSON of a site's static fields. */
#include "model/site_json.h"

#include "base/path.h"

#include <limits.h>

static void string_member(struct out *out, const char *key, const char *value) {
    out_text(out, key);
    out_json_string(out, value);
}

static void place_members(struct out *out, const struct place *place) {
    string_member(out, "\"function\":", place->function);
    string_member(out, ",\"file\":", place->file);
    out_text(out, ",\"line\":");
    out_u64(out, place->line);
    out_text(out, ",\"column\":");
    out_u64(out, place->column);
}

static void inlined_array(struct out *out, const struct place *places, size_t count) {
    out_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        out_text(out, i ? ",{" : "{");
        place_members(out, &places[i]);
        out_char(out, '}');
    }
    out_char(out, ']');
}

void site_json_fields(struct out *out, const struct site_view *site) {
    out_text(out, "\"id\":\"");
    out_hex16(out, site->id);
    string_member(out, "\",\"module\":", site->module);
    out_text(out, site->sited ? ",\"sited\":true," : ",\"sited\":false,");
    place_members(out, &site->at);
    string_member(out, ",\"callee\":", site->callee);
    string_member(out, ",\"type\":", site->type);
    out_text(out, ",\"inlined\":");
    inlined_array(out, site->inlined, site->inlined_count);
    if (site->of_wrapper)
        out_text(out, ",\"wrapper\":true");
    if (site->address) {
        out_text(out, ",\"address\":\"0x");
        out_hex(out, site->address);
        out_char(out, '"');
    }
    if (site->backing)
        out_text(out, ",\"backing\":true");
}

/* ---- Places in the source as people read them. */

void place_write_path(struct out *out, const char *path, const char *directory) {
    char text[PATH_MAX];
    path_show(text, sizeof text, path ? path : "?", directory);
    out_plain(out, text);
}

void place_write(struct out *out, const struct place *place, const char *directory) {
    place_write_path(out, place->file, directory);
    if (!place->line)
        return;
    out_char(out, ':');
    out_u64(out, place->line);
    if (!place->column)
        return;
    out_char(out, ':');
    out_u64(out, place->column);
}
