/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a report as a merged profile. */
#include "dump/profile/image.h"

#include "base/arrays.h"
#include "dump/base/memory.h"
#include "dump/profile/areas.h"

#include <stdlib.h>
#include <string.h>

/* The allocations of a slot in a phase. */
struct phased {
    profile_name phase;
    uint64_t slot, calls, bytes;
};

struct writer {
    const struct report *report;
    struct profile_records records;
    struct profile_image *image;
    struct phased *phased; /* by phase and slot */
    struct tally *tallies; /* by slot: allocations outside of phases, and all releases */
};

static struct profile_note make_note(struct writer *writer, uint32_t what, const char *text,
                                     uint64_t processes) {
    return (struct profile_note){
        .what = what, .processes = processes, .text = name_write(&writer->records.names, text)};
}

/* An empty note ends the list. */
static struct profile_note *make_notes(struct writer *writer, size_t *count) {
    const struct report *report = writer->report;
    const struct report_processes *several = &report->several;
    struct profile_note *notes = memory_zeros(report->reason_count + several->program_count, sizeof *notes);
    for (*count = 0; *count < report->reason_count; ++*count) {
        uint64_t part = report_reason_part(report, *count), all = several->count ?: 1;
        notes[*count] = make_note(writer, PROFILE_NOTE_REASON, report->reasons[*count], part ?: all);
    }
    for (size_t i = 0; i < several->program_count; i++)
        notes[(*count)++] = make_note(writer, PROFILE_NOTE_PROGRAM, several->programs[i], 0);
    ++*count;
    return notes;
}

static uint32_t flags_of(const struct report *report) {
    return PROFILE_IS_MERGED | (report->forked ? PROFILE_IS_FORKED : 0u) |
           (report->has_pairs ? PROFILE_HAS_PAIRS : 0u) |
           (report_has_sizes(report) ? PROFILE_HAS_SIZES : 0u) |
           (report_has_lifetimes(report) ? PROFILE_HAS_LIFETIMES : 0u) |
           (report->reach ? PROFILE_HAS_LEAKED : 0u);
}

/* A merged profile has one epoch, which has ended with all slots examined, so the saved shares are valid. */
static struct profile_peak peak_of(const struct report *report) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < report->site_count; i++)
        if (!report->sites[i]->view.outside_totals)
            bytes += report->sites[i]->counters.peak_bytes - report->sites[i]->counters.inherited_bytes;
    return (struct profile_peak){
        .bytes = (int64_t)bytes,
        .epoch = PROFILE_EPOCH_STEP,
        .within = report->peak_within,
        .shared_epoch = PROFILE_EPOCH_STEP,
    };
}

static profile_name write_walked_for(struct writer *writer) {
    struct profile_frame frame = {0};
    for (size_t i = writer->report->walked_for_count; i--;) {
        frame.function = name_write(&writer->records.names, writer->report->walked_for[i]);
        frame.caller = name_write_frame(&writer->records.names, &frame);
    }
    return frame.caller;
}

static struct profile_header make_header(struct writer *writer) {
    const struct report *report = writer->report;
    struct profile_header header = {
        .version = PROFILE_VERSION,
        .byte_order = PROFILE_BYTE_ORDER,
        .rare = PROFILE_RARE_COUNT,
        .pid = report->pid,
        .processes = report->several.count ?: 1,
        .unfinished = report->several.count ? report->several.unfinished : !report->finished,
        .flags = flags_of(report),
        .killed = report->several.killed,
        .forked = report->several.forked,
        .untouched_blocks = report->several.untouched_blocks,
        .untouched_bytes = report->several.untouched_bytes,
        .peak = peak_of(report),
        .walks = report->walks,
        .wrong_contexts = report->wrong_contexts,
        .begun = report->run.begun,
        .ended = report->run.ended,
        .resident = report->run.resident,
        .ending = report->run.ending,
        .status = report->run.status,
    };
    memcpy(header.magic, PROFILE_MAGIC, PROFILE_MAGIC_SIZE);
    memcpy(header.resident_parts, report->run.resident_parts, sizeof header.resident_parts);
    header.program = name_write(&writer->records.names, report->program);
    header.command = name_write(&writer->records.names, report->run.command);
    header.walked_for = write_walked_for(writer);
    header.leaked_unknown = name_write(&writer->records.names, report->leaked_unknown);
    return header;
}

