/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report as a merged profile. */
#include "dump/profile/write.h"

#include "base/chunks.h"
#include "base/out.h"
#include "dump/profile/areas.h"
#include "dump/profile/records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Two chunks of the directory. */
enum {
    AREAS_MAX = 3 * PROFILE_DIRECTORY_FIRST,
    DIRECTORY_SIZE = PROFILE_DIRECTORY_FIRST * sizeof(struct profile_area)
};

struct writer {
    const struct report *report;
    struct out out;
    struct profile_records records;
    struct profile_note *notes;
    size_t note_count;
    struct profile_header header;
    struct profile_area areas[AREAS_MAX];
    uint32_t area_count;
};

static bool add_note(struct writer *writer, uint32_t what, const char *text, uint64_t processes) {
    struct profile_note *note = &writer->notes[writer->note_count++];
    *note = (struct profile_note){.what = what, .processes = processes};
    return name_write(&writer->records.names, text, &note->text);
}

/* One more, for the first empty one ends them. */
static bool make_notes(struct writer *writer) {
    const struct report *report = writer->report;
    const struct report_processes *several = &report->several;
    writer->notes = calloc(report->reason_count + several->program_count + 1, sizeof *writer->notes);
    for (size_t i = 0; writer->notes && i < report->reason_count; i++) {
        uint64_t part = report_reason_part(report, i), all = several->count ? several->count : 1;
        if (!add_note(writer, PROFILE_NOTE_REASON, report->reasons[i], part ? part : all))
            return false;
    }
    for (size_t i = 0; writer->notes && i < several->program_count; i++)
        if (!add_note(writer, PROFILE_NOTE_PROGRAM, several->programs[i], 0))
            return false;
    writer->note_count++;
    return writer->notes != NULL;
}

static bool has_sizes(const struct report *report) {
    for (size_t i = 0; i < report->site_count; i++)
        if (report->sites[i]->sizes)
            return true;
    return false;
}

static uint32_t flags_of(const struct report *report) {
    return PROFILE_IS_MERGED | (report->forked ? PROFILE_IS_FORKED : 0u) |
           (report->has_pairs ? PROFILE_HAS_PAIRS : 0u) | (has_sizes(report) ? PROFILE_HAS_SIZES : 0u) |
           (report->reach ? PROFILE_HAS_LOST : 0u);
}

/* The one epoch that there was has ended, and all slots were looked at in it: so their shares are the saved
 * ones. */
static struct profile_peak peak_of(const struct report *report) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < report->site_count; i++)
        if (!report->sites[i]->view.backing)
            bytes += report->sites[i]->counters.peak_bytes - report->sites[i]->counters.inherited_bytes;
    return (struct profile_peak){
        .bytes = (int64_t)bytes,
        .epoch = PROFILE_EPOCH_STEP,
        .within = report->peak_within,
        .shared_epoch = PROFILE_EPOCH_STEP,
    };
}

static bool make_header(struct writer *writer) {
    const struct report *report = writer->report;
    struct profile_header *header = &writer->header;
    *header = (struct profile_header){
        .version = PROFILE_VERSION,
        .byte_order = PROFILE_BYTE_ORDER,
        .pid = report->pid,
        .processes = report->several.count ? report->several.count : 1,
        .unfinished = report->several.count ? report->several.unfinished : !report->finished,
        .flags = flags_of(report),
        .forked = report->several.forked,
        .untouched_blocks = report->several.untouched_blocks,
        .untouched_bytes = report->several.untouched_bytes,
        .peak = peak_of(report),
        .walks = report->walks,
    };
    memcpy(header->magic, PROFILE_MAGIC, PROFILE_MAGIC_SIZE);
    return name_write(&writer->records.names, report->program, &header->program) &&
           name_write(&writer->records.names, report->lost_unknown, &header->lost_unknown);
}

static void plan_area(struct writer *writer, uint32_t kind, uint32_t index, uint64_t size) {
    writer->areas[writer->area_count++] = (struct profile_area){.kind = kind, .index = index, .size = size};
}

static void plan_array(struct writer *writer, enum profile_kind kind, uint64_t elements) {
    uint64_t first = profile_first_chunk(kind), size = profile_element_size(kind);
    for (uint32_t chunk = 0; elements; chunk++) {
        uint64_t whole = chunk_size(first, chunk), count = elements < whole ? elements : whole;
        plan_area(writer, kind, chunk, count * size);
        elements -= count;
    }
}

static uint64_t whole_pages(uint64_t size) {
    return (size + PROFILE_PAGE - 1) / PROFILE_PAGE * PROFILE_PAGE;
}

