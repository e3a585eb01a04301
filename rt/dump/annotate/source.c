/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The text of a source file. */
#include "dump/annotate/annotate.h"
#include "dump/base/files.h"
#include "dump/base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Only regular files: a path comes from a file that may be hostile, and a pipe would wait for ever. */
static bool read_text(struct source_text *text, const char *path, uint64_t begun) {
    struct stat status;
    struct reason why;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
        !whole_input(path, &text->bytes, &text->size, &why))
        return false;
    text->is_newer = begun && (uint64_t)status.st_mtim.tv_sec > begun / 1000000000;
    return true;
}

void source_text_open(struct source_text *text, const char *path, const char *directory, uint64_t begun) {
    *text = (struct source_text){.bytes = NULL};
    bool is_found = read_text(text, path, begun);
    for (const char *end = path; directory && end && !is_found;) {
        char *below = memory_text("%s/%s", directory, end + (*end == '/'));
        is_found = read_text(text, below, begun);
        free(below);
        end = strchr(end + 1, '/');
    }
}

void source_text_close(struct source_text *text) {
    free(text->bytes);
}

bool source_text_next(struct source_text *text, const char **line, size_t *length) {
    if (text->at >= text->size)
        return false;
    *line = text->bytes + text->at;
    const char *end = memchr(*line, '\n', text->size - text->at);
    *length = end ? (size_t)(end - *line) : text->size - text->at;
    text->at += *length + 1;
    return true;
}