/* The maximum may be negative if more blocks were inherited than the child ever had. The reader adds the
 * inherited blocks again. */
static void set_slot(void *slot, const struct report_site *row) {
    const struct counters *counters = &row->counters;
    *(struct profile_slot *)slot = (struct profile_slot){
        .inherited_blocks = counters->inherited_blocks,
        .inherited_bytes = counters->inherited_bytes,
        .leaked_blocks = counters->leaked_blocks,
        .leaked_bytes = counters->leaked_bytes,
        .most = counters->max_live_blocks - counters->inherited_blocks,
        .most_within = counters->max_live_blocks_within,
    };
}

static void set_possibly_leaked(void *possibly_leaked, const struct report_site *row) {
    *(struct profile_possibly_leaked *)possibly_leaked = (struct profile_possibly_leaked){
        row->counters.possibly_leaked_blocks, row->counters.possibly_leaked_bytes};
}

static struct tally tally_of(const struct counters *counters) {
    uint64_t peak_blocks = counters->peak_blocks - counters->inherited_blocks;
    return (struct tally){
        .allocated = counters->allocs + counters->reallocs,
        .allocated_bytes = counters->alloc_bytes + counters->realloc_bytes,
        .released = counters->frees + counters->moved,
        .released_bytes = counters->freed_bytes + counters->moved_bytes,
        .looked = PROFILE_EPOCH_STEP | (int64_t)(peak_blocks & (uint64_t)(PROFILE_EPOCH_STEP - 1)),
        .peak_bytes = (int64_t)(counters->peak_bytes - counters->inherited_bytes),
    };
}

#define COUNTED(name) .name = counters->name,

static void set_extra(void *extra, const struct report_site *row) {
    const struct counters *counters = &row->counters;
    *(struct extra *)extra = (struct extra){PROFILE_EXTRA(COUNTED)};
}

static void set_rare(void *rare, const struct report_site *row) {
    const struct counters *counters = &row->counters;
    *(struct rare *)rare = (struct rare){PROFILE_RARE(COUNTED)};
}

static struct flow flow_of(const struct counters *counters) {
    struct tally tally = tally_of(counters);
#define OF_TALLY(name) .name = tally.name,
    return (struct flow){PROFILE_TALLY(OF_TALLY) PROFILE_EXTRA(COUNTED) PROFILE_RARE(COUNTED)};
}

static void set_sizes(void *sizes, const struct report_site *row) {
    struct profile_sizes *to = sizes;
    if (row->sizes)
        memcpy(to->counts, row->sizes, sizeof to->counts);
}

static void set_lifetimes(void *lifetimes, const struct report_site *row) {
    if (row->lifetimes)
        memcpy(lifetimes, row->lifetimes, sizeof *row->lifetimes);
}

/* Adds an array with an element for each of the first `count` slots. */
static void add_by_slot(struct writer *writer, enum profile_kind kind, size_t size, size_t count,
                        void (*set)(void *element, const struct report_site *)) {
    char *elements = memory_zeros(count, size);
    for (size_t slot = 0; slot < count; slot++) {
        struct report_site counted = profile_records_counted(&writer->records, slot);
        set(elements + slot * size, &counted);
    }
    if (profile_element_size(kind))
        profile_image_add_array(writer->image, kind, elements, count);
    else
        profile_image_add(writer->image, &(struct profile_area){.kind = kind, .size = count * size},
                          elements);
    free(elements);
}

/* row NULL: 0. stack NULL: the row's slot. */
static uint64_t slot_of(const struct report *report, const struct report_site *row,
                        const struct report_stack *stack) {
    if (stack)
        return PROFILE_FIRST_SLOT + report->site_count + (size_t)(stack - report->stacks);
    return row ? PROFILE_FIRST_SLOT + row->position : 0;
}

