/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report in each of its formats. */
#ifndef ALLOCSITE_WRITE_FORMATS_H
#define ALLOCSITE_WRITE_FORMATS_H

#include "base/out.h"
#include "model/report.h"

#define ALLOCSITE_FORMAT(format, name, for_programs, views)                                                  \
    void report_##name(struct out *, const struct report *);
ALLOCSITE_FORMATS(ALLOCSITE_FORMAT)
#undef ALLOCSITE_FORMAT

static inline void report_write(struct out *out, const struct report *report, enum report_format format) {
#define ALLOCSITE_FORMAT(format, name, for_programs, views) report_##name,
    static void (*const writers[])(struct out *,
                                   const struct report *) = {ALLOCSITE_FORMATS(ALLOCSITE_FORMAT)};
#undef ALLOCSITE_FORMAT
    writers[format](out, report);
}

/* A field in quotes; nothing for NULL, so that what is not known is not what has no name. */
void csv_text(struct out *, const char *);

#endif
