/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which sites of a program's modules have run: the tables of the module files, held against a report.
 *
 * A site has run if it returned a block or failed in one of the processes that the report is of. Sites that
 * only free have no counters of their own, and are left out. */
#ifndef ALLOCSITE_DUMP_VIEW_COVERAGE_H
#define ALLOCSITE_DUMP_VIEW_COVERAGE_H

#include "base/out.h"
#include "dump/base/hash_index.h"
#include "dump/load/source.h"
#include "write/page.h"

struct covered_module {
    const char *path;
    const char *build_id; /* NULL: not known */
    char *unknown;        /* why its sites are not known; NULL: they are */
    bool has_table;       /* else nothing in it was compiled with the plugin */
    size_t sites, ran;
};

struct covered_site {
    struct report_site site; /* its view */
    uint8_t kind;            /* enum allocsite_kind */
    bool is_possible;        /* of what could be a wrapper: it is a site only if it ran */
    bool ran;
};

struct covered_file {
    const char *path; /* as the sites have it; NULL: unknown */
    size_t sites, ran;
};

/* All zero: nothing yet. */
struct coverage {
    struct covered_module *modules;
    size_t module_count;
    struct covered_site *sites; /* by file, line, column, function */
    size_t count, room, ran;
    struct covered_file *files; /* in the same order */
    size_t file_count, file_room;
    struct string_pool strings;
};

/* Reads the files of the modules, whose list must outlive it, and compares them with the prepared report.
 */
void coverage_read(struct coverage *, const struct module_list *, const struct report *);

/* Complains of each module whose sites are not known. STATUS_FAILED: of some. */
int coverage_check(const struct coverage *);

void coverage_free(struct coverage *);

/* The sites that have not run; the files, with how many of their sites have. */
void unused_write(struct out *, const struct coverage *, const struct report *, enum report_format);
void coverage_write(struct out *, const struct coverage *, const struct report *, enum report_format);

#endif
