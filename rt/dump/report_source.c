/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report from a file, in whatever form it is. */
#include "report_source.h"
#include "whole_input.h"

#include <stdlib.h>

bool report_source_load(struct report_source *source, const char *path, struct reason *why) {
    char *bytes;
    size_t size;
    if (!whole_input(path, &bytes, &size, why))
        return false;
    bool is_read = report_read(&source->file, bytes, size, why);
    free(bytes);
    source->report = &source->file.report;
    return is_read;
}

void report_source_free(struct report_source *source) {
    report_read_free(&source->file);
}
