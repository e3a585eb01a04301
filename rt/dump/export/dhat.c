/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a report as a file of DHAT, version 2, for valgrind's dh_view.html.
 *
 * The innermost frame is the callee and type, as DHAT's own files start with malloc. Values that DHAT
 * measures and a report lacks are 0: the time of the peak and, without lifetime=1, lifetimes. A site's
 * maximum is the larger of its live bytes at the peak and at the end. */
#include "base/out.h"
#include "dump/base/memory.h"
#include "dump/export/export.h"
#include "names/names.h"

#include <stdlib.h>
#include <string.h>

/* A list of frames. Viewers reject a second program point with the same frames. */
struct program_point {
    uint64_t values[SAMPLE_VALUES], lived;
    size_t first, count; /* in the list of texts: callee, then frames */
};

enum { TEXT = 1 << 13 };

struct dhat {
    const struct samples *samples;
    struct program_point *points;
    size_t count, capacity;
    struct hash_index index;
    uint32_t *texts; /* numbers of texts */
    size_t text_count, text_capacity;
    uint32_t *of_frames;    /* texts of frames, from 1 on; 0: not assigned yet */
    struct source *sources; /* of all texts */
    size_t source_count, source_capacity;
    struct hash_index by_text;
    char text[TEXT], other[TEXT];
};

/* The source of a text. Writing it again takes less memory than keeping it. */
struct source {
    const struct frame *frame;
    const struct site_view *site; /* its callee is the text, if frame is NULL */
};

static void put_number(struct out *out, uint32_t number) {
    out_print(out, ":%u", number);
}

/* "0x0: function (file.c:12:3)", "0x0: function (in /lib/libc.so.6)" */
static void put_frame(struct out *out, const struct frame *frame) {
    out_plain(out, frame->function);
    out_text(out, frame->file ? " (" : " (in ");
    out_plain(out, frame->file ? frame->file : frame->module);
    if (frame->file && frame->line)
        put_number(out, frame->line);
    if (frame->file && frame->line && frame->column)
        put_number(out, frame->column);
    out_char(out, ')');
}

static void put_callee(struct out *out, const struct site_view *site) {
    out_plain(out, site->callee ? site->callee : "unsited");
    out_text(out, site->type ? " of " : "");
    out_plain(out, site->type ? site->type : "");
}

static const char *write_text(char text[TEXT], const struct source *source) {
    struct out out;
    out_open(&out, -1, text, TEXT - 1); /* clearing the whole buffer took most of the time */
    out_text(&out, "0x0: ");
    if (source->frame)
        put_frame(&out, source->frame);
    else
        put_callee(&out, source->site);
    text[out.used] = '\0';
    return text;
}

static bool is_text(const void *text, const void *context, size_t element) {
    struct dhat *dhat = (struct dhat *)context;
    return strcmp(text, write_text(dhat->other, &dhat->sources[element])) == 0;
}

/* Numbers start at 1. */
static uint32_t text_number(struct dhat *dhat, struct source source) {
    uint64_t hash = hash_text(0, write_text(dhat->text, &source));
    size_t found = hash_find(&dhat->by_text, hash, is_text, dhat->text, dhat);
    if (found != HASH_NONE)
        return (uint32_t)found + 1;
    memory_grow(&dhat->sources, dhat->source_count, &dhat->source_capacity, sizeof source);
    hash_put(&dhat->by_text, hash, dhat->source_count);
    dhat->sources[dhat->source_count] = source;
    return (uint32_t)++dhat->source_count;
}

static uint32_t frame_text(struct dhat *dhat, uint32_t number) {
    if (!dhat->of_frames[number])
        dhat->of_frames[number] = text_number(dhat, (struct source){.frame = &dhat->samples->frames[number]});
    return dhat->of_frames[number];
}

static void add_text(struct dhat *dhat, uint32_t number) {
    memory_grow(&dhat->texts, dhat->text_count, &dhat->text_capacity, sizeof *dhat->texts);
    dhat->texts[dhat->text_count++] = number;
}

static bool is_point(const void *key, const void *context, size_t element) {
    const struct dhat *dhat = context;
    const struct program_point *a = key, *b = &dhat->points[element];
    return a->count == b->count &&
           memcmp(dhat->texts + a->first, dhat->texts + b->first, a->count * sizeof *dhat->texts) == 0;
}