static void plan_areas(struct writer *writer) {
    uint64_t offset = 2 * PROFILE_PAGE;
    if (writer->header.flags & PROFILE_HAS_SIZES)
        plan_array(writer, PROFILE_SIZES, writer->records.count);
    plan_array(writer, PROFILE_NAMES, writer->records.names.size);
    plan_array(writer, PROFILE_RECORDS, writer->records.count);
    plan_array(writer, PROFILE_SLOTS, writer->records.count);
    plan_array(writer, PROFILE_BLOCKS, 1);
    plan_array(writer, PROFILE_PAIRS, writer->report->pair_count);
    plan_area(writer, PROFILE_TALLIES, 0, writer->records.count * sizeof(struct tally));
    plan_area(writer, PROFILE_EXTRAS, 0, writer->records.count * sizeof(struct extra));
    plan_area(writer, PROFILE_NOTES, 0, writer->note_count * sizeof *writer->notes);
    if (writer->area_count > PROFILE_DIRECTORY_FIRST)
        plan_area(writer, PROFILE_DIRECTORY, 1, 2 * DIRECTORY_SIZE);
    for (uint32_t i = 0; i < writer->area_count; i++) {
        writer->areas[i].offset = offset;
        writer->areas[i].size = whole_pages(writer->areas[i].size);
        offset += writer->areas[i].size;
    }
}

static void put(struct writer *writer, const void *bytes, size_t size) {
    out_bytes(&writer->out, bytes, size);
}

static void put_zeros(struct writer *writer, uint64_t size) {
    static const char zeros[PROFILE_PAGE];
    for (; size; size -= size < sizeof zeros ? size : sizeof zeros)
        put(writer, zeros, size < sizeof zeros ? size : sizeof zeros);
}

static void put_directory(struct writer *writer) {
    struct profile_directory directory = {.areas = writer->area_count};
    for (uint32_t i = 0; i < writer->area_count; i++)
        if (writer->areas[i].kind == PROFILE_DIRECTORY)
            directory.chunks[writer->areas[i].index] = writer->areas[i].offset;
    memcpy(directory.area, writer->areas, sizeof directory.area);
    put(writer, &directory, sizeof directory);
}

/* Signed where more was inherited than was ever had at once; the reader adds that again. */
static struct profile_slot slot_of(const struct report_site *row) {
    const struct counters *counters = &row->counters;
    return (struct profile_slot){
        .inherited_blocks = counters->inherited_blocks,
        .inherited_bytes = counters->inherited_bytes,
        .lost_blocks = row->lost_blocks,
        .lost_bytes = row->lost_bytes,
        .most = counters->max_live_blocks - counters->inherited_blocks,
        .most_within = counters->max_live_blocks_within,
    };
}

static struct tally tally_of(const struct report_site *row) {
    const struct counters *counters = &row->counters;
    uint64_t peak_blocks = counters->peak_blocks - counters->inherited_blocks;
    return (struct tally){
        .gained = counters->allocs + counters->reallocs,
        .gained_bytes = counters->alloc_bytes + counters->realloc_bytes,
        .lost = counters->frees + counters->moved,
        .lost_bytes = counters->freed_bytes + counters->moved_bytes,
        .looked = PROFILE_EPOCH_STEP | (int64_t)(peak_blocks & (uint64_t)(PROFILE_EPOCH_STEP - 1)),
        .peak_bytes = (int64_t)(counters->peak_bytes - counters->inherited_bytes),
    };
}

static struct extra extra_of(const struct report_site *row) {
    const struct counters *counters = &row->counters;
#define EXTRA(name) .name = counters->name,
    return (struct extra){PROFILE_EXTRA(EXTRA)};
}

static struct profile_sizes sizes_of(const struct report_site *row) {
    struct profile_sizes sizes = {.counts = {0}};
    if (row->sizes)
        memcpy(sizes.counts, row->sizes, sizeof sizes.counts);
    return sizes;
}

union element {
    struct profile_slot slot;
    struct tally tally;
    struct extra extra;
    struct profile_sizes sizes;
};

/* The element of a slot that is a row; returns its size. */
static size_t element_of(const struct report_site *row, uint32_t kind, union element *element) {
    switch (kind) {
    case PROFILE_SLOTS:
        element->slot = slot_of(row);
        return sizeof element->slot;
    case PROFILE_TALLIES:
        element->tally = tally_of(row);
        return sizeof element->tally;
    case PROFILE_EXTRAS:
        element->extra = extra_of(row);
        return sizeof element->extra;
    default:
        element->sizes = sizes_of(row);
        return sizeof element->sizes;
    }
}

