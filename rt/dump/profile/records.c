/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The slots of a profile that is written. */
#include "dump/profile/records.h"

#include "base/chunks.h"
#include "base/grow.h"
#include "base/hash.h"
#include "dump/profile/areas.h"
#include "format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t stack_slot(const struct profile_records *records, size_t stack) {
    return PROFILE_FIRST_SLOT + records->report->site_count + stack;
}

static bool is_module(const void *key, const void *context, size_t element) {
    const struct profile_record *module = key,
                                *other = &((const struct profile_records *)context)->list[element];
    return module->file == other->file && module->build_id == other->build_id;
}

static bool add_record(struct profile_records *records, const struct profile_record *record, uint32_t *slot) {
    if (!grow(&records->list, records->count, &records->room, sizeof *records->list))
        return false;
    *slot = (uint32_t)records->count;
    records->list[records->count++] = *record;
    return true;
}

static bool name_module(struct profile_records *records, const char *path, const char *build_id,
                        struct profile_record *module) {
    *module = (struct profile_record){.what = PROFILE_MODULE};
    return name_write(&records->names, path, &module->file) &&
           name_write(&records->names, build_id, &module->build_id);
}

static uint64_t hash_module(const struct profile_record *module) {
    return hash_number(hash_number(0, module->file), module->build_id);
}

/* Records name their module by its slot: that of its row if it has one, else one behind all rows. */
static bool module_slot(struct profile_records *records, const char *path, const char *build_id,
                        uint32_t *slot) {
    struct profile_record module;
    *slot = 0;
    if (!path || !name_module(records, path, build_id, &module))
        return !path;
    uint64_t hash = hash_module(&module);
    size_t found = hash_find(&records->modules, hash, is_module, &module, records);
    if (found != HASH_NONE) {
        *slot = (uint32_t)found;
        return true;
    }
    module.id = path_id(path);
    module.module = (uint32_t)records->count;
    return add_record(records, &module, slot) && hash_add(&records->modules, hash, *slot);
}

static bool make_module(struct profile_records *records, const struct site_view *view, uint32_t slot) {
    struct profile_record *record = &records->list[slot];
    if (!name_module(records, view->module, view->build_id, record))
        return false;
    record->id = view->id;
    record->module = slot;
    return !record->file || hash_add(&records->modules, hash_module(record), slot);
}

static bool make_site(struct profile_records *records, const struct site_view *view,
                      struct profile_record *record) {
    struct name_writer *names = &records->names;
    *record = (struct profile_record){
        .id = view->id,
        .line = view->at.line,
        .column = view->at.column,
        .what = view->sited ? PROFILE_SITE : PROFILE_CALLER,
        .address = view->of_wrapper ? ALLOCSITE_OF_WRAPPER : view->address,
    };
    return module_slot(records, view->module, view->build_id, &record->module) &&
           name_write(names, view->at.function, &record->function) &&
           name_write(names, view->at.file, &record->file) &&
           name_write(names, view->callee, &record->callee) && name_write(names, view->type, &record->type) &&
           name_write_chain(names, view->inlined, view->inlined_count, &record->inlined);
}

static bool is_module_row(const struct site_view *view) {
    return !view->sited && !view->address;
}

/* Backing is a part of a record of its own, whether its site has a row or not. */
static bool make_backing(struct profile_records *records, const struct site_view *view,
                         struct profile_record *record) {
    struct profile_record whole;
    *record = (struct profile_record){.id = view->id, .what = PROFILE_BACKING};
    if (is_module_row(view) && view->module)
        return module_slot(records, view->module, view->build_id, &record->parent);
    if (!make_site(records, view, &whole))
        return false;
    record->module = whole.module;
    return add_record(records, &whole, &record->parent);
}

static bool make_row(struct profile_records *records, size_t row) {
    const struct site_view *view = &records->report->sites[row]->view;
    uint32_t slot = PROFILE_FIRST_SLOT + (uint32_t)row;
    struct profile_record record;
    if (is_module_row(view) && !view->backing)
        return make_module(records, view, slot);
    if (!(view->backing ? make_backing : make_site)(records, view, &record))
        return false;
    records->list[slot] = record;
    return true;
}

