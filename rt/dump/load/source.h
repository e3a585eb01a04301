/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report from a file, in whatever form it is: a profile, JSON, or a moment of a recording; or from a
 * process.
 */
#ifndef ALLOCSITE_DUMP_LOAD_SOURCE_H
#define ALLOCSITE_DUMP_LOAD_SOURCE_H

#include "dump/base/hash_index.h"
#include "dump/base/terminal.h"
#include "dump/process/process.h"
#include "dump/profile/read.h"
#include "dump/profile/views.h"
#include "dump/record/moment.h"
#include "model/report.h"

/* ---- A report from the JSON that the runtime wrote. The JSON may be damaged or hostile. */

struct report_file {
    struct report report;     /* not prepared yet */
    struct counters not_told; /* not 0: the totals lack it, as a counter that its allocsite did not have */

    /* Memory that the report borrows from. */
    struct json_document *document; /* without what was taken as it came */
    struct string_pool strings;     /* of that */
    struct report_site *rows;
    size_t row_room;
    struct report_site totals;
    struct report_site **by_id; /* the rows, by rising id */
    struct place *places;       /* of all inline chains */
    size_t place_count, place_room, pair_room;
    const char **reasons, **programs, **walked_for;
    uint64_t *reasons_hold;
    struct report_module *modules;
    struct report_frame *frames; /* of all stacks */
    size_t frame_count, frame_room, stack_room;
    struct profile_phases phases;
    struct report_part *parts;
    bool is_begun, is_sorted, has_modules;
};

/* False: *why says why, and there is nothing to free. */
bool report_read(struct report_file *, const char *bytes, size_t size, struct reason *why);

/* The same of what is read piece by piece: read writes up to size bytes and returns how many; 0: there are no
 * more; -1: *why says why. */
typedef ptrdiff_t report_read_some(void *context, char *bytes, size_t size, struct reason *why);
bool report_read_pieces(struct report_file *, report_read_some *, void *context, struct reason *why);

void report_read_free(struct report_file *);

/* ---- Sources. */

struct report_source {
    struct report *report; /* not prepared; points into what follows */
    bool is_profile;
    bool is_memory; /* of a process, which has no file */
    bool is_recording;
    union {
        struct report_file json;
        struct moment moment;
        struct profile_file profile;
    };
};

/* Before the number of a process, in the place of a path: its profile if it writes one, else what stands in
 * its memory. A number without it is a process if no file has that name. */
#define REPORT_SOURCE_PID "pid:"

/* Whether the text is such a number, with or without it; and whether it stands for a process where paths may
 * stand as well. */
bool report_source_is_pid(const char *text, unsigned *pid);
bool report_source_is_process(const char *path, unsigned *pid);

/* The name, but of a process: the path of its profile, which stays when it ends, as long as it has one now.
 */
const char *report_source_name(const char *name, char path[PROCESS_PATH_SIZE]);

/* path: "-" is standard input; "FILE@TIME" is that moment of a recording (moment_time), where no file has
 * that name. report_source_free gives back what was read. False: *why says why, and nothing is left to give
 * back. */
bool report_source_load(struct report_source *, const char *path, struct reason *why);
void report_source_free(struct report_source *);

/* ---- The modules that reports name, with their build ids where they tell them. */

/* All zero: none yet. A path can stand here several times, with another build id each. */
struct module_list {
    struct report_module *list;
    size_t count, room;
    struct string_pool strings;
};

/* Takes the modules of a source. */
void module_list_take(struct module_list *, const struct report_source *);

/* Whether it is a file, and not known better under its build id. */
bool module_list_has_file(const struct module_list *, const struct report_module *);

void module_list_free(struct module_list *);

#endif
