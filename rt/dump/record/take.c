/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples a process, and thins recordings. */
#include "dump/record/recording.h"

#include "dump/base/files.h"
#include "dump/base/memory.h"
#include "model/report.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- Thinning. Removed samples are merged into the next one, so only moments are lost. */

/* The oldest samples are thinned again each time. */
static bool is_kept(uint64_t number, uint64_t count) {
    return number % 2 == 0 || number >= count / 4 * 3 || number == count - 1;
}

static void copy_parts(struct recording_writer *to, const struct recording *from) {
    while (to->site_count < from->site_count)
        recording_site(to, &from->sites[to->site_count].view);
    if (from->has_reasons)
        recording_reasons(to, from->reasons, from->reason_count);
    if (from->has_modules)
        recording_modules(to, from->modules, from->module_count);
    for (size_t i = 0; i < from->changed_count; i++)
        recording_change(to, from->changed[i], &from->sites[from->changed[i]].change);
}

static void copy_head(struct recording_writer *to, const struct recording *from, uint64_t thinned) {
    uint64_t head[HEAD_NUMBERS];
    memcpy(head, from->head, sizeof head);
    head[HEAD_THINNED] += thinned;
    recording_head(to, head, from->program, from->command);
}

static bool copy_samples(struct recording_writer *to, struct recording *from, uint64_t count,
                         uint64_t *thinned, struct reason *why) {
    uint64_t dropped = 0;
    for (uint64_t i = 0; i < count; i++)
        dropped += !is_kept(i, count);
    for (uint64_t i = 0; recording_next(from); i++) {
        if (i == 0)
            copy_head(to, from, dropped);
        copy_parts(to, from);
        if (is_kept(i, count) && !recording_sample(to, from->numbers, why))
            return false;
    }
    *thinned += dropped;
    return true;
}

