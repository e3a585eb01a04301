/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Assembles a profile in memory. */
#include "dump/profile/image.h"

#include "base/arrays.h"
#include "base/hash.h"
#include "dump/base/memory.h"
#include "dump/profile/areas.h"
#include "format.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* mmap instead of malloc: sizes that a process claims take no memory until they are read. */
static void *map_memory(void *bytes, size_t size, size_t larger) {
    if (size)
        return mremap(bytes, size, larger, MREMAP_MAYMOVE);
    return mmap(NULL, larger, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/* Appends zeros, up to a multiple of the page size. Returns their offset. */
static uint64_t extend_image(struct profile_image *image, size_t size) {
    uint64_t offset = image->size;
    image->size += (size + PROFILE_PAGE - 1) / PROFILE_PAGE * PROFILE_PAGE;
    if (image->size <= image->capacity)
        return offset;
    size_t capacity = image->size > 2 * image->capacity ? image->size : 2 * image->capacity;
    void *larger = map_memory(image->bytes, image->capacity, capacity);
    image->bytes = memory_need(larger == MAP_FAILED ? NULL : larger);
    image->capacity = capacity;
    return offset;
}

void profile_image_open(struct profile_image *image) {
    *image = (struct profile_image){.size = 0};
    extend_image(image, 2 * PROFILE_PAGE);
}

void profile_image_free(struct profile_image *image) {
    if (image->capacity)
        munmap(image->bytes, image->capacity);
    free(image->areas);
}

uint64_t profile_image_add(struct profile_image *image, const struct profile_area *area, const void *bytes) {
    memory_grow(&image->areas, image->count, &image->area_capacity, sizeof *image->areas);
    struct profile_area *kept = &image->areas[image->count++];
    *kept = *area;
    kept->offset = extend_image(image, area->size);
    kept->size = image->size - kept->offset;
    if (bytes)
        memcpy(image->bytes + kept->offset, bytes, area->size);
    return kept->offset;
}

void profile_image_add_array(struct profile_image *image, enum profile_kind kind, const void *bytes,
                             size_t count) {
    size_t element = profile_element_size(kind), whole = profile_first_chunk(kind);
    for (uint32_t chunk = 0; count; chunk++, whole *= 2) {
        size_t part = count < whole ? count : whole;
        profile_image_add(image, &(struct profile_area){.kind = kind, .index = chunk, .size = part * element},
                          bytes);
        bytes = (const char *)bytes + part * element;
        count -= part;
    }
}

static struct profile_directory *directory_of(struct profile_image *image) {
    return (struct profile_directory *)(void *)(image->bytes + PROFILE_PAGE);
}

/* Later chunks of the directory are areas, too; chunk 0 is in its first page. */
void profile_image_end(struct profile_image *image) {
    const uint64_t first = PROFILE_DIRECTORY_FIRST;
    for (unsigned chunk = 1; image->count > chunk_start(first, chunk); chunk++) {
        size_t size = chunk_size(first, chunk) * sizeof *image->areas;
        uint64_t offset = profile_image_add(
            image, &(struct profile_area){.kind = PROFILE_DIRECTORY, .index = chunk, .size = size}, NULL);
        directory_of(image)->chunks[chunk] = offset;
    }
    struct profile_directory *directory = directory_of(image);
    directory->areas = (uint32_t)image->count;
    for (size_t i = 0; i < image->count; i++) {
        struct chunk_place at = chunk_place(first, i);
        void *chunk = at.chunk ? image->bytes + directory->chunks[at.chunk] : (void *)directory->area;
        ((struct profile_area *)chunk)[at.offset] = image->areas[i];
    }
}

/* ---- The slots of a profile that is written. */

/* ---- The names. */

/* End of a chunk of the names. */
static uint64_t chunk_end(unsigned number) {
    return chunk_start(PROFILE_NAMES_FIRST, number + 1);
}

/* The next free offset, aligned to 4, at which that many bytes are within one chunk. Offset 0 means none. */
static uint64_t next_place(const struct name_writer *writer, size_t size) {
    uint64_t at = writer->size ? (writer->size + 3) / 4 * 4 : 4;
    for (unsigned number = 0; number < PROFILE_CHUNKS; number++)
        if (at < chunk_end(number) && at + size <= chunk_end(number))
            return at;
        else if (at < chunk_end(number))
            at = chunk_end(number);
    return UINT32_MAX;
}

static void make_room(struct name_writer *writer, uint64_t size) {
    size_t capacity = writer->capacity ?: PROFILE_NAMES_FIRST;
    while (capacity < size)
        capacity *= 2;
    if (capacity == writer->capacity)
        return;
    writer->bytes = memory_need(realloc(writer->bytes, capacity));
    memset(writer->bytes + writer->capacity, 0, capacity - writer->capacity);
    writer->capacity = capacity;
}

/* The most recently written bytes, to be looked up among the earlier ones. */
struct written {
    const struct name_writer *writer;
    size_t size;
};

static bool is_written(const void *key, const void *context, size_t element) {
    const struct written *written = context;
    return memcmp(key, written->writer->bytes + element, written->size) == 0;
}

static profile_name write_once(struct name_writer *writer, struct hash_index *index, const void *bytes,
                               size_t size) {
    uint64_t hash = hash_bytes(0, bytes, size);
    size_t found = hash_find(index, hash, is_written, bytes, &(struct written){writer, size});
    if (found != HASH_NONE)
        return (profile_name)found;
    uint64_t at = next_place(writer, size);
    writer->is_full |= at + size > UINT32_MAX;
    if (writer->is_full)
        return 0;
    make_room(writer, at + size);
    hash_put(index, hash, at);
    memcpy(writer->bytes + at, bytes, size);
    writer->size = at + size;
    return (profile_name)at;
}

profile_name name_write(struct name_writer *writer, const char *text) {
    return text ? write_once(writer, &writer->strings, text, strlen(text) + 1) : 0;
}

profile_name name_write_frame(struct name_writer *writer, const struct profile_frame *frame) {
    return write_once(writer, &writer->frames, frame, sizeof *frame);
}

static profile_name write_step_name(struct name_writer *writer, const struct profile_return *to,
                                    profile_name caller) {
    struct profile_step step = {caller, write_once(writer, &writer->returns, to, sizeof *to)};
    return write_once(writer, &writer->steps, &step, sizeof step);
}

static profile_name write_chain(struct name_writer *writer, const struct place *places, size_t count) {
    profile_name caller = 0;
    while (count--) {
        struct profile_frame frame = {
            .line = places[count].line, .column = places[count].column, .caller = caller};
        frame.function = name_write(writer, places[count].function);
        frame.file = name_write(writer, places[count].file);
        caller = name_write_frame(writer, &frame);
    }
    return caller;
}

/* ---- The slots. */

static size_t stack_slot(const struct profile_records *records, size_t stack) {
    return PROFILE_FIRST_SLOT + records->report->site_count + stack;
}

static bool is_module(const void *key, const void *context, size_t element) {
    const struct profile_record *module = key,
                                *other = &((const struct profile_records *)context)->list[element];
    return module->file == other->file && module->build_id == other->build_id;
}

static uint32_t add_record(struct profile_records *records, const struct profile_record *record) {
    memory_grow(&records->list, records->count, &records->capacity, sizeof *records->list);
    records->list[records->count] = *record;
    return (uint32_t)records->count++;
}

static struct profile_record name_module(struct profile_records *records, const char *path,
                                         const char *build_id) {
    struct profile_record module = {.what = PROFILE_MODULE};
    module.file = name_write(&records->names, path);
    module.build_id = name_write(&records->names, build_id);
    return module;
}

static uint64_t hash_module(const struct profile_record *module) {
    return hash_number(hash_number(0, module->file), module->build_id);
}

/* Returns the slot of the module's row, or else of a record after all rows. Records refer to modules by
 * slot. */
static uint32_t module_slot(struct profile_records *records, const char *path, const char *build_id) {
    if (!path)
        return 0;
    struct profile_record module = name_module(records, path, build_id);
    uint64_t hash = hash_module(&module);
    size_t found = hash_find(&records->modules, hash, is_module, &module, records);
    if (found != HASH_NONE)
        return (uint32_t)found;
    module.id = path_id(path);
    module.module = (uint32_t)records->count;
    hash_put(&records->modules, hash, module.module);
    return add_record(records, &module);
}

static void make_module(struct profile_records *records, const struct site_view *view, uint32_t slot) {
    struct profile_record record = name_module(records, view->module, view->build_id);
    record.id = view->id;
    record.module = slot;
    records->list[slot] = record;
    if (record.file)
        hash_put(&records->modules, hash_module(&record), slot);
}

static struct profile_record make_site(struct profile_records *records, const struct site_view *view) {
    struct name_writer *names = &records->names;
    struct profile_record record = {
        .id = view->id,
        .line = view->at.line,
        .column = view->at.column,
        .what = view->sited ? PROFILE_SITE : PROFILE_CALLER,
        .address = view->address,
    };
    record.module = module_slot(records, view->module, view->build_id);
    record.function = name_write(names, view->at.function);
    record.file = name_write(names, view->at.file);
    record.callee = name_write(names, view->callee);
    record.type = name_write(names, view->type);
    record.inlined = write_chain(names, view->inlined, view->inlined_count);
    return record;
}

static bool is_module_row(const struct site_view *view) {
    return !view->sited && !view->address;
}

/* The profile has a separate record for chunks of a custom allocator and for mappings, even if their site has
 * no row. */
static struct profile_record make_chunk(struct profile_records *records, const struct site_view *view) {
    struct profile_record record = {.id = view->id,
                                    .what = view->mapping ? PROFILE_MAPPED : PROFILE_CUSTOM_CHUNK};
    if (is_module_row(view) && view->module) {
        record.parent = module_slot(records, view->module, view->build_id);
        return record;
    }
    struct profile_record whole = make_site(records, view);
    record.module = whole.module;
    record.parent = add_record(records, &whole);
    return record;
}

static void make_row(struct profile_records *records, size_t row) {
    const struct site_view *view = &records->report->sites[row]->view;
    uint32_t slot = PROFILE_FIRST_SLOT + (uint32_t)row;
    if (is_module_row(view) && !view->outside_totals) {
        make_module(records, view, slot);
        return;
    }
    struct profile_record record =
        view->outside_totals ? make_chunk(records, view) : make_site(records, view);
    records->list[slot] = record; /* the list may have moved in the call above */
}

static profile_name write_step(struct profile_records *records, const struct report_frame *frame,
                               profile_name caller) {
    struct profile_return to = {.address = {(uint32_t)frame->address, (uint32_t)(frame->address >> 32)}};
    if (frame->module)
        to.module = module_slot(records, frame->module->path, frame->module->build_id);
    return write_step_name(&records->names, &to, caller);
}

static void make_stack(struct profile_records *records, size_t index) {
    const struct report_stack *stack = &records->report->stacks[index];
    uint32_t parent = PROFILE_FIRST_SLOT + (uint32_t)stack->site->position;
    struct profile_record record = {.what = PROFILE_STACK, .parent = parent};
    record.module = records->list[parent].module;
    for (size_t i = stack->frame_count; i-- > 0;)
        record.stack = write_step(records, &stack->frames[i], record.stack);
    records->list[stack_slot(records, index)] = record;
}

static uint64_t image_difference(uint64_t whole, uint64_t part) {
    return whole > part ? whole - part : 0;
}

/* Keeps maxima and their bounds large enough: readers add the parts up again. */
static void take_off(struct counters *counters, const struct counters *part) {
    uint64_t bound = counters->max_live_blocks + counters->max_live_blocks_within;
    uint64_t bound_of_part = part->max_live_blocks + part->max_live_blocks_within;
#define TAKE_OFF(name) counters->name = image_difference(counters->name, part->name);
    ALLOCSITE_COUNTED(TAKE_OFF)
#undef TAKE_OFF
    counters->max_live_blocks_within =
        image_difference(image_difference(bound, bound_of_part), counters->max_live_blocks);
}

static void take_stack_off(struct report_site *row, const struct report_stack *stack) {
    take_off(&row->counters, &stack->counters);
}

static void take_stacks_off(struct profile_records *records) {
    const struct report *report = records->report;
    records->without_stacks = memory_zeros(report->site_count, sizeof *records->without_stacks);
    for (size_t i = 0; i < report->site_count; i++)
        records->without_stacks[i] = *report->sites[i];
    for (size_t i = 0; i < report->stack_count; i++)
        take_stack_off(&records->without_stacks[report->stacks[i].site->position], &report->stacks[i]);
}

/* Modules come first, because other rows refer to them. */
static void make_rows(struct profile_records *records, bool are_modules) {
    const struct report *report = records->report;
    for (size_t i = 0; i < report->site_count; i++) {
        const struct site_view *view = &report->sites[i]->view;
        report->sites[i]->position = i;
        if ((is_module_row(view) && !view->outside_totals) == are_modules)
            make_row(records, i);
    }
}

bool profile_records_make(struct profile_records *records) {
    const struct report *report = records->report;
    size_t count = stack_slot(records, report->stack_count);
    if (2 * count >= PROFILE_SLOTS_MAX)
        return false;
    records->capacity = records->count = count + report->has_custom;
    records->list = memory_zeros(records->capacity, sizeof *records->list);
    if (report->has_custom)
        records->list[count] = (struct profile_record){.what = PROFILE_CUSTOM};
    make_rows(records, true);
    make_rows(records, false);
    for (size_t i = 0; i < report->stack_count; i++)
        make_stack(records, i);
    for (size_t i = 0; i < report->modules_size; i++)
        module_slot(records, report->modules[i].path, report->modules[i].build_id);
    take_stacks_off(records);
    return true;
}

void profile_records_free(struct profile_records *records) {
    free(records->names.bytes);
    hash_free(&records->names.strings);
    hash_free(&records->names.frames);
    hash_free(&records->names.steps);
    hash_free(&records->names.returns);
    hash_free(&records->modules);
    free(records->list);
    free(records->without_stacks);
}

struct report_site profile_records_counted(const struct profile_records *records, uint64_t slot) {
    const struct report *report = records->report;
    uint64_t row = slot - PROFILE_FIRST_SLOT, stack = row - report->site_count;
    if (slot >= PROFILE_FIRST_SLOT && row < report->site_count)
        return records->without_stacks[row];
    if (stack < report->stack_count)
        return (struct report_site){.counters = report->stacks[stack].counters};
    if (stack == report->stack_count && report->has_custom)
        return (struct report_site){.counters = report->custom};
    return (struct report_site){.sizes = NULL};
}