/* ---- Tallies. Allocations in a phase are in a block of that phase, everything else in the first block. */

static int compare_phased(const void *a, const void *b) {
    const struct phased *left = a, *right = b;
    return compare_u64(left->phase, right->phase) ?: compare_u64(left->slot, right->slot);
}

static void make_phased(struct writer *writer) {
    const struct report *report = writer->report;
    writer->phased = memory_zeros(report->phase_count, sizeof *writer->phased);
    for (size_t i = 0; i < report->phase_count; i++) {
        const struct report_phase *phase = &report->phases[i];
        writer->phased[i] = (struct phased){.phase = name_write(&writer->records.names, phase->phase),
                                            .slot = slot_of(report, phase->site, phase->stack),
                                            .calls = phase->calls,
                                            .bytes = phase->bytes};
    }
    qsort(writer->phased, report->phase_count, sizeof *writer->phased, compare_phased);
}

static uint64_t take_amount(uint64_t *remaining, uint64_t wanted) {
    uint64_t taken = wanted < *remaining ? wanted : *remaining;
    *remaining -= taken;
    return taken;
}

/* Adds the block of one phase, with at least one slot. Live blocks at the peak are in the first block. */
static void add_phase(struct writer *writer, const struct phased *phased, size_t count, uint32_t block) {
    uint64_t first = phased->slot, slots = phased[count - 1].slot - first + 1;
    struct tally *tallies = memory_zeros(slots, sizeof *tallies);
    for (size_t i = 0; i < count; i++) {
        struct tally *tally = &tallies[phased[i].slot - first], *remaining = &writer->tallies[phased[i].slot];
        tally->allocated += take_amount(&remaining->allocated, phased[i].calls);
        tally->allocated_bytes += take_amount(&remaining->allocated_bytes, phased[i].bytes);
    }
    for (uint64_t i = 0; i < slots; i++)
        tallies[i].looked = PROFILE_EPOCH_STEP;
    const struct profile_area area = {
        .kind = PROFILE_TALLIES, .index = block, .first = first, .size = slots * sizeof *tallies};
    profile_image_add(writer->image, &area, tallies);
    free(tallies);
}

static void add_tallies(struct writer *writer) {
    size_t slots = writer->records.count, phased = writer->report->phase_count;
    struct profile_block *blocks = memory_zeros(phased + 1, sizeof *blocks);
    uint32_t block = 0;
    writer->tallies = memory_zeros(slots, sizeof *writer->tallies);
    for (size_t slot = 0; slot < slots; slot++) {
        struct report_site counted = profile_records_counted(&writer->records, slot);
        writer->tallies[slot] = tally_of(&counted.counters);
    }
    for (size_t i = 0, end; i < phased; i = end) {
        for (end = i; end < phased && writer->phased[end].phase == writer->phased[i].phase; end++)
            blocks[block + 1].phase = writer->phased[i].phase;
        add_phase(writer, &writer->phased[i], end - i, ++block);
    }
    profile_image_add_array(writer->image, PROFILE_BLOCKS, blocks, block + 1);
    profile_image_add(
        writer->image,
        &(struct profile_area){.kind = PROFILE_TALLIES, .size = slots * sizeof *writer->tallies},
        writer->tallies);
    free(writer->tallies);
    free(blocks);
}

static void add_pairs(struct writer *writer) {
    const struct report *report = writer->report;
    struct profile_pair *pairs = memory_zeros(report->pair_count, sizeof *pairs);
    for (size_t i = 0; i < report->pair_count; i++) {
        const struct report_pair *pair = &report->pairs[i];
        pairs[i] = (struct profile_pair){
            .key = pair_key(pair->kind, slot_of(report, pair->owner, pair->owner_stack),
                            slot_of(report, pair->by, pair->by_stack)),
            .count = pair->count,
            .bytes = pair->bytes,
        };
    }
    profile_image_add_array(writer->image, PROFILE_PAIRS, pairs, report->pair_count);
    free(pairs);
}

static struct profile_part_peak part_peak(const struct report_peak *peak) {
    return (struct profile_part_peak){(int64_t)peak->bytes, peak->time, peak->within};
}

