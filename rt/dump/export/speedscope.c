/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report in speedscope's own format: a profile for each value, which its page lets one choose from. */
#include "base/json.h"
#include "dump/export/export.h"

#include <stdio.h>

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
        json_line(json);
        json_open(json, NULL, '{');
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
static void put_name(struct json *json, enum sample_value value, const char *phase) {
    char name[256];
    snprintf(name, sizeof name, "%s%s%s", names[value], phase ? " in " : "", phase ? phase : "");
    json_text(json, "name", name);
}

static uint64_t total(const struct samples *samples, enum sample_value value, const char *phase) {
    uint64_t sum = 0;
    for (size_t i = 0; phase && i < samples->count; i++)
        sum += sample_has(&samples->list[i], value, phase) ? samples->list[i].values[value] : 0;
    return phase ? sum : samples->totals[value];
}

/* phase: NULL: all of the value. */
static void put_profile(struct json *json, const struct samples *samples, enum sample_value value,
                        const char *phase) {
    json_line(json);
    json_open(json, NULL, '{');
    json_text(json, "type", "sampled");
    put_name(json, value, phase);
    json_text(json, "unit", sample_is_bytes(value) ? "bytes" : "none");
    json_number(json, "startValue", 0);
    json_number(json, "endValue", total(samples, value, phase));
    json_open(json, "samples", '[');
    for (size_t i = 0; i < samples->count; i++)
        if (sample_has(&samples->list[i], value, phase))
            put_path(json, samples, &samples->list[i]);
    json_close(json, ']');
    json_open(json, "weights", '[');
    for (size_t i = 0; i < samples->count; i++)
        if (sample_has(&samples->list[i], value, phase))
            json_number(json, NULL, samples->list[i].values[value]);
    json_close(json, ']');
    json_close(json, '}');
}

void export_speedscope(struct out *out, const struct samples *samples) {
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    json_text(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    json_text(&json, "exporter", "allocsite");
    json_text(&json, "name", samples->report->program);
    json_number(&json, "activeProfileIndex", samples_first(samples));
    put_frames(&json, samples);
    json_line(&json);
    json_open(&json, "profiles", '[');
    for (size_t i = 0; i < samples->value_count; i++)
        put_profile(&json, samples, (enum sample_value)i, NULL);
    for (size_t i = 0; i < samples->phase_count * SAMPLE_PHASED; i++)
        put_profile(&json, samples, (enum sample_value)(i % SAMPLE_PHASED),
                    samples->phase_names[i / SAMPLE_PHASED]);
    json_close(&json, ']');
    json_end(&json);
}