static bool write_step(struct profile_records *records, const struct report_frame *frame,
                       profile_name *step) {
    struct profile_step key = {.caller = *step,
                               .address = {(uint32_t)frame->address, (uint32_t)(frame->address >> 32)}};
    return (!frame->module ||
            module_slot(records, frame->module->path, frame->module->build_id, &key.module)) &&
           name_write_step(&records->names, &key, step);
}

static bool make_stack(struct profile_records *records, size_t index) {
    const struct report_stack *stack = &records->report->stacks[index];
    uint32_t parent = PROFILE_FIRST_SLOT + (uint32_t)stack->site->position;
    struct profile_record record = {.what = PROFILE_STACK, .parent = parent};
    record.module = records->list[parent].module;
    for (size_t i = stack->frame_count; i-- > 0;)
        if (!write_step(records, &stack->frames[i], &record.stack))
            return false;
    records->list[stack_slot(records, index)] = record;
    return true;
}

static uint64_t rest(uint64_t whole, uint64_t part) {
    return whole > part ? whole - part : 0;
}

/* So that readers, who add them up again, get no maximum that is smaller, and no bound that is. */
static void take_off(struct counters *counters, const struct counters *part) {
    uint64_t bound = counters->max_live_blocks + counters->max_live_blocks_within;
    uint64_t bound_of_part = part->max_live_blocks + part->max_live_blocks_within;
#define TAKE_OFF(name) counters->name = rest(counters->name, part->name);
    ALLOCSITE_TOTALS(TAKE_OFF)
#undef TAKE_OFF
    counters->max_live_blocks_within = rest(rest(bound, bound_of_part), counters->max_live_blocks);
}

static bool take_stacks_off(struct profile_records *records) {
    const struct report *report = records->report;
    records->own = calloc(report->site_count + 1, sizeof *records->own);
    for (size_t i = 0; records->own && i < report->site_count; i++)
        records->own[i] = *report->sites[i];
    for (size_t i = 0; records->own && i < report->stack_count; i++)
        take_off(&records->own[report->stacks[i].site->position].counters, &report->stacks[i].counters);
    return records->own;
}

/* Modules first, so that others find the rows of theirs. */
static bool make_rows(struct profile_records *records, bool are_modules) {
    const struct report *report = records->report;
    for (size_t i = 0; i < report->site_count; i++) {
        const struct site_view *view = &report->sites[i]->view;
        report->sites[i]->position = i;
        if ((is_module_row(view) && !view->backing) == are_modules && !make_row(records, i))
            return false;
    }
    return true;
}

static bool make_rest(struct profile_records *records) {
    const struct report *report = records->report;
    uint32_t slot;
    for (size_t i = 0; i < report->stack_count; i++)
        if (!make_stack(records, i))
            return false;
    for (size_t i = 0; i < report->modules_size; i++)
        if (!module_slot(records, report->modules[i].path, report->modules[i].build_id, &slot))
            return false;
    return true;
}

static bool make_places(struct profile_records *records) {
    size_t count = stack_slot(records, records->report->stack_count);
    if (2 * count >= PROFILE_SLOTS_MAX) {
        errno = EOVERFLOW;
        return false;
    }
    records->room = records->count = count + records->report->has_custom;
    records->list = calloc(records->room, sizeof *records->list);
    if (records->list && records->report->has_custom)
        records->list[count] = (struct profile_record){.what = PROFILE_CUSTOM};
    return records->list;
}

bool profile_records_make(struct profile_records *records) {
    return make_places(records) && make_rows(records, true) && make_rows(records, false) &&
           make_rest(records) && take_stacks_off(records);
}

void profile_records_free(struct profile_records *records) {
    name_writer_free(&records->names);
    hash_free(&records->modules);
    free(records->list);
    free(records->own);
}

struct report_site profile_records_counted(const struct profile_records *records, uint64_t slot) {
    const struct report *report = records->report;
    uint64_t row = slot - PROFILE_FIRST_SLOT, stack = row - report->site_count;
    if (slot < PROFILE_FIRST_SLOT)
        return (struct report_site){.lost_blocks = 0};
    if (row < report->site_count)
        return records->own[row];
    if (stack < report->stack_count)
        return (struct report_site){.counters = report->stacks[stack].counters};
    if (stack == report->stack_count && report->has_custom)
        return (struct report_site){.counters = report->custom};
    return (struct report_site){.lost_blocks = 0};
}

