/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Allocations as a tree of calls, from the stacks of a report.
 *
 * A path begins with the row's own place and the functions that it was inlined into. The calling frames
 * follow, beginning with the caller of the outermost of these functions. Root first reverses this order. A
 * row or part without a stack has only the places of the row itself. */
#ifndef ALLOCSITE_DUMP_VIEW_TREE_H
#define ALLOCSITE_DUMP_VIEW_TREE_H

#include "base/out.h"
#include "dump/line/chooser.h"
#include "dump/view/measure.h"

/* Equal places under one parent are one node. The tree owns the strings and keeps each once. */
struct tree_node {
    struct path_place at; /* without column; without module if the file is known; is_inlined is false */
    uint64_t amounts[MEASURE_SORTS];
    size_t parent;       /* number of the parent node */
    size_t first, count; /* children, in order */
    uint64_t pruned_amounts[MEASURE_SORTS];
    size_t pruned; /* number of children that are too small to show */
};

struct tree {
    bool is_root_first; /* set by the caller, like the members up to the empty line; all others start as zero
                         */
    enum measure by;    /* sorts and prunes children */
    double prune;       /* leaves out nodes below this percentage of the whole */
    uint64_t top;       /* number of branches at the root; 0: all */
    const char *filter; /* only sites that match (model/filter.h); "": all */
    uint64_t depth;     /* innermost frames used of each stack; 0: all */
    uint64_t least[MEASURE_SORTS]; /* also leaves out nodes with less of a measure */
    bool has_stacks_alone;         /* rows without any stack are in no node and are summed up below */

    uint64_t bare_amounts[MEASURE_SORTS]; /* sum of the rows without any stack */
    size_t bare;

    struct tree_node *nodes; /* number 0 is the whole */
    size_t count, capacity;
    size_t *children; /* numbers of nodes */
    struct hash_index index;
    struct string_pool strings;
};

/* Makes the tree of a prepared report. The symbolizer must have looked up the report's addresses. */
void tree_make(struct tree *, const struct report *);
void tree_free(struct tree *);

void tree_text(struct out *, const struct tree *, const struct report *);
void tree_json(struct out *, const struct tree *, const struct report *);

/* The counts of one call path. */
struct tree_part {
    const struct call_path *path;
    const struct report_site *site;
    const struct report_stack *stack; /* NULL: the part of the site without a stack */
    const struct counters *counters;
};

/* Limits the part of each path that is visited. */
struct tree_extent {
    uint64_t frames; /* of a stack; 0: all */
    size_t places;   /* of the path; 0: CALL_PATH_MAX */
};

/* Visits all parts of a prepared report. The parts add up to its sites. The symbolizer must have looked up
 * the report's addresses. */
typedef void tree_visitor(void *context, const struct tree_part *);
void tree_parts(const struct report *, struct tree_extent, tree_visitor *, void *context);

/* ---- A report by stack: a row for each stack of a site, and a row for the site's part without a stack.
 * Commands can use these rows like sites. */

/* All zero: empty. */
struct by_stack {
    struct report report; /* leaked blocks and pairs are not known by stack */
    struct report_site *rows;
    struct report_site **sites;
    size_t count, capacity;
    struct string_pool ways;
    struct line_paths *paths;
};

/* Makes the rows of a report that was prepared with all its rows. The symbolizer must have looked up the
 * report's addresses. Report and symbolizer must outlive the result. */
void by_stack_make(struct by_stack *, const struct report *, struct symbolizer *);
void by_stack_free(struct by_stack *);

#endif
