/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a prepared report in one of the export formats. */
#ifndef ALLOCSITE_FUZZ_EXPORTS_H
#define ALLOCSITE_FUZZ_EXPORTS_H

#include "fuzz.h"

#include "dump/export/export.h"

/* moment: the report's moment; NULL if it is not from a recording. */
static inline void fuzz_export(const struct report *report, const struct moment *moment, uint8_t choice) {
#define ALLOCSITE_EXPORT(name, is_binary) #name,
    static const char *const names[] = {ALLOCSITE_EXPORTS(ALLOCSITE_EXPORT)};
#undef ALLOCSITE_EXPORT
    struct samples samples = {.report = report, .moment = moment, .by = choice % MEASURE_SORTS, .top = 2};
    struct out out = fuzz_out();
    const struct export_format *format = export_named(names[choice / 8 % (sizeof names / sizeof *names)]);
    samples_make(&samples);
    if (format->write != export_trace || moment)
        format->write(&out, &samples);
    samples_free(&samples);
}

#endif
