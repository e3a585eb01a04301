/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Why the numbers of a profile are not exact. */
#include "dump/profile/read.h"

#include "base/grow.h"
#include "model/holes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Takes the text over. */
static bool add(struct profile_texts *texts, char *text, uint64_t holds) {
    if (text && grow(&texts->list, texts->count, &texts->room, sizeof *texts->list) &&
        grow(&texts->hold, texts->count, &texts->hold_room, sizeof *texts->hold)) {
        texts->list[texts->count] = text;
        texts->hold[texts->count++] = holds;
        return true;
    }
    free(text);
    return false;
}

__attribute__((format(printf, 2, 3))) static bool say(struct profile_texts *texts, const char *format, ...) {
    va_list arguments;
    char *text;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return length >= 0 && add(texts, text, 0);
}

static bool say_holes(struct profile_file *file, const struct profile_header *header) {
    const char *other_malloc = profile_name_at(&file->names, header->other_malloc);
    for (int hole = 0; hole < 64; hole++) {
        char text[HOLE_TEXT_SIZE] = "";
        if (!(header->holes >> hole & 1))
            continue;
        if (hole < HOLE_COUNT)
            hole_text(text, (enum hole)hole, other_malloc);
        else
            snprintf(text, sizeof text, "a newer allocsite has a reason that this one does not know");
        if (!add(&file->reasons, strdup(text), 0))
            return false;
    }
    return true;
}

static bool say_missing(struct profile_texts *texts, const struct profile_header *header) {
    if (!header->missing)
        return true;
    return say(texts, "a part of the profile did not get into the file: %s",
               header->missing_error ? strerror((int)(header->missing_error & INT32_MAX)) : "unknown error");
}

static bool say_areas(struct profile_texts *texts, const struct profile_areas *areas) {
    if (areas->cut && !say(texts, "the file is cut: %" PRIu64 " of %" PRIu64 " areas are not wholly there",
                           areas->cut, areas->used))
        return false;
    return !areas->damaged || say(texts, "the file is damaged: %" PRIu64 " of %" PRIu64 " areas cannot be so",
                                  areas->damaged, areas->used);
}

static bool say_count(struct profile_texts *texts, const char *what, uint64_t count) {
    return !count || say(texts, "%s: %" PRIu64, what, count);
}

static bool say_doubts(struct profile_texts *texts, const struct profile_doubts *doubts,
                       uint64_t wrong_names) {
    return say_count(texts, "sites that have counters but no name in the file", doubts->unnamed) &&
           say_count(texts, "sites whose counters contradict each other", doubts->contradicting) &&
           say_count(texts, "names that are not in the file", wrong_names) &&
           say_count(texts, "pairs of an unknown kind, or of sites that are not in the file",
                     doubts->strange_pairs) &&
           say_count(texts, "sites with blocks that were freed while they were read, and seem to live",
                     doubts->outrun) &&
           (!doubts->rearranged || say(texts, "the program added to the profile while it was read, or was "
                                              "resetting its counters: some may be missing")) &&
           (!doubts->risen ||
            say(texts, "the peak rose while the profile was read: the sites' shares in it are "
                       "of different moments"));
}

static bool add_program(struct profile_file *file, const char *program) {
    struct report_processes *several = &file->report.several;
    if (!program ||
        !grow(&file->programs, several->program_count, &file->program_room, sizeof *file->programs))
        return !program;
    file->programs[several->program_count++] = program;
    return true;
}

static bool add_note(struct profile_file *file, const struct profile_note *note) {
    const char *text = profile_name_at(&file->names, note->text);
    if (note->what == PROFILE_NOTE_REASON)
        return !text || add(&file->reasons, strdup(text), note->processes);
    return note->what != PROFILE_NOTE_PROGRAM || add_program(file, text);
}

static bool read_notes(struct profile_file *file, const struct profile_areas *areas) {
    struct profile_note note;
    for (size_t at = 0; at + sizeof note <= areas->notes.size; at += sizeof note) {
        profile_copy(&note, areas->notes.bytes + at, sizeof note);
        if (note.what == PROFILE_NOTE_NONE)
            break;
        if (!add_note(file, &note))
            return false;
    }
    return true;
}

bool profile_reasons_read(struct profile_file *file, const struct profile_areas *areas,
                          const struct profile_doubts *doubts) {
    struct profile_texts *texts = &file->reasons;
    struct report *report = &file->report;
    if (!say_areas(texts, areas) || !say_doubts(texts, doubts, file->names.wrong) ||
        !read_notes(file, areas) || !say_holes(file, &areas->header) || !say_missing(texts, &areas->header))
        return false;
    report->reasons = (const char *const *)texts->list;
    report->reason_count = texts->count;
    report->several.reasons_hold = texts->hold;
    report->several.programs = file->programs;
    if (!report->several.count)
        report->several = (struct report_processes){0};
    return true;
}
