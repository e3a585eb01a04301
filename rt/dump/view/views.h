/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The views of reports. A view has a row in this list and a function that shows it. The command line, its
 * help, its checks and its completion are generated from the rows. */
#ifndef ALLOCSITE_DUMP_VIEW_VIEWS_H
#define ALLOCSITE_DUMP_VIEW_VIEWS_H

#include "dump/load/loaded.h"
#include "dump/view/tree.h"
#include "dump/view/view.h"
#include "model/options.h"

/* Formats that only reports in files have, and the sets of formats that views support: a bit for each
 * format. */
enum { FORMAT_HTML = FORMATS, FORMAT_SARIF, FORMAT_GITHUB, FORMAT_EXPORT, VIEW_FORMATS };
enum {
    AS_TEXT = 1 << FORMAT_TEXT,
    AS_TREE = AS_TEXT | 1 << FORMAT_JSON,
    AS_PAGES = AS_TREE | 1 << FORMAT_MARKDOWN,
    AS_ROWS = AS_PAGES | 1 << FORMAT_CSV | 1 << FORMAT_TSV,
    AS_FINDINGS = 1 << FORMAT_SARIF | 1 << FORMAT_GITHUB,
    AS_HTML = 1 << FORMAT_HTML,
    AS_EXPORT = 1 << FORMAT_EXPORT /* any export format (dump/export/export.h) */
};

/* The look-ups that a view needs: functions at addresses, files of modules. */
enum { OF_NAMES = 1, OF_FILES = 2 };

/* show_NAME shows the view. The other fields: option; whether it takes a value (getopt); the value and the
 * description in the help; supported formats; needed look-ups; supported options, of the options that not all
 * views support. */
#define REPORT_VIEWS(X)                                                                                      \
    X(tree, "tree", optional_argument, "[=leaf|root]       ",                                                \
      "call paths, from allocations up or from main down", AS_TREE, OF_NAMES,                                \
      "sort top filter line skip stop depth min-bytes min-allocs prune")                                     \
    X(events, "events", no_argument, "                 ", "what each line allocates, reallocates and frees", \
      AS_PAGES, OF_NAMES, "filter line skip stop leaks")                                                     \
    X(advice, "advise", no_argument, "                 ", "savings that follow from the counts",             \
      AS_TREE | AS_FINDINGS, OF_NAMES | OF_FILES, "filter line skip stop")                                   \
    X(history, "history", no_argument, "                ",                                                   \
      "of a recording: the live bytes of sites over time", AS_TREE, OF_NAMES, "filter min-bytes top")        \
    X(growth, "growth", no_argument, "                 ",                                                    \
      "of a recording: sites whose live bytes only grow", AS_TREE, OF_NAMES, "filter min-bytes top")

/* The views if none of these options is given; the format chooses between them. */
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

/* The parameters of a view. */
struct showing {
    struct options options;
    enum report_view view;
    unsigned format;   /* enum report_format or one of the further formats above */
    const char *order; /* of a tree; NULL: the default */
    const char *at;    /* requested moment of a recording; NULL: none */
    bool has_source;   /* the HTML page includes source code */
    bool has_sort;     /* an order was requested */
    bool has_format;   /* a format was requested by key, not by the name of a file */
    bool is_lenient;   /* leaves out missing numbers instead of failing */
    const struct export_format *export;
    const struct moment *moment; /* of the only input file, if it is a recording */
    struct module_list modules;  /* modules whose files are read */
    struct type_layouts layouts;
    struct groups groups; /* not used by site */
    char *suppressed;
    struct symbolizer symbolizer;
    struct tree tree;
    struct groups threads, phases; /* of the HTML page */
};

/* Show the report on standard output, and return the exit status. */
typedef int show_function(const char *path, struct report *, struct showing *);
#define REPORT_VIEW(name, ...) show_function show_##name;
REPORT_VIEWS(REPORT_VIEW)
REPORT_PLAIN(REPORT_VIEW)
#undef REPORT_VIEW

/* Prepares the report with all its rows. */
void view_prepare_all(struct report *, const struct showing *);

/* Prepares the report with the requested rows. Returns false if they need numbers that the report lacks. */
bool view_prepare(const char *path, struct report *, const struct showing *);

/* Complains about requested numbers that the program did not count. Returns STATUS_FAILED if there are
 * any. */
int view_check_asked(const char *path, const struct report *);

/* Adds the layouts of types to the rows by type. */
void view_read_layouts(struct showing *, const struct report *);

#define WITHOUT_PAIRS "has no pairs: run the program with ALLOCSITE_OPTIONS=pairs=1"

#endif
