/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump graph: shows what keeps the live blocks of a process alive. */
#include "dump/base/files.h"
#include "dump/capture/resident.h"
#include "dump/commands/commands.h"
#include "dump/elf/elf_file.h"
#include "dump/graph/show.h"
#include "dump/load/loaded.h"
#include "dump/load/source.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: allocsite-dump graph [OPTION...] PID|FILE [why TYPE|ADDRESS|SITE]\n"
    "       allocsite-dump graph [OPTION...] OLD NEW\n"
    "       allocsite-dump graph PID -o FILE\n"
    "\n"
    "Shows the live objects of a process, by type, and the references to them. The\n"
    "process is stopped while its memory is copied. A snapshot FILE has the pointers\n"
    "between objects, and no other contents of memory unless --contents is given.\n"
    "\n"
    "  -o FILE, --output=FILE  only write a snapshot\n"
    "  --format=heapsnapshot   the whole graph, for the Memory panel of DevTools\n"
    "  --by=type|site|stack    rows (default: type); stack needs a program with call\n"
    "                          paths, and works for --dump\n"
    "  --top=N                 rows to show (0: all; default: 20)\n"
    "  --format=text|json|tsv|csv|markdown|mermaid|dot    the last two: with --type\n"
    "  --counts, --sizes       for each type the number of objects, or the bytes that\n"
    "                          they lead to\n"
    "  --dump                  each object: address, size, type, site\n"
    "  --edges                 each reference: address or root, field, address\n"
    "  --contents              of PID: also show how texts in blocks begin; with -o\n"
    "                          the snapshot has them\n"
    "  --resident              of PID: the parts of its resident memory, and lines\n"
    "                          that keep mostly unused pages of the heap\n"
    "  --type=TYPE             the references to objects of this type\n"
    "  --objects               with --type: single objects, and the references back\n"
    "  --levels=N              with --type: steps back in a picture (default: 5)\n"
    "  --limit=N               with --objects: objects (default: 10); with why: paths\n"
    "                          (default: 3)\n" HELP_OF_LINE
    "  why WHAT                the shortest paths from roots to objects, or the cycle\n"
    "                          that holds leaked objects\n"
    "\n"
    "examples:\n"
    "  allocsite-dump graph 1234\n"
    "  allocsite-dump graph 1234 -o before.graph\n"
    "  allocsite-dump graph before.graph why 'struct session'\n"
    "  allocsite-dump graph --type='struct session' --format=mermaid before.graph";

struct graph_options {
    enum graph_by by;
    enum graph_format format;
    const char *what; /* option that chooses the output; NULL: rows, or the holders of a type */
    const char *type, *output;
    uint64_t top, levels, limit; /* limit: 0: not given */
    bool contents;
    bool has_line; /* given on the command line: */
    struct line_options line;
    const char *why; /* NULL: not requested */
};

static bool graph_is_asked(const struct graph_options *graph_options, const char *what) {
    return graph_options->what && strcmp(graph_options->what, what) == 0;
}

/* *to: index of the value in the list. False: not in the list. */
static bool take_word(unsigned *to, const char *value, const char *const *words) {
    for (*to = 0; words[*to]; ++*to)
        if (strcmp(words[*to], value) == 0)
            return true;
    return false;
}

static const char *take_by(void *to, const char *value) {
    static const char *const words[] = {"type", "site", "stack", NULL};
    return take_word(to, value, words) ? NULL : "type, site or stack";
}

static const char *take_format(void *to, const char *value) {
    static const char *const words[] = {"text",    "json", "tsv",          "csv", "markdown",
                                        "mermaid", "dot",  "heapsnapshot", NULL};
    return take_word(to, value, words) ? NULL
                                       : "text, json, tsv, csv, markdown, mermaid, dot or heapsnapshot";
}

static const char *take_levels(void *to, const char *value) {
    return take_number(to, value) || *(uint64_t *)to >= 1000 ? "a number" : NULL;
}

#define AT(member) offsetof(struct graph_options, member)
static const struct argument list[] = {
    {"by", true, take_by, AT(by)},
    {"top", true, take_number, AT(top)},
    {"format", true, take_format, AT(format)},
    {"counts", false, take_text, AT(what)},
    {"sizes", false, take_text, AT(what)},
    {"dump", false, take_text, AT(what)},
    {"edges", false, take_text, AT(what)},
    {"contents", false, take_flag, AT(contents)},
    {"resident", false, take_text, AT(what)},
    {"type", true, take_text, AT(type)},
    {"objects", false, take_text, AT(what)},
    {"levels", true, take_levels, AT(levels)},
    {"limit", true, take_positive, AT(limit)},
    {"output", true, take_text, AT(output)},
    ARGUMENTS_OF_LINE(AT(line)),
    {0},
};

