/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report from a profile, from a moment of a recording, or from a process. */
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
    struct report *report; /* not prepared; points into what follows */
    bool is_recording;
    union {
        struct moment moment;
        struct profile_file profile;
    };
};

/* Before the number of a process, in the place of a path. A number without it is a process if no file has
 * that name. After the process has ended or executed another program, it still stands for the counters that
 * were read first. */
#define REPORT_SOURCE_PID "pid:"

/* Whether the text is such a number, with or without it; and whether it stands for a process where paths may
 * stand as well. */
bool report_source_is_pid(const char *text, unsigned *pid);
bool report_source_is_process(const char *path, unsigned *pid);

/* path: "-" is standard input; "FILE@TIME" is that moment of a recording (moment_time), where no file has
 * that name. report_source_free gives back what was read. False: *why says why, and nothing is left to give
 * back. */
bool report_source_load(struct report_source *, const char *path, struct reason *why);
void report_source_free(struct report_source *);

/* Looks up the addresses of the report, and chooses the lines of its rows (line/attribute.h). Those of
 * recordings were chosen when they were taken. */
void report_source_lines(const struct report_source *, struct symbolizer *);

/* The same for programs: rows stay where they were counted, and what no stack has of them gets one. */
void report_source_paths(const struct report_source *, struct symbolizer *);

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
