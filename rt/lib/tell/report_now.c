/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From the slabs to a descriptor. One report at a time: what it is made of stands in static memory. */
#define _GNU_SOURCE
#include "lib/tell/tell.h"

#include "lib/base/local.h"
#include "lib/who/modules.h"

#include "group/groups.h"
#include "lib/base/os.h"
#include "lib/base/state.h"
#include "lib/base/table.h"
#include "lib/collect/collect.h"
#include "model/filter.h"
#include "write/formats.h"
#include "write/lines.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* A report up to this size goes out in one write, so that those of several processes do not mix. */
#define OUT_SIZE ((size_t)1 << 20)

/* And if there is no memory. */
#define SMALL_SIZE ((size_t)1 << 14)

/* The thread that writes one; 0: nobody, as in a child that was forked meanwhile. Signals are not held, for a
 * write can take as long as its reader wants. */
struct lock {
    int32_t writer;
};

static struct table locks = {.element = sizeof(struct lock), .first = 1, .fork = OS_FORK_WIPES};

/* What of the leaks is known; NULL: all are told. */
static const char *read_suppressions(const char *path) {
    enum { SIZE = 1 << 16 };
    char *text = strcmp(path, "none") != 0 ? collect_take(SIZE) : NULL;
    if (text && os_read_file(path, text, SIZE - 1) < 0)
        os_say("no suppressions from ", path, ": ", strerrordesc_np(errno));
    const char *wrong = text ? suppress_wrong(text) : NULL;
    if (wrong)
        options_tell("no suppression, ", "not of the form leak:PATTERN", wrong, strcspn(wrong, "\r\n"));
    return text;
}

static bool write_groups(struct out *out, struct report *report, const struct options *options) {
    const struct report_limits everything = {.full_names = options->full_names},
                               limits = report_limits_of(options);
    struct groups groups = {.by = options->by,
                            .filter = options->filter,
                            .depth = options->depth,
                            .apart = !format_is_for_programs(options->format)};
    report_prepare(report, &everything);
    groups.rows = collect_take((groups_rows_needed(&groups, report) + 1) * sizeof *groups.rows);
    if (!groups.rows)
        return false;
    groups_enter(&groups, report);
    groups_prepare(&groups, &limits);
    groups_write(out, &groups, report, options->format);
    return true;
}

static void write_sites(struct out *out, struct report *report, const struct options *options) {
    struct report_limits limits = report_limits_of(options);
    limits.suppressed = read_suppressions(options->suppress);
    report_prepare(report, &limits);
    report_write(out, report, options->format);
}

static int write_report(int fd, const struct options *options, bool is_end, char *buffer, size_t size) {
    struct report report;
    struct out out;
    enum collect_stacks which = options->format == FORMAT_JSON || options->by == BY_STACK ? COLLECT_ALL_STACKS
                                : is_end && !format_is_for_programs(options->format) ? COLLECT_MAIN_STACKS
                                                                                     : COLLECT_NO_STACKS;
    if (!collect(&report, which, is_end))
        return ENOMEM;
    if (report_filter_is_vain(&report, options->filter))
        os_say("filter: nothing that allocated matches ", options->filter);
    line_fit(&report, fd);
    out_open(&out, fd, buffer, size);
    if (options->by == BY_SITE)
        write_sites(&out, &report, options);
    else if (!write_groups(&out, &report, options))
        return ENOMEM;
    return out_flush(&out);
}

struct wanted {
    int fd;
    const struct options *options;
    bool is_end;
    int error;
};

static void write_with_room(void *context) {
    struct wanted *wanted = context;
    size_t size = OUT_SIZE;
    char *buffer = os_map(size, OS_FORK_KEEPS);
    if (!buffer)
        buffer = os_map(size = SMALL_SIZE, OS_FORK_KEEPS);
    wanted->error = buffer ? write_report(wanted->fd, wanted->options, wanted->is_end, buffer, size) : ENOMEM;
    collect_done();
    if (buffer)
        os_unmap(buffer, size);
}

int report_write_now(int fd, const struct options *options, bool is_end) {
    struct wanted wanted = {fd, options, is_end, 0};
    struct os_writing before;
    struct lock *lock = table_at(&locks, 0);
    int error = lock ? os_lock(&lock->writer) : ENOMEM;
    if (error)
        return error;
    os_writing_begin(&before);
    os_call_with_room(write_with_room, &wanted);
    os_writing_end(&before);
    os_unlock(&lock->writer);
    return wanted.error;
}
