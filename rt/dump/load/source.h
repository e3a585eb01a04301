/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loads a report from a profile, a moment of a recording, or a process. */
#ifndef ALLOCSITE_DUMP_LOAD_SOURCE_H
#define ALLOCSITE_DUMP_LOAD_SOURCE_H

#include "dump/base/hash_index.h"
#include "dump/base/terminal.h"
#include "dump/line/symbolize.h"
#include "dump/process/process.h"
#include "dump/profile/read.h"
#include "dump/profile/views.h"
#include "dump/record/moment.h"
#include "model/report.h"

struct report_source {
    struct report *report; /* not prepared; points into the members below */
    bool is_recording;
    union {
        struct moment moment;
        struct profile_file profile;
    };
};

/* Prefix of a process id that takes the place of a path. A number without it means a process if no file has
 * that name. After the process has ended or executed another program, the source still gives the counters
 * that were read first. */
#define REPORT_SOURCE_PID "pid:"

/* The first: true if the text is a process id, with or without the prefix. The second: the same for an
 * argument that may also be a path. */
bool report_source_is_pid(const char *text, unsigned *pid);
bool report_source_is_process(const char *path, unsigned *pid);

/* path: "-" is standard input; "FILE@TIME" is a moment of a recording (moment_time) unless a file has that
 * name. False: *why has the reason, and there is nothing to free. */
bool report_source_load(struct report_source *, const char *path, struct reason *why);
void report_source_free(struct report_source *);

/* Symbolizes the addresses of the report and chooses the lines of its rows (line/attribute.h). The lines of
 * recordings were chosen when they were taken. */
void report_source_lines(const struct report_source *, struct symbolizer *);

/* The same for other programs' formats: rows stay at their sites, and allocations without a stack get one. */
void report_source_paths(const struct report_source *, struct symbolizer *);

/* ---- The modules that reports name, with build ids where known. */

/* All zero: empty. A path may appear several times, with different build ids. */
struct module_list {
    struct report_module *list;
    size_t count, capacity;
    struct string_pool strings;
};

/* Adds the modules of a source. */
void module_list_take(struct module_list *, const struct report_source *);

/* True if the module is a file and no entry has the same path with a build id. */
bool module_list_has_file(const struct module_list *, const struct report_module *);

void module_list_free(struct module_list *);

#endif