static struct program_point *point_for(struct dhat *dhat, const struct program_point *key) {
    uint64_t hash = hash_bytes(0, dhat->texts + key->first, key->count * sizeof *dhat->texts);
    struct elements points = {&dhat->points, &dhat->count, &dhat->capacity, sizeof *key};
    size_t before = dhat->count, number = hash_keep(&dhat->index, hash, is_point, key, dhat, points);
    if (number < before)
        dhat->text_count = key->first;
    return &dhat->points[number];
}

static void add_sample(struct dhat *dhat, const struct sample *sample) {
    struct program_point key = {.first = dhat->text_count, .count = sample->count + 1};
    add_text(dhat, text_number(dhat, (struct source){.site = sample->site}));
    for (size_t i = 0; i < sample->count; i++)
        add_text(dhat, frame_text(dhat, dhat->samples->paths[sample->first + i]));
    struct program_point *point = point_for(dhat, &key);
    for (int i = 0; i < SAMPLE_VALUES; i++)
        point->values[i] += sample->values[i];
    point->lived += sample->lived;
}

static uint64_t larger_of(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static void put_point(struct json *json, const struct dhat *dhat, const struct program_point *point) {
    const uint64_t *values = point->values;
    json_open_line(json, NULL, '{');
    json_number(json, "tb", values[SAMPLE_BYTES]);
    json_number(json, "tbk", values[SAMPLE_CALLS]);
    if (dhat->samples->value_count > SAMPLE_OWNED) {
        json_number(json, "tl", point->lived / 1000);
        json_number(json, "mb", larger_of(values[SAMPLE_PEAK_BYTES], values[SAMPLE_LIVE_BYTES]));
        json_number(json, "mbk", larger_of(values[SAMPLE_PEAK_BLOCKS], values[SAMPLE_LIVE_BLOCKS]));
        json_number(json, "gb", values[SAMPLE_PEAK_BYTES]);
        json_number(json, "gbk", values[SAMPLE_PEAK_BLOCKS]);
        json_number(json, "eb", values[SAMPLE_LIVE_BYTES]);
        json_number(json, "ebk", values[SAMPLE_LIVE_BLOCKS]);
    }
    json_open(json, "fs", '[');
    for (size_t i = 0; i < point->count; i++)
        json_number(json, NULL, dhat->texts[point->first + i]);
    json_close(json, ']');
    json_close(json, '}');
}

static void put_head(struct json *json, const struct samples *samples) {
    const struct report *report = samples->report;
    const struct report_run *run = &report->run;
    bool is_owned = samples->value_count > SAMPLE_OWNED;
    json_number(json, "dhatFileVersion", 2);
    json_text(json, "mode", "allocsite");
    json_text(json, "verb", "Allocated");
    json_flag(json, "bklt", is_owned);
    json_flag(json, "bkacc", false);
    json_text(json, "tu", "µs");
    json_text(json, "Mtu", "s");
    if (is_owned)
        json_number(json, "tuth", 0);
    json_text(json, "cmd", run->command ? run->command : report->program);
    json_number(json, "pid", report->pid);
    json_number(json, "te", run->ended > run->begun ? (run->ended - run->begun) / 1000 : 0);
    if (is_owned)
        json_number(json, "tg", 0);
}

/* In ascending order of numbers. Number 0 is the root of the viewer's tree. */
static void put_texts(struct json *json, struct dhat *dhat) {
    json_open_line(json, "ftbl", '[');
    json_text(json, NULL, "[root]");
    for (size_t i = 0; i < dhat->source_count; i++) {
        json_line(json);
        json_text(json, NULL, write_text(dhat->text, &dhat->sources[i]));
    }
    json_close(json, ']');
}

static void put_all(struct out *out, struct dhat *dhat) {
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    put_head(&json, dhat->samples);
    json_open_line(&json, "pps", '[');
    for (size_t i = 0; i < dhat->count; i++)
        put_point(&json, dhat, &dhat->points[i]);
    json_close(&json, ']');
    put_texts(&json, dhat);
    json_end(&json);
}

void export_dhat(struct out *out, const struct samples *samples) {
    struct dhat *dhat = memory_zeros(1, sizeof *dhat);
    dhat->samples = samples;
    dhat->of_frames = memory_zeros(samples->frame_count, sizeof *dhat->of_frames);
    for (size_t i = 0; i < samples->count; i++)
        add_sample(dhat, &samples->list[i]);
    put_all(out, dhat);
    free(dhat->points);
    free(dhat->texts);
    free(dhat->of_frames);
    hash_free(&dhat->index);
    hash_free(&dhat->by_text);
    free(dhat->sources);
    free(dhat);
}