static bool is_diagram(const struct graph_options *graph_options) {
    return graph_options->format == GRAPH_MERMAID || graph_options->format == GRAPH_DOT;
}

/* Two graphs are compared by type only. Returns the name of an option that does not fit; NULL: none. */
static const char *not_of_two(const struct graph_options *graph_options) {
    return graph_options->output                ? "output"
           : graph_options->type                ? "type"
           : graph_options->what                ? graph_options->what
           : graph_options->by != GRAPH_BY_TYPE ? "by"
                                                : NULL;
}

/* ARGUMENTS_TAKEN, or an exit status after an error message. */
static int check_options(const struct graph_options *graph_options) {
    if (graph_is_asked(graph_options, "objects") && !graph_options->type)
        return complain_usage("graph: --objects needs --type");
    if (is_diagram(graph_options) && (!graph_options->type || graph_options->why))
        return complain_usage("graph: mermaid and dot need --type");
    if (graph_is_asked(graph_options, "resident") &&
        (graph_options->format > GRAPH_JSON || graph_options->output))
        return complain_usage("graph: --resident is a report as text or JSON");
    if (graph_options->format == GRAPH_HEAPSNAPSHOT &&
        (graph_options->what || graph_options->type || graph_options->why))
        return complain_usage("graph: a heap snapshot takes no other options");
    return ARGUMENTS_TAKEN;
}

/* ---- Loading and showing. */

static bool load_file(struct graph *graph, const char *path, struct reason *why) {
    struct file_map map;
    struct reason unimportant;
    if (!file_map(&map, path, why))
        return false;
    bool is_read = !elf_is_core(map.bytes, map.size, why) && graph_read(graph, map.bytes, map.size, why);
    file_unmap(&map, &unimportant);
    return is_read;
}

static bool load_graph(struct graph *graph, const char *path, const struct graph_options *graph_options,
                       struct reason *why) {
    struct capture_target target = {.wants_contents = graph_options->contents, .line = &graph_options->line};
    bool is_process = report_source_is_process(path, &target.pid);
    if (!is_process && graph_options->has_line)
        return reason_set(why, "has its lines already: --line, --skip and --stop need a process");
    bool is_loaded = is_process ? capture_graph(graph, &target, why) : load_file(graph, path, why);
    if (is_loaded)
        graph_names(graph);
    return is_loaded;
}

static int show_rows(const struct graph *graph, const struct graph_options *graph_options) {
    struct graph_dominators dominators;
    struct graph_sums sums;
    bool is_all = graph_is_asked(graph_options, "sizes") || graph_is_asked(graph_options, "counts") ||
                  !graph_options->top;
    size_t most = is_all ? SIZE_MAX : graph_options->top;
    graph_dominators_find(&dominators, graph);
    graph_sums_make(&sums, graph, &dominators, graph_options->by, most,
                    !graph_is_asked(graph_options, "counts"));
    if (graph_is_asked(graph_options, "counts"))
        graph_show_counts(standard_out(), &sums);
    else if (graph_is_asked(graph_options, "sizes"))
        graph_show_sizes(standard_out(), &sums);
    else
        graph_show_sums(standard_out(), graph, &sums, most < sums.count ? most : sums.count,
                        graph_options->by, graph_options->format);
    graph_sums_free(&sums);
    graph_dominators_free(&dominators);
    return standard_out_end();
}

static int show_why(const char *path, const struct graph *graph, const struct graph_options *graph_options) {
    bool is_found = graph_show_why(standard_out(), graph, graph_options->why,
                                   graph_options->limit ? graph_options->limit : 3);
    int status = standard_out_end();
    return is_found
               ? status
               : complain_file(path, "no live object has this type, address or site: %s", graph_options->why);
}

static int show_objects(const struct graph *graph, const struct graph_options *graph_options) {
    graph_show_objects(standard_out(), graph, graph_options->type, (unsigned)graph_options->levels,
                       graph_options->limit ? graph_options->limit : 10, graph_options->format == GRAPH_DOT);
    return standard_out_end();
}

static int show_holders(const struct graph *graph, const struct graph_options *graph_options) {
    graph_show_holders(standard_out(), graph, graph_options->type, graph_options->top,
                       (unsigned)graph_options->levels, graph_options->format);
    return standard_out_end();
}

