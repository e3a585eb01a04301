/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Snapshots of which blocks point to which: when, and to which file. allocsite-dump writes them. */
#define _GNU_SOURCE
#include "lib/report/report.h"

#include "lib/base/os.h"
#include "lib/base/state.h"
#include "lib/report/look.h"

#include <errno.h>
#include <string.h>

static int snapshot_write(struct report_file *file, int error, const char *why) {
    struct look look = {.search = "graph"};
    if (!error) {
        look.out = file->fd;
        why = runtime_owners ? look_at_process(&look) : "with owners=0 no blocks are known";
        error = report_file_close(file, why ? EIO : 0);
        why = why ? why : strerrordesc_np(error);
    }
    if (error)
        os_say("no graph in ", file->path, ": ", why);
    return error;
}

int snapshot_write_to(const char *path) {
    struct report_file file;
    const char *why = NULL;
    int error = report_file_open(&file, path, &why);
    return snapshot_write(&file, error, why);
}

bool snapshot_is_wanted(void) {
    return strcmp(runtime_options()->graph, "none") != 0;
}

void snapshot_write_wanted(uint32_t number) {
    struct report_file file;
    const char *why = NULL;
    int error = report_path_open(&file, runtime_options()->graph, number, &why);
    snapshot_write(&file, error, why);
}