/* ---- The names of a profile that is written. */

/* Where chunk number of the names ends. */
static uint64_t chunk_end(unsigned number) {
    return chunk_start(PROFILE_NAMES_FIRST, number + 1);
}

/* The first place behind all others, aligned to 4, where so many bytes do not lie in two chunks. Offset 0
 * means nothing. */
static uint64_t next_place(const struct name_writer *writer, size_t size) {
    uint64_t at = writer->size ? (writer->size + 3) / 4 * 4 : 4;
    for (unsigned number = 0; number < PROFILE_CHUNKS; number++)
        if (at < chunk_end(number) && at + size <= chunk_end(number))
            return at;
        else if (at < chunk_end(number))
            at = chunk_end(number);
    return UINT32_MAX;
}

static bool make_room(struct name_writer *writer, uint64_t size) {
    size_t room = writer->room ? writer->room : PROFILE_NAMES_FIRST;
    while (room < size)
        room *= 2;
    if (room == writer->room)
        return true;
    char *larger = realloc(writer->bytes, room);
    if (!larger)
        return false;
    memset(larger + writer->room, 0, room - writer->room);
    writer->bytes = larger;
    writer->room = room;
    return true;
}

static bool append(struct name_writer *writer, struct hash_index *index, uint64_t hash, const void *bytes,
                   size_t size, profile_name *name) {
    uint64_t at = next_place(writer, size);
    writer->is_full |= at + size > UINT32_MAX;
    if (writer->is_full || !make_room(writer, at + size) || !hash_add(index, hash, at))
        return false;
    memcpy(writer->bytes + at, bytes, size);
    writer->size = at + size;
    *name = (profile_name)at;
    return true;
}

static bool is_string(const void *key, const void *context, size_t element) {
    const struct name_writer *writer = context;
    return strcmp(key, writer->bytes + element) == 0;
}

bool name_write(struct name_writer *writer, const char *text, profile_name *name) {
    *name = 0;
    if (!text)
        return true;
    uint64_t hash = hash_text(0, text);
    size_t found = hash_find(&writer->strings, hash, is_string, text, writer);
    if (found == HASH_NONE)
        return append(writer, &writer->strings, hash, text, strlen(text) + 1, name);
    *name = (profile_name)found;
    return true;
}

/* The bytes to find among those that were written. */
struct fixed {
    const struct name_writer *writer;
    size_t size;
};

static bool is_fixed(const void *key, const void *context, size_t element) {
    const struct fixed *fixed = context;
    return memcmp(key, fixed->writer->bytes + element, fixed->size) == 0;
}

static bool write_fixed(struct name_writer *writer, struct hash_index *index, const void *bytes, size_t size,
                        profile_name *name) {
    struct fixed fixed = {writer, size};
    uint64_t hash = hash_bytes(0, bytes, size);
    size_t found = hash_find(index, hash, is_fixed, bytes, &fixed);
    if (found == HASH_NONE)
        return append(writer, index, hash, bytes, size, name);
    *name = (profile_name)found;
    return true;
}

bool name_write_frame(struct name_writer *writer, const struct profile_frame *frame, profile_name *name) {
    return write_fixed(writer, &writer->frames, frame, sizeof *frame, name);
}

bool name_write_step(struct name_writer *writer, const struct profile_step *step, profile_name *name) {
    return write_fixed(writer, &writer->steps, step, sizeof *step, name);
}

static bool write_frame(struct name_writer *writer, const struct place *place, profile_name *frame) {
    struct profile_frame key = {.line = place->line, .column = place->column, .caller = *frame};
    return name_write(writer, place->function, &key.function) && name_write(writer, place->file, &key.file) &&
           name_write_frame(writer, &key, frame);
}

bool name_write_chain(struct name_writer *writer, const struct place *places, size_t count,
                      profile_name *frame) {
    for (*frame = 0; count; count--)
        if (!write_frame(writer, &places[count - 1], frame))
            return false;
    return true;
}

void name_writer_free(struct name_writer *writer) {
    free(writer->bytes);
    hash_free(&writer->strings);
    hash_free(&writer->frames);
    hash_free(&writer->steps);
}