static int show_lines(const struct graph *graph, const struct graph_options *graph_options) {
    if (graph_is_asked(graph_options, "dump"))
        graph_show_dump(standard_out(), graph, graph_options->by == GRAPH_BY_STACK);
    else
        graph_show_edges(standard_out(), graph);
    return standard_out_end();
}

static int write_heapsnapshot(const struct graph *graph) {
    struct graph_dominators dominators;
    graph_dominators_find(&dominators, graph);
    graph_show_heapsnapshot(standard_out(), graph, &dominators);
    graph_dominators_free(&dominators);
    return standard_out_end();
}

static int write_snapshot(const struct graph *graph, const struct graph_options *graph_options) {
    if (graph_options->output)
        standard_out_to(graph_options->output);
    if (graph_options->format == GRAPH_HEAPSNAPSHOT)
        return write_heapsnapshot(graph);
    graph_write(standard_out(), graph);
    return standard_out_end();
}

static int show_graph(const char *path, const struct graph *graph,
                      const struct graph_options *graph_options) {
    int unstacked =
        graph_options->by == GRAPH_BY_STACK ? laws_need_stacks(path, graph->stack_count) : STATUS_DONE;
    if (unstacked != STATUS_DONE)
        return unstacked;
    if (graph_options->output || graph_options->format == GRAPH_HEAPSNAPSHOT)
        return write_snapshot(graph, graph_options);
    if (graph_options->why)
        return show_why(path, graph, graph_options);
    if (graph_is_asked(graph_options, "dump") || graph_is_asked(graph_options, "edges"))
        return show_lines(graph, graph_options);
    if (graph_options->type)
        return graph_is_asked(graph_options, "objects") ? show_objects(graph, graph_options)
                                                        : show_holders(graph, graph_options);
    return show_rows(graph, graph_options);
}

static int show_resident(const char *path, const struct graph_options *graph_options) {
    struct resident resident = {.map_count = 0};
    struct capture_target target = {.line = &graph_options->line, .resident = &resident};
    struct graph graph;
    struct reason why;
    if (!report_source_is_process(path, &target.pid))
        return complain_file(path, "--resident needs a running process");
    bool is_read = capture_graph(&graph, &target, &why);
    int status = is_read ? STATUS_DONE : complain_file(path, "%s", why.text);
    if (is_read) {
        resident_write(standard_out(), &resident, &graph, graph_options->top, graph_options->format);
        status = standard_out_end();
        graph_free(&graph);
    }
    resident_free(&resident);
    return status;
}

static int show_growth(char **paths, const struct graph *old, const struct graph_options *graph_options) {
    struct graph new;
    struct reason why;
    if (!load_graph(&new, paths[1], graph_options, &why))
        return complain_file(paths[1], "%s", why.text);
    graph_show_growth(standard_out(), old, &new, graph_options->top, graph_options->format);
    graph_free(&new);
    return standard_out_end();
}

int command_graph(int count, char **arguments) {
    struct graph_options graph_options = {.top = 20, .levels = 5};
    struct graph graph;
    struct reason why;
    uint64_t given;
    int status = arguments_take_given(&(struct arguments){"graph", help, list}, &graph_options, count,
                                      arguments, &given);
    graph_options.has_line = arguments_have_line(list, given);
    status = status == ARGUMENTS_TAKEN ? check_options(&graph_options) : status;
    if (status != ARGUMENTS_TAKEN)
        return status;
    int files = count - optind;
    char **paths = arguments + optind;
    if (files == 3 && strcmp(paths[1], "why") == 0) {
        graph_options.why = paths[2];
        files = 1;
    }
    if (files == 2 && graph_options.format > GRAPH_MARKDOWN)
        return complain_usage("graph: a comparison is a table: text, json, tsv, csv or markdown");
    if (files < 1 || files > 2)
        return complain_usage("graph: %s", files < 1 ? "no process and no file" : "more than two files");
    if (files == 2 && not_of_two(&graph_options))
        return complain_usage("graph: --%s needs a single process or file", not_of_two(&graph_options));
    if (graph_is_asked(&graph_options, "resident"))
        return show_resident(paths[0], &graph_options);
    if (!load_graph(&graph, paths[0], &graph_options, &why))
        return complain_file(paths[0], "%s", why.text);
    status = files == 2 ? show_growth(paths, &graph, &graph_options)
                        : show_graph(paths[0], &graph, &graph_options);
    graph_free(&graph);
    return status;
}
