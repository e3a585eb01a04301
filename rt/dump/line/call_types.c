/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Types that the callers of wrappers know. */
#include "dump/line/call_types.h"

#include "base/path.h"
#include "dump/base/memory.h"
#include "dump/base/names.h"
#include "format.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_call(const struct call_type *call) {
    uint64_t hash = hash_text(hash_text(0, call->function), call->file);
    return hash_number(hash, (uint64_t)call->line << 32 | call->column);
}

static bool is_call(const void *key, const void *context, size_t element) {
    const struct call_type *a = key, *b = &((const struct call_types *)context)->list[element];
    return a->line == b->line && a->column == b->column && is_same_text(a->function, b->function) &&
           is_same_text(a->file, b->file);
}

static struct call_type *call_types_same(const struct call_types *types, const struct call_type *key) {
    size_t found = hash_find(&types->index, hash_call(key), is_call, key, types);
    return found == HASH_NONE ? NULL : &types->list[found];
}

static void call_types_insert(struct call_types *types, const struct call_type *call) {
    struct call_type *known = call_types_same(types, call);
    if (known) {
        known->is_unsure |= known->hands_on != call->hands_on || !is_same_text(known->type, call->type);
        return;
    }
    memory_grow(&types->list, types->count, &types->capacity, sizeof *types->list);
    hash_put(&types->index, hash_call(call), types->count);
    types->list[types->count++] = *call;
}

/* Template instances differ in their whole names, which demanglers write in different ways. So a call is
 * found by the whole name of its function or, failing that, by the part that all demanglers print alike. */
void call_types_add(struct call_types *types, const struct table *table, struct string_pool *strings) {
    for (size_t i = 0; i < table->call_count; i++) {
        const struct table_call *from = &table->calls[i];
        char *base = function_base_copy(from->at.function);
        struct call_type call = {.function = string_keep(strings, from->at.function),
                                 .file = string_keep(strings, path_base(from->at.file)),
                                 .line = from->at.line,
                                 .column = from->at.column,
                                 .type = string_keep(strings, from->type),
                                 .hands_on = from->flags & ALLOCSITE_HANDS_ON};
        call_types_insert(types, &call);
        call.function = string_keep(strings, base);
        call_types_insert(types, &call);
        call.column = 0;
        call_types_insert(types, &call);
        free(base);
    }
}

void call_types_free(struct call_types *types) {
    free(types->list);
    hash_free(&types->index);
}

const struct call_type *call_types_find(const struct call_types *types, const struct place *place) {
    struct call_type key = {.function = place->function,
                            .file = place->file ? path_base(place->file) : NULL,
                            .line = place->line,
                            .column = place->column};
    if (!types->count || !place->function || !place->line)
        return NULL;
    const struct call_type *found = call_types_same(types, &key);
    if (!found || found->is_unsure) {
        char *base = function_base_copy(place->function);
        key.function = base;
        found = call_types_same(types, &key);
        free(base);
    }
    return found && !found->is_unsure ? found : NULL;
}