/* An empty part ends the list. */
static struct profile_part *make_parts(struct writer *writer) {
    const struct report *report = writer->report;
    struct profile_part *parts = memory_zeros(report->part_count + 2, sizeof *parts), *next = parts;
    for (size_t i = 0; i <= report->part_count; i++) {
        const struct report_part *part = i < report->part_count ? &report->parts[i] : NULL;
        const struct counters *counters = part ? &part->counters : &report->before_reset;
        *next = (struct profile_part){.what = !part            ? PROFILE_PART_RESET
                                              : part->is_known ? PROFILE_PART_KNOWN
                                                               : PROFILE_PART_UNKNOWN,
                                      .pid = part ? part->pid : 0,
                                      .thread = part ? (uint32_t)part->thread : 0,
                                      .phase = name_write(&writer->records.names, part ? part->phase : NULL),
                                      .flow = flow_of(counters)};
        if (part) {
            next->peak = part_peak(&part->peak);
            next->thread_peak = part_peak(&part->thread_peak);
        }
        next++;
    }
    return parts;
}

/* The number of slots up to the last one with rare counters. */
static size_t slots_with_rare(const struct profile_records *records) {
    static const struct rare none;
    for (size_t count = records->count; count; count--) {
        struct rare rare;
        struct report_site counted = profile_records_counted(records, count - 1);
        set_rare(&rare, &counted);
        if (memcmp(&rare, &none, sizeof none) != 0)
            return count;
    }
    return 0;
}

static void add_areas(struct writer *writer, const struct profile_note *notes, size_t note_count) {
    struct profile_image *image = writer->image;
    const struct profile_records *records = &writer->records;
    size_t rows = PROFILE_FIRST_SLOT + writer->report->site_count;
    if (report_has_sizes(writer->report))
        add_by_slot(writer, PROFILE_SIZES, sizeof(struct profile_sizes), rows, set_sizes);
    if (report_has_lifetimes(writer->report))
        add_by_slot(writer, PROFILE_LIFETIMES, sizeof(struct profile_lifetimes), rows, set_lifetimes);
    if (writer->report->reach)
        add_by_slot(writer, PROFILE_POSSIBLY_LEAKED, sizeof(struct profile_possibly_leaked), records->count,
                    set_possibly_leaked);
    profile_image_add_array(image, PROFILE_NAMES, records->names.bytes, records->names.size);
    profile_image_add_array(image, PROFILE_RECORDS, records->list, records->count);
    add_by_slot(writer, PROFILE_SLOTS, sizeof(struct profile_slot), records->count, set_slot);
    add_pairs(writer);
    add_tallies(writer);
    add_by_slot(writer, PROFILE_EXTRAS, sizeof(struct extra), records->count, set_extra);
    add_by_slot(writer, PROFILE_RARES, sizeof(struct rare), slots_with_rare(records), set_rare);
    profile_image_add(
        image, &(struct profile_area){.kind = PROFILE_NOTES, .size = note_count * sizeof *notes}, notes);
}

static bool make_profile(struct writer *writer) {
    size_t note_count;
    if (!profile_records_make(&writer->records))
        return false;
    struct profile_note *notes = make_notes(writer, &note_count);
    struct profile_part *parts = make_parts(writer);
    struct profile_header header = make_header(writer);
    make_phased(writer);
    add_areas(writer, notes, note_count);
    const struct profile_area area = {.kind = PROFILE_PARTS,
                                      .size = (writer->report->part_count + 2) * sizeof *parts};
    if (writer->report->has_parts)
        profile_image_add(writer->image, &area, parts);
    free(parts);
    profile_image_end(writer->image);
    memcpy(writer->image->bytes, &header, sizeof header);
    free(writer->phased);
    free(notes);
    return !writer->records.names.is_full;
}

bool profile_merged(struct profile_image *image, const struct report *report) {
    struct writer writer = {.report = report, .records = {.report = report}, .image = image};
    profile_image_open(image);
    bool is_made = make_profile(&writer);
    profile_records_free(&writer.records);
    return is_made;
}
