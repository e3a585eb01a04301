/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The allocations, by the calls that led there: a tree of the stacks of a report.
 *
 * A path begins with the row's own place and the functions that it was inlined into; its calling frames
 * follow, from the one that called the outermost of these. Root first it is the other way round. Rows, or
 * parts of them, of which no stack was kept have the first half only. */
#ifndef ALLOCSITE_DUMP_VIEW_TREE_H
#define ALLOCSITE_DUMP_VIEW_TREE_H

#include "base/out.h"
#include "dump/line/chooser.h"
#include "dump/view/measure.h"

/* Equal places are one node. Texts are the tree's own, once each. */
struct tree_node {
    struct path_place at; /* without column; without a module where a file is known; not inlined */
    uint64_t amounts[MEASURE_SORTS];
    size_t parent;       /* number of its node */
    size_t first, count; /* children, in order */
    uint64_t pruned_amounts[MEASURE_SORTS];
    size_t pruned; /* further children, which are too small */
};

struct tree {
    bool is_root_first;            /* set by the caller, like those that follow; the rest is zero */
    enum measure by;               /* what children are sorted and pruned by */
    double prune;                  /* what has less than so many percent of the whole is left out */
    const char *filter;            /* only sites that match, as in model/filter.h; "": all */
    uint64_t depth;                /* frames that stacks have; 0: all */
    uint64_t least[MEASURE_SORTS]; /* what has less of a measure is left out as well */
    bool has_stacks_alone;         /* rows of which no stack was kept are summed up, and are in no node */

    uint64_t bare_amounts[MEASURE_SORTS]; /* of these */
    size_t bare;

    struct tree_node *nodes; /* 0 is the whole */
    size_t count, room;
    size_t *children; /* numbers of nodes */
    struct hash_index index;
    struct string_pool strings;
};

/* Makes the tree of a prepared report, whose addresses the symbolizer has looked up. */
void tree_make(struct tree *, const struct report *);
void tree_free(struct tree *);

void tree_text(struct out *, const struct tree *, const struct report *);
void tree_json(struct out *, const struct tree *, const struct report *);

/* What was counted on one way. */
struct tree_part {
    const struct call_path *path;
    const struct report_site *site;
    const struct report_stack *stack; /* NULL: what no stack has of the site */
    const struct counters *counters;
};

/* The part of each path that is visited. */
struct tree_extent {
    uint64_t frames; /* of a stack; 0: all */
    size_t places;   /* of the path; 0: CALL_PATH_MAX */
};

/* Visits all parts of a prepared report, whose addresses the symbolizer has looked up: together they are the
 * sites that it has. */
typedef void tree_visitor(void *context, const struct tree_part *);
void tree_parts(const struct report *, struct tree_extent, tree_visitor *, void *context);

/* ---- A report by stack: with a row for what each stack has of a site, and one for what is in none, in the
 * place of the site's. What commands do with sites they do with these alike. */

/* All zero: none. */
struct by_stack {
    struct report report; /* lost blocks and pairs are not known by stack */
    struct report_site *rows;
    struct report_site **sites;
    size_t count, room;
    struct string_pool ways;
    struct line_paths *paths;
};

/* Of a prepared report that shows all, and whose addresses the symbolizer has looked up; both are to outlive
 * it. */
void by_stack_make(struct by_stack *, const struct report *, struct symbolizer *);
void by_stack_free(struct by_stack *);

#endif