static void put_slots(struct writer *writer, uint32_t kind, uint64_t from, uint64_t count) {
    for (uint64_t slot = from; slot < from + count; slot++) {
        struct report_site counted = profile_records_counted(&writer->records, slot);
        union element element;
        size_t size = element_of(&counted, kind, &element);
        put(writer, &element, size);
    }
}

static uint64_t slot_of_row(const struct report_site *row) {
    return row ? PROFILE_FIRST_SLOT + row->position : 0;
}

static void put_pairs(struct writer *writer, uint64_t from, uint64_t count) {
    for (uint64_t i = from; i < from + count; i++) {
        const struct report_pair *pair = &writer->report->pairs[i];
        struct profile_pair element = {
            .key = UINT64_C(1) << 63 | (uint64_t)pair->kind << 56 | slot_of_row(pair->owner) << 28 |
                   slot_of_row(pair->by),
            .count = pair->count,
            .bytes = pair->bytes,
        };
        put(writer, &element, sizeof element);
    }
}

static void put_elements(struct writer *writer, uint32_t kind, uint64_t from, uint64_t count) {
    switch (kind) {
    case PROFILE_NAMES:
        put(writer, writer->records.names.bytes + from, count);
        break;
    case PROFILE_RECORDS:
        put(writer, writer->records.list + from, count * sizeof *writer->records.list);
        break;
    case PROFILE_PAIRS:
        put_pairs(writer, from, count);
        break;
    case PROFILE_BLOCKS: /* the one that all belongs to, outside of all phases */
        put_zeros(writer, count * sizeof(struct profile_block));
        break;
    default:
        put_slots(writer, kind, from, count);
    }
}

/* Chunks are planned up to the last element. */
static uint64_t elements_of(const struct writer *writer, uint32_t kind) {
    switch (kind) {
    case PROFILE_NAMES:
        return writer->records.names.size;
    case PROFILE_PAIRS:
        return writer->report->pair_count;
    case PROFILE_BLOCKS:
        return 1;
    default:
        return writer->records.count;
    }
}

static uint64_t put_chunk(struct writer *writer, const struct profile_area *area) {
    uint64_t first = profile_first_chunk(area->kind), from = chunk_start(first, area->index);
    uint64_t left = elements_of(writer, area->kind) - from;
    uint64_t whole = chunk_size(first, area->index), count = left < whole ? left : whole;
    put_elements(writer, area->kind, from, count);
    return count * profile_element_size(area->kind);
}

/* Returns how many bytes it has put. */
static uint64_t put_area(struct writer *writer, const struct profile_area *area) {
    switch (area->kind) {
    case PROFILE_DIRECTORY:
        put(writer, writer->areas + PROFILE_DIRECTORY_FIRST, 2 * DIRECTORY_SIZE);
        return 2 * DIRECTORY_SIZE;
    case PROFILE_NOTES:
        put(writer, writer->notes, writer->note_count * sizeof *writer->notes);
        return writer->note_count * sizeof *writer->notes;
    case PROFILE_TALLIES:
    case PROFILE_EXTRAS:
        put_elements(writer, area->kind, 0, writer->records.count);
        return writer->records.count * sizeof(struct tally);
    default:
        return put_chunk(writer, area);
    }
}

static void put_all(struct writer *writer) {
    put(writer, &writer->header, sizeof writer->header);
    put_zeros(writer, PROFILE_PAGE - sizeof writer->header);
    put_directory(writer);
    for (uint32_t i = 0; i < writer->area_count; i++)
        put_zeros(writer, writer->areas[i].size - put_area(writer, &writer->areas[i]));
}

static bool make_all(struct writer *writer) {
    return profile_records_make(&writer->records) && make_notes(writer) && make_header(writer);
}

static int write_all(struct writer *writer, int fd) {
    static char buffer[1 << 16];
    errno = ENOMEM;
    if (!make_all(writer))
        return writer->records.names.is_full ? EOVERFLOW : errno;
    plan_areas(writer);
    out_open(&writer->out, fd, buffer, sizeof buffer);
    put_all(writer);
    return out_flush(&writer->out);
}

int profile_write(int fd, const struct report *report) {
    struct writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return ENOMEM;
    writer->report = writer->records.report = report;
    int error = write_all(writer, fd);
    profile_records_free(&writer->records);
    free(writer->notes);
    free(writer);
    return error;
}
