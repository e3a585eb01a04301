/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes stacks for flame graphs: collapsed, and in speedscope's format. */
#include "base/out.h"
#include "dump/export/export.h"
#include "names/names.h"

#include <stdio.h>

/* ---- Collapsed stacks for flamegraph.pl and similar programs: one value, and the line in each frame's
 * name. */

/* A semicolon would end a frame, a newline the stack. */
static void put_name(struct out *out, const char *name) {
    for (size_t length; *name; name += length)
        if (*name == ';') {
            out_char(out, ':');
            length = 1;
        } else
            length = out_plain_character(out, name);
}

static void put_frame(struct out *out, const struct frame *frame) {
    put_name(out, frame->function);
    if (!frame->file)
        return;
    out_text(out, " (");
    put_name(out, frame->file);
    if (frame->line)
        out_print(out, ":%u", frame->line);
    out_char(out, ')');
}

static void put_sample(struct out *out, const struct samples *samples, const struct sample *sample,
                       uint64_t value) {
    for (size_t i = sample->count; i-- > 0;) {
        put_frame(out, &samples->frames[samples->paths[sample->first + i]]);
        out_char(out, i ? ';' : ' ');
    }
    out_print(out, "%lu\n", value);
}

void export_collapsed(struct out *out, const struct samples *samples) {
    enum sample_value value = samples_first(samples);
    for (size_t i = 0; i < samples->count; i++)
        if (samples->list[i].values[value])
            put_sample(out, samples, &samples->list[i], samples->list[i].values[value]);
}

/* ---- speedscope's own format: a profile for each value, to choose from in the viewer. */

static const char *const names[SAMPLE_VALUES] = {
    [SAMPLE_CALLS] = "allocations",        [SAMPLE_BYTES] = "bytes",
    [SAMPLE_LIVE_BLOCKS] = "live blocks",  [SAMPLE_LIVE_BYTES] = "live bytes",
    [SAMPLE_PEAK_BLOCKS] = "peak: blocks", [SAMPLE_PEAK_BYTES] = "peak: bytes",
};

static void put_frames(struct json *json, const struct samples *samples) {
    json_open(json, "shared", '{');
    json_open(json, "frames", '[');
    for (size_t i = 0; i < samples->frame_count; i++) {
        const struct frame *frame = &samples->frames[i];
        json_open_line(json, NULL, '{');
        json_text(json, "name", frame->function);
        if (frame->file || frame->module)
            json_text(json, "file", frame->file ? frame->file : frame->module);
        if (frame->line)
            json_number(json, "line", frame->line);
        if (frame->column)
            json_number(json, "col", frame->column);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

/* Root first. */
static void put_path(struct json *json, const struct samples *samples, const struct sample *sample) {
    json_open(json, NULL, '[');
    for (size_t i = sample->count; i-- > 0;)
        json_number(json, NULL, samples->paths[sample->first + i]);
    json_close(json, ']');
}

/* "bytes", or "bytes in loading" */
static void put_value_name(struct json *json, enum sample_value value, const char *phase) {
    char name[256];
    snprintf(name, sizeof name, "%s%s%s", names[value], phase ? " in " : "", phase ? phase : "");
    json_text(json, "name", name);
}

/* The samples and the value of a profile. */
struct selection {
    enum sample_value value;
    const char *phase;       /* NULL: all */
    const uint32_t *numbers; /* of samples; NULL: all samples */
    size_t count;
};

/* NULL: the sample has none of the value. */
static const struct sample *sample_at(const struct samples *samples, const struct selection *selection,
                                      size_t index) {
    const struct sample *sample = &samples->list[selection->numbers ? selection->numbers[index] : index];
    return sample->values[selection->value] ? sample : NULL;
}

static uint64_t flames_total(const struct samples *samples, const struct selection *selection) {
    uint64_t sum = 0;
    for (size_t i = 0; selection->phase && i < selection->count; i++)
        sum += samples->list[selection->numbers[i]].values[selection->value];
    return selection->phase ? sum : samples->totals[selection->value];
}

static void put_profile(struct json *json, const struct samples *samples, const struct selection *selection) {
    const struct sample *sample;
    json_open_line(json, NULL, '{');
    json_text(json, "type", "sampled");
    put_value_name(json, selection->value, selection->phase);
    json_text(json, "unit", sample_is_bytes(selection->value) ? "bytes" : "none");
    json_number(json, "startValue", 0);
    json_number(json, "endValue", flames_total(samples, selection));
    json_open(json, "samples", '[');
    for (size_t i = 0; i < selection->count; i++)
        if ((sample = sample_at(samples, selection, i)))
            put_path(json, samples, sample);
    json_close(json, ']');
    json_open(json, "weights", '[');
    for (size_t i = 0; i < selection->count; i++)
        if ((sample = sample_at(samples, selection, i)))
            json_number(json, NULL, sample->values[selection->value]);
    json_close(json, ']');
    json_close(json, '}');
}

static void put_phases(struct json *json, const struct samples *samples) {
    for (size_t phase = 0; phase < samples->phase_count; phase++)
        for (int value = 0; value < SAMPLE_PHASED; value++)
            put_profile(
                json, samples,
                &(struct selection){.value = (enum sample_value)value,
                                    .phase = samples->phase_names[phase],
                                    .numbers = samples->phased + samples->phase_first[phase],
                                    .count = samples->phase_first[phase + 1] - samples->phase_first[phase]});
}

void export_speedscope(struct out *out, const struct samples *samples) {
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    json_text(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    json_text(&json, "exporter", "allocsite");
    json_text(&json, "name", samples->report->program);
    json_number(&json, "activeProfileIndex", samples_first(samples));
    put_frames(&json, samples);
    json_open_line(&json, "profiles", '[');
    for (size_t i = 0; i < samples->value_count; i++)
        put_profile(&json, samples,
                    &(struct selection){.value = (enum sample_value)i, .count = samples->count});
    put_phases(&json, samples);
    json_close(&json, ']');
    json_end(&json);
}
