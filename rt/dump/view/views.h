/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The views of reports: a row here, and a function that shows it. The command line, its help, its checks and
 * completion are made of the rows. */
#ifndef ALLOCSITE_DUMP_VIEW_VIEWS_H
#define ALLOCSITE_DUMP_VIEW_VIEWS_H

#include "dump/load/loaded.h"
#include "dump/view/tree.h"
#include "dump/view/view.h"
#include "model/options.h"

/* What reports can be written as besides, and the sets that views have of all: a bit for each. */
enum { FORMAT_HTML = FORMATS, FORMAT_SARIF, FORMAT_GITHUB, FORMAT_EXPORT, VIEW_FORMATS };
enum {
    AS_TEXT = 1 << FORMAT_TEXT,
    AS_TREE = AS_TEXT | 1 << FORMAT_JSON,
    AS_PAGES = AS_TREE | 1 << FORMAT_MARKDOWN,
    AS_TABLE = AS_PAGES | 1 << FORMAT_CSV,
    AS_ROWS = AS_TABLE | 1 << FORMAT_TSV,
    AS_FINDINGS = 1 << FORMAT_SARIF | 1 << FORMAT_GITHUB,
    AS_HTML = 1 << FORMAT_HTML,
    AS_EXPORT = 1 << FORMAT_EXPORT /* one of them (dump/export/export.h) */
};

/* What is looked up for a view: the functions at addresses, the files of modules. */
enum { OF_NAMES = 1, OF_FILES = 2 };

/* show_NAME shows it. The option that asks for it, whether that has a value (getopt), the value and what is
 * shown, as the help has them; formats; what is looked up; and the options that it takes of those that not
 * all views take. */
#define REPORT_VIEWS(X)                                                                                      \
    X(tree, "tree", optional_argument, "[=leaf|root]       ",                                                \
      "call paths, from allocations up or from main down", AS_TREE, OF_NAMES,                                \
      "sort filter line skip stop depth min-bytes min-allocs prune")                                         \
    X(unused, "unused", no_argument, "                 ", "the sites that never ran", AS_TABLE, OF_FILES,    \
      "")                                                                                                    \
    X(coverage, "coverage", no_argument, "               ", "how many of the sites of each file ran",        \
      AS_TABLE, OF_FILES, "")                                                                                \
    X(events, "events", no_argument, "                 ", "what each line allocates, reallocates and frees", \
      AS_PAGES, OF_NAMES, "filter line skip stop leaks")                                                     \
    X(advice, "advise", no_argument, "                 ", "savings that follow from the counts",             \
      AS_TREE | AS_FINDINGS, OF_NAMES | OF_FILES, "filter line skip stop")                                   \
    X(history, "history", no_argument, "                ",                                                   \
      "of a recording: the live bytes of sites over time", AS_TREE, OF_NAMES, "filter min-bytes top")        \
    X(growth, "growth", no_argument, "                 ",                                                    \
      "of a recording: sites whose live bytes only grow", AS_TREE, OF_NAMES, "filter min-bytes top")

/* What is shown of a format where none of these is asked for. */
#define REPORT_PLAIN(X)                                                                                      \
    X(rows, "by", , , , AS_ROWS, OF_NAMES,                                                                   \
      "by focus inclusive padding sort top min-bytes min-allocs filter line skip stop depth leaks suppress " \
      "pairs sizes "                                                                                         \
      "lifetime")                                                                                            \
    X(page, "format=html", , , , AS_HTML, OF_NAMES,                                                          \
      "source sort top min-bytes min-allocs filter line skip stop depth leaks suppress pairs sizes "         \
      "lifetime")                                                                                            \
    X(findings, "format", , , , AS_FINDINGS, OF_NAMES | OF_FILES, "filter line skip stop leaks suppress")    \
    X(export, "format", , , , AS_EXPORT, OF_NAMES, "sort top line skip stop")

enum report_view {
#define REPORT_VIEW(name, ...) REPORT_##name,
    REPORT_VIEWS(REPORT_VIEW) REPORT_PLAIN(REPORT_VIEW)
#undef REPORT_VIEW
        VIEWS
};

/* What a report is shown by. */
struct showing {
    struct options options;
    enum report_view view;
    unsigned format;   /* of options, or one of those besides */
    const char *order; /* of a tree; NULL: its own */
    const char *at;    /* the moment of recordings; NULL: none was asked for */
    bool has_source;   /* of the page */
    bool has_sort;     /* one was asked for */
    bool is_lenient;   /* what is not counted is left out, and no error */
    const struct export_format *export;
    const struct moment *moment; /* of the one file that is shown, if that is a recording */
    struct module_list modules;  /* of which the files are looked at */
    struct type_layouts layouts;
    struct groups groups; /* by site: none */
    char *suppressed;
    struct symbolizer symbolizer;
    struct tree tree;
    struct groups threads, phases; /* of the page */
};

/* Show the report to standard output. The status to end with. */
typedef int show_function(const char *path, struct report *, struct showing *);
#define REPORT_VIEW(name, ...) show_function show_##name;
REPORT_VIEWS(REPORT_VIEW)
REPORT_PLAIN(REPORT_VIEW)
#undef REPORT_VIEW

/* With all its rows. */
void view_prepare_all(struct report *, const struct showing *);

/* With the rows that are asked for. False: they are of what the report has not. */
bool view_prepare(const char *path, struct report *, const struct showing *);

/* Complains of numbers that the program was not asked to count. STATUS_FAILED: there are any. */
int view_check_asked(const char *path, const struct report *);

/* Has the layouts of types in the rows by type. */
void view_read_layouts(struct showing *, const struct report *);

#define WITHOUT_PAIRS "has no pairs: run the program with ALLOCSITE_OPTIONS=pairs=1"

#endif
