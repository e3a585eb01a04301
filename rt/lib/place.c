/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Places in the source as people read them. */
#include "place.h"
#include "path.h"

#include <limits.h>

void place_write_path(struct out *out, const char *path, const char *directory) {
    char text[PATH_MAX];
    path_show(text, sizeof text, path ? path : "?", directory);
    out_plain(out, text);
}

void place_write(struct out *out, const struct place *place, const char *directory) {
    place_write_path(out, place->file, directory);
    if (!place->line)
        return;
    out_char(out, ':');
    out_u64(out, place->line);
    if (!place->column)
        return;
    out_char(out, ':');
    out_u64(out, place->column);
}
