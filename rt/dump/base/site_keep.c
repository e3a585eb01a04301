/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sites that outlive the report that they are of. */
#include "dump/base/site_keep.h"

#include "dump/base/memory.h"

uint64_t site_hash(const struct site_view *view) {
    uint64_t hash = hash_number(view->id, (uint64_t)view->at.line << 32 | view->at.column);
    hash = hash_text(hash, view->at.function);
    hash = hash_text(hash, view->at.file);
    return hash_text(hash_text(hash, view->callee), view->module);
}

static struct place keep_place(struct string_pool *strings, struct place place) {
    place.function = string_keep(strings, place.function);
    place.file = string_keep(strings, place.file);
    return place;
}

struct place *site_keep(struct site_view *view, const struct site_view *from, struct string_pool *strings) {
    struct place *places = memory_copy(from->inlined, from->inlined_count * sizeof *places);
    *view = *from;
    view->at = keep_place(strings, from->at);
    view->module = string_keep(strings, from->module);
    view->callee = string_keep(strings, from->callee);
    view->type = string_keep(strings, from->type);
    view->build_id = string_keep(strings, from->build_id);
    view->inlined = places;
    for (size_t i = 0; i < from->inlined_count; i++)
        places[i] = keep_place(strings, places[i]);
    return places;
}
