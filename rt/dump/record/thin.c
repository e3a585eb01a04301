/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A recording with fewer samples. What sites counted in those that go is in those that stay: nothing but
 * moments is lost. */
#include "dump/record/take.h"

#include "dump/base/files.h"
#include "dump/record/read.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Those that were thinned before are the oldest, and get thinner each time. */
static bool is_kept(uint64_t number, uint64_t count) {
    return number % 2 == 0 || number >= count / 4 * 3 || number == count - 1;
}

static void copy_parts(struct recording_writer *to, const struct recording *from) {
    while (to->site_count < from->site_count)
        recording_site(to, &from->sites[to->site_count].view);
    if (from->has_reasons)
        recording_reasons(to, from->reasons, from->reason_count);
    if (from->has_modules)
        recording_modules(to, from->modules, from->module_count);
    for (size_t i = 0; i < from->changed_count; i++)
        recording_change(to, from->changed[i], &from->sites[from->changed[i]].change);
}

static void copy_head(struct recording_writer *to, const struct recording *from, uint64_t thinned) {
    uint64_t head[HEAD_NUMBERS];
    memcpy(head, from->head, sizeof head);
    head[HEAD_THINNED] += thinned;
    recording_head(to, head, from->program, from->command);
}

static bool copy(struct recording_writer *to, struct recording *from, uint64_t count, uint64_t *thinned,
                 struct reason *why) {
    uint64_t gone = 0;
    for (uint64_t i = 0; i < count; i++)
        gone += !is_kept(i, count);
    for (uint64_t i = 0; recording_next(from); i++) {
        if (i == 0)
            copy_head(to, from, gone);
        copy_parts(to, from);
        if (is_kept(i, count) && !recording_sample(to, from->numbers, why))
            return false;
    }
    *thinned += gone;
    return true;
}

static bool rewrite(struct recording_writer *to, const char *path, const void *bytes, size_t size,
                    uint64_t *thinned, struct reason *why) {
    struct new_file file;
    struct recording from;
    if (!recording_open(&from, bytes, size, why))
        return false;
    if (!new_file_open(&file, path, why))
        return recording_close(&from), false;
    int fd = fcntl(file.fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    struct reason last;
    bool is_copied =
        recording_create(to, fd, why) && copy(to, &from, recording_blocks(bytes, size), thinned, why);
    bool is_in_place = new_file_end(&file, is_copied ? 0 : -1, &last);
    if (is_copied && !is_in_place)
        *why = last;
    recording_close(&from);
    return is_in_place;
}

bool recording_thin(struct recording_writer *writer, const char *path, uint64_t *thinned,
                    struct reason *why) {
    struct recording_writer thin;
    char *bytes;
    size_t size;
    if (!whole_input(path, &bytes, &size, why))
        return false;
    bool is_thin = rewrite(&thin, path, bytes, size, thinned, why);
    free(bytes);
    if (!is_thin)
        return false;
    close(writer->fd);
    recording_end(writer);
    *writer = thin;
    return true;
}
