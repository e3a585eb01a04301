/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The reports of many files as one. */
#include "dump/join/files.h"

#include "dump/base/complain.h"

#include <stdio.h>
#include <unistd.h>

/* So few are read before anybody wonders. */
enum { PROGRESS_FROM = 500, PROGRESS_STEP = 100 };

static bool wants_progress(int count) {
    return count >= PROGRESS_FROM && isatty(STDERR_FILENO);
}

/* On one line, which is gone when all is done or something is complained about. */
static void show_progress(int done, int count) {
    if (wants_progress(count) && done % PROGRESS_STEP == 0)
        fprintf(stderr, "\r%d of %d files", done, count);
}

static void clear_progress(int count) {
    if (wants_progress(count))
        fputs("\r\033[K", stderr);
}

static bool add_source(struct joined *joined, const struct report_source *source, join_visitor *visit,
                       void *context, struct reason *why) {
    if (visit && !visit(context, source, why))
        return false;
    return joined_add(joined, source->report) || reason_set(why, "out of memory");
}

static bool add_file(struct joined *joined, const char *path, join_visitor *visit, void *context,
                     struct reason *why) {
    struct report_source source;
    if (!report_source_load(&source, path, why))
        return false;
    bool is_added = add_source(joined, &source, visit, context, why);
    report_source_free(&source);
    return is_added;
}

int join_files(struct joined *joined, char **paths, int count, join_visitor *visit, void *context) {
    int status = STATUS_DONE;
    struct reason why;
    for (int i = 0; i < count; i++) {
        show_progress(i, count);
        if (add_file(joined, paths[i], visit, context, &why))
            continue;
        clear_progress(count);
        complain(paths[i], "%s", why.text);
        status = STATUS_FAILED;
        if (joined->is_broken)
            break;
    }
    clear_progress(count);
    if (joined->reports && !joined->is_broken && !joined_report(joined)) {
        complain(paths[0], "out of memory for all files together");
        status = STATUS_FAILED;
    }
    if (joined->is_broken)
        joined->reports = 0;
    return status;
}
