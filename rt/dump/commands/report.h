/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What allocsite-dump report is asked to show. */
#ifndef ALLOCSITE_DUMP_COMMANDS_REPORT_H
#define ALLOCSITE_DUMP_COMMANDS_REPORT_H

#include "dump/commands/commands.h"
#include "dump/findings/findings.h"
#include "dump/load/source.h"
#include "dump/load/symbolize.h"
#include "dump/view/tree.h"
#include "dump/view/view.h"

enum shown_what {
    SHOW_ROWS,
    SHOW_UNUSED,
    SHOW_COVERAGE,
    SHOW_TREE,
    SHOW_EVENTS,
    SHOW_HISTORY,
    SHOW_ADVICE,
    SHOW_FINDINGS
};

struct showing {
    struct options options;
    enum shown_what what;
    const char *given[32]; /* names of options that not all have, as they came */
    size_t given_count;
    bool has_prune;
    bool is_export;              /* in a format of allocsite-dump export, which takes the options as well */
    bool is_flame;               /* the tree is drawn */
    bool is_growth;              /* of the history: sites that only grow */
    const char *at;              /* the moment of recordings; NULL: none was asked for */
    const char *of_rows;         /* an option that this has not; NULL: there was none */
    const struct moment *moment; /* of the one file that is shown, if that is a recording */
    struct module_list modules;  /* of which the files are looked at */
    struct type_layouts layouts;
    findings_function *write_findings; /* of advice and findings; NULL: as text or JSON */
    struct groups groups;              /* by site: none */
    char *suppressed;
    struct symbolizer symbolizer;
    struct tree tree;
    bool is_page, has_source;      /* of rows: as HTML */
    struct groups threads, phases; /* of the page */
};

/* As arguments_take: ARGUMENTS_TAKEN, or the status to end with. */
int report_options(struct showing *, int count, char **arguments);

#endif
