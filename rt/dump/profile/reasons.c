/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Why the numbers of a profile are not exact. */
#include "dump/profile/read.h"

#include "dump/base/memory.h"
#include "model/gaps.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void add_reason(struct profile_texts *texts, const char *text, uint64_t holds) {
    memory_grow(&texts->list, texts->count, &texts->capacity, sizeof *texts->list);
    memory_grow(&texts->hold, texts->count, &texts->hold_capacity, sizeof *texts->hold);
    texts->list[texts->count] = text;
    texts->hold[texts->count++] = holds;
}

__attribute__((format(printf, 2, 3))) static void reasons_say(struct profile_texts *texts, const char *format,
                                                              ...) {
    va_list arguments;
    char text[GAP_TEXT_SIZE];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_reason(texts, string_keep(&texts->made, text), 0);
}

/* Two processes that count in the same memory also leave events in part: one reason says both. */
static void report_gaps(struct profile_file *file, const struct profile_header *header) {
    const char *other_malloc = profile_name_at(&file->names, header->other_malloc);
    uint64_t shared = UINT64_C(1) << GAP_FORK, gaps = header->gaps;
    gaps &= gaps & shared ? ~(UINT64_C(1) << GAP_TORN) : UINT64_MAX;
    for (int gap = 0; gap < 64; gap++) {
        char text[GAP_TEXT_SIZE] = "a newer allocsite gave a reason that this version does not know";
        if (!(gaps >> gap & 1))
            continue;
        if (gap < GAP_COUNT)
            gap_text(text, (enum gap)gap, other_malloc);
        reasons_say(&file->reasons, "%s", text);
    }
}

static void say_missing(struct profile_texts *texts, const struct profile_header *header) {
    if (header->missing)
        reasons_say(texts, "a part of the profile could not be written to the file: %s",
                    header->missing_error ? strerror((int)(header->missing_error & INT32_MAX))
                                          : "unknown error");
}

static void say_areas(struct profile_texts *texts, const struct profile_areas *areas) {
    if (areas->cut)
        reasons_say(texts, "the file is truncated: %" PRIu64 " of %" PRIu64 " areas are incomplete",
                    areas->cut, areas->used);
    if (areas->damaged)
        reasons_say(texts, "the file is damaged: %" PRIu64 " of %" PRIu64 " areas are invalid",
                    areas->damaged, areas->used);
}

static void say_unknown(struct profile_texts *texts, const struct profile_header *header) {
    if (header->rare > PROFILE_RARE_COUNT)
        reasons_say(texts, "counters of a newer allocsite that this version does not know: %" PRIu64,
                    header->rare - PROFILE_RARE_COUNT);
}

static const char rearranged[] = "the program added to the profile while it was read, or was resetting its "
                                 "counters: some may be missing";

static void say_doubts(struct profile_texts *texts, const struct profile_doubts *doubts,
                       uint64_t wrong_names) {
    const struct {
        uint64_t count;
        const char *what;
    } counted[] = {
        {doubts->unnamed, "sites that have counters but no name in the file"},
        {doubts->contradicting, "sites whose counters contradict each other"},
        {wrong_names, "names that are not in the file"},
        {doubts->strange_pairs, "pairs of an unknown kind, or of sites that are not in the file"},
        {doubts->outrun, "sites with blocks that were freed during the reading and appear as live"},
    };
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        if (counted[i].count)
            reasons_say(texts, "%s: %" PRIu64, counted[i].what, counted[i].count);
    if (doubts->rearranged)
        reasons_say(texts, "%s", rearranged);
    if (doubts->risen)
        reasons_say(
            texts,
            "the peak rose while the profile was read: the shares of sites are from different moments");
}

static void add_note(struct profile_file *file, const struct profile_note *note) {
    struct report_processes *several = &file->report.several;
    const char *text = profile_name_at(&file->names, note->text);
    if (text && note->what == PROFILE_NOTE_REASON)
        add_reason(&file->reasons, text, note->processes);
    if (!text || note->what != PROFILE_NOTE_PROGRAM)
        return;
    memory_grow(&file->programs, several->program_count, &file->program_capacity, sizeof *file->programs);
    file->programs[several->program_count++] = text;
}

static void read_notes(struct profile_file *file, const struct profile_areas *areas) {
    struct profile_note note;
    for (size_t at = 0; at + sizeof note <= areas->notes.size; at += sizeof note) {
        profile_copy(&note, areas->notes.bytes + at, sizeof note);
        if (note.what == PROFILE_NOTE_NONE)
            break;
        add_note(file, &note);
    }
}

static void say_inherited(struct profile_texts *texts, const struct profile_header *header) {
    if (header->flags & PROFILE_INHERITS)
        reasons_say(
            texts, "a forked child without a profile: of its inherited blocks only the freed ones are known");
}

static void list_reasons(struct profile_file *file) {
    struct report *report = &file->report;
    report->reasons = file->reasons.list;
    report->reason_count = file->reasons.count;
    if (report->several.count)
        report->several.reasons_hold = file->reasons.hold;
}

void profile_reasons_read(struct profile_file *file, const struct profile_areas *areas,
                          const struct profile_doubts *doubts) {
    struct profile_texts *texts = &file->reasons;
    struct report *report = &file->report;
    say_areas(texts, areas);
    say_unknown(texts, &areas->header);
    say_doubts(texts, doubts, file->names.wrong);
    read_notes(file, areas);
    report_gaps(file, &areas->header);
    say_inherited(texts, &areas->header);
    say_missing(texts, &areas->header);
    report->several.programs = file->programs;
    if (!report->several.count)
        report->several = (struct report_processes){0};
    list_reasons(file);
}

void profile_reasons_add_gap(struct profile_file *file, enum gap gap) {
    char text[GAP_TEXT_SIZE];
    gap_text(text, gap, NULL);
    for (size_t i = 0; i < file->reasons.count; i++)
        if (strcmp(file->reasons.list[i], text) == 0)
            return;
    reasons_say(&file->reasons, "%s", text);
    list_reasons(file);
}

void profile_reasons_add_filled(struct profile_file *file) {
    reasons_say(&file->reasons, "%s", rearranged);
    list_reasons(file);
}
