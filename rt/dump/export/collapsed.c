/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report as collapsed stacks, for flamegraph.pl and its like: one value, and the line in each frame's name.
 */
#include "dump/export/export.h"

/* A semicolon ends a frame, a line a stack. */
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
    if (frame->line) {
        out_char(out, ':');
        out_u64(out, frame->line);
    }
    out_char(out, ')');
}

static void put_sample(struct out *out, const struct samples *samples, const struct sample *sample,
                       uint64_t value) {
    for (size_t i = sample->count; i-- > 0;) {
        put_frame(out, &samples->frames[samples->paths[sample->first + i]]);
        out_char(out, i ? ';' : ' ');
    }
    out_u64(out, value);
    out_char(out, '\n');
}

void export_collapsed(struct out *out, const struct samples *samples) {
    enum sample_value value = samples_first(samples);
    for (size_t i = 0; i < samples->count; i++)
        if (samples->list[i].values[value])
            put_sample(out, samples, &samples->list[i], samples->list[i].values[value]);
}