static bool rewrite_file(struct recording_writer *to, const char *path, const void *bytes, size_t size,
                         uint64_t *thinned, struct reason *why) {
    struct new_file file;
    struct recording from;
    if (!recording_open(&from, bytes, size, why))
        return false;
    if (!new_file_open(&file, path, why))
        return recording_close(&from), false;
    int fd = fcntl(file.fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    struct reason last;
    bool is_copied =
        recording_create(to, fd, why) && copy_samples(to, &from, recording_blocks(bytes, size), thinned, why);
    bool is_in_place = new_file_end(&file, is_copied ? 0 : -1, &last);
    if (is_copied && !is_in_place)
        *why = last;
    recording_close(&from);
    return is_in_place;
}

/* Rewrites the recording without every second sample of the older three quarters. The writer continues after
 * it. False: *why has the reason, and nothing has changed. */
static bool recording_thin(struct recording_writer *writer, const char *path, uint64_t *thinned,
                           struct reason *why) {
    struct recording_writer thin;
    char *bytes;
    size_t size;
    if (!whole_input(path, &bytes, &size, why))
        return false;
    bool is_thin = rewrite_file(&thin, path, bytes, size, thinned, why);
    free(bytes);
    if (!is_thin)
        return false;
    close(writer->fd);
    recording_end(writer);
    *writer = thin;
    return true;
}

/* ---- Samples of a process. */

static bool is_site(const void *key, const void *context, size_t element) {
    const struct taking *taking = context;
    return order_identity(key, &taking->sites[element].row) == 0;
}

static size_t new_site(struct taking *taking, const struct report_site *site, uint64_t hash) {
    size_t number = taking->site_count++;
    memory_grow(&taking->sites, number, &taking->site_capacity, sizeof *taking->sites);
    struct taken_site *taken = &taking->sites[number];
    *taken = (struct taken_site){.row = {.sizes = NULL}};
    taken->places = site_keep(&taken->row.view, &site->view, &taking->strings);
    hash_put(&taking->index, hash, number);
    recording_site(&taking->writer, &site->view);
    return number;
}

static size_t number_of(struct taking *taking, const struct report_site *site) {
    uint64_t hash = site_hash(&site->view);
    size_t found = hash_find(&taking->index, hash, is_site, site, taking);
    return found == HASH_NONE ? new_site(taking, site, hash) : found;
}

static void change_site(struct taking *taking, size_t number, const struct recorded_counters *before,
                        const struct recorded_counters *now) {
    struct recorded_counters difference;
    if (memcmp(before, now, sizeof *now) == 0)
        return;
    for (int i = 0; i < RECORDED_COUNTERS; i++)
        difference.values[i] = now->values[i] - before->values[i];
    recording_change(&taking->writer, number, &difference);
}

static void set_counters(struct taking *taking, size_t number, const struct counters *counters) {
    struct taken_site *taken = &taking->sites[number];
    struct recorded_counters before = recorded_of(taken->row.counters), now = recorded_of(*counters);
    change_site(taking, number + RECORDED_SITES, &before, &now);
    taken->row.counters = *counters;
    taken->sample = taking->sample_count;
}

/* After a reset, sites are missing from the report. */
static void clear_absent(struct taking *taking) {
    static const struct counters nothing;
    for (size_t i = 0; i < taking->site_count; i++)
        if (taking->sites[i].sample != taking->sample_count)
            set_counters(taking, i, &nothing);
}

static void add_custom(struct taking *taking, const struct report *report) {
    struct recorded_counters now = recorded_of(report->custom);
    change_site(taking, RECORDED_CUSTOM, &taking->custom, &now);
    taking->custom = now;
}

static uint64_t hash_reasons(const struct report *report) {
    uint64_t hash = 0;
    for (size_t i = 0; i < report->reason_count; i++)
        hash = hash_text(hash, report->reasons[i]);
    return hash;
}

static void add_parts(struct taking *taking, const struct report *report) {
    uint64_t doubts = hash_reasons(report);
    if (doubts != taking->doubts)
        recording_reasons(&taking->writer, report->reasons, report->reason_count);
    if (report->modules_size != taking->module_count)
        recording_modules(&taking->writer, report->modules, report->modules_size);
    taking->doubts = doubts;
    taking->module_count = report->modules_size;
    for (size_t i = 0; i < report->counted; i++)
        set_counters(taking, number_of(taking, report->sites[i]), &report->sites[i]->counters);
    clear_absent(taking);
    add_custom(taking, report);
}

static bool write_sample(struct taking *taking, const struct report *report, uint64_t time, uint64_t resident,
                         struct reason *why) {
    const uint64_t numbers[SAMPLE_NUMBERS] = {
        [SAMPLE_TIME] = time,
        [SAMPLE_RESIDENT] = resident,
        [SAMPLE_WITHIN] = report->peak_within,
        [SAMPLE_FLAGS] =
            (report->running ? RECORDING_RUNS : 0u) | (report->has_custom ? RECORDING_HAS_CUSTOM : 0u),
        [SAMPLE_ENDED] = report->finished ? report->run.ended ?: time : 0};
    taking->sample_count++;
    add_parts(taking, report);
    return recording_sample(&taking->writer, numbers, why);
}

static void write_head(struct taking *taking, const struct report *report) {
    const uint64_t numbers[HEAD_NUMBERS] = {[HEAD_PID] = report->pid,
                                            [HEAD_BEGUN] = report->run.begun,
                                            [HEAD_FLAGS] = report->forked ? RECORDING_IS_FORKED : 0,
                                            [HEAD_INTERVAL] = taking->interval};
    recording_head(&taking->writer, numbers, report->program, report->run.command);
}

/* The new file replaces an old one together with the first sample. */
static bool begin_recording(struct taking *taking, const struct report *report, uint64_t time,
                            uint64_t resident, struct reason *why) {
    struct new_file file;
    if (!new_file_open(&file, taking->path, why))
        return false;
    int fd = fcntl(file.fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    bool is_written = recording_create(&taking->writer, fd, why);
    if (is_written) {
        write_head(taking, report);
        is_written = write_sample(taking, report, time, resident, why);
    }
    struct reason unimportant;
    return new_file_end(&file, is_written ? 0 : -1, is_written ? why : &unimportant) && is_written;
}

/* Thins to seven eighths of the limit, so that the file is not rewritten at every sample. */
static bool keep_small(struct taking *taking, struct reason *why) {
    uint64_t enough = taking->writer.size < taking->limit ? taking->limit : taking->limit / 8 * 7;
    while (taking->writer.size >= enough) {
        uint64_t before = taking->thinned;
        if (!recording_thin(&taking->writer, taking->path, &taking->thinned, why))
            return false;
        if (taking->thinned == before)
            return reason_set(why, "would exceed its limit even with a few samples: --max-size");
    }
    return true;
}

bool taking_add(struct taking *taking, const struct report *report, uint64_t time, uint64_t resident,
                struct reason *why) {
    bool is_first = !taking->sample_count;
    return (is_first ? begin_recording : write_sample)(taking, report, time, resident, why) &&
           keep_small(taking, why);
}

void taking_end(struct taking *taking) {
    if (taking->sample_count) {
        recording_end(&taking->writer);
        close(taking->writer.fd);
    }
    for (size_t i = 0; i < taking->site_count; i++)
        free(taking->sites[i].places);
    free(taking->sites);
    hash_free(&taking->index);
    string_pool_free(&taking->strings);
}
