/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump graph: shows what keeps the live blocks of a process alive. */
#include "dump/base/files.h"
#include "dump/capture/capture.h"
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
    "  --type=TYPE             the references to objects of this type\n"
    "  --objects               with --type: single objects, and the references back\n"
    "  --levels=N              with --type: steps back in a picture (default: 5)\n"
    "  --limit=N               with --objects: objects (default: 10); with why: paths\n"
    "                          (default: 3)\n" HELP_OF_LINE
    "  why WHAT                the shortest paths from roots to objects, or the cycle\n"
    "                          that holds lost objects\n"
    "\n"
    "examples:\n"
    "  allocsite-dump graph 1234\n"
    "  allocsite-dump graph 1234 -o before.graph\n"
    "  allocsite-dump graph before.graph why 'struct session'\n"
    "  allocsite-dump graph --type='struct session' --format=mermaid before.graph";

struct asked {
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

static bool asks(const struct asked *asked, const char *what) {
    return asked->what && strcmp(asked->what, what) == 0;
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

#define AT(member) offsetof(struct asked, member)
static const struct argument list[] = {
    {"by", true, take_by, AT(by)},
    {"top", true, take_number, AT(top)},
    {"format", true, take_format, AT(format)},
    {"counts", false, take_text, AT(what)},
    {"sizes", false, take_text, AT(what)},
    {"dump", false, take_text, AT(what)},
    {"edges", false, take_text, AT(what)},
    {"contents", false, take_flag, AT(contents)},
    {"type", true, take_text, AT(type)},
    {"objects", false, take_text, AT(what)},
    {"levels", true, take_levels, AT(levels)},
    {"limit", true, take_positive, AT(limit)},
    {"output", true, take_text, AT(output)},
    ARGUMENTS_OF_LINE(AT(line)),
    {0},
};

static bool is_diagram(const struct asked *asked) {
    return asked->format == GRAPH_MERMAID || asked->format == GRAPH_DOT;
}

/* Two graphs are compared by type only. Returns the name of an option that does not fit; NULL: none. */
static const char *not_of_two(const struct asked *asked) {
    return asked->output                ? "output"
           : asked->type                ? "type"
           : asked->what                ? asked->what
           : asked->by != GRAPH_BY_TYPE ? "by"
                                        : NULL;
}

/* ARGUMENTS_TAKEN, or an exit status after an error message. */
static int check(const struct asked *asked) {
    if (asks(asked, "objects") && !asked->type)
        return complain_usage("graph: --objects needs --type");
    if (is_diagram(asked) && (!asked->type || asked->why))
        return complain_usage("graph: mermaid and dot need --type");
    if (asked->format == GRAPH_HEAPSNAPSHOT && (asked->what || asked->type || asked->why))
        return complain_usage("graph: a heap snapshot has all that there is");
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

static bool load(struct graph *graph, const char *path, const struct asked *asked, struct reason *why) {
    struct capture_target target = {.wants_contents = asked->contents, .line = &asked->line};
    bool is_process = report_source_is_process(path, &target.pid);
    if (!is_process && asked->has_line)
        return reason_set(why, "has its lines already: --line, --skip and --stop are of a process");
    bool is_loaded = is_process ? capture_graph(graph, &target, why) : load_file(graph, path, why);
    if (is_loaded)
        graph_names(graph);
    return is_loaded;
}

static int show_rows(const struct graph *graph, const struct asked *asked) {
    struct graph_dominators dominators;
    struct graph_sums sums;
    bool is_all = asks(asked, "sizes") || asks(asked, "counts") || !asked->top;
    size_t most = is_all ? SIZE_MAX : asked->top;
    graph_dominators_find(&dominators, graph);
    graph_sums_make(&sums, graph, &dominators, asked->by, most, !asks(asked, "counts"));
    if (asks(asked, "counts"))
        graph_show_counts(standard_out(), &sums);
    else if (asks(asked, "sizes"))
        graph_show_sizes(standard_out(), &sums);
    else
        graph_show_sums(standard_out(), graph, &sums, most < sums.count ? most : sums.count, asked->by,
                        asked->format);
    graph_sums_free(&sums);
    graph_dominators_free(&dominators);
    return standard_out_end();
}

static int show_why(const char *path, const struct graph *graph, const struct asked *asked) {
    bool is_found = graph_show_why(standard_out(), graph, asked->why, asked->limit ? asked->limit : 3);
    int status = standard_out_end();
    return is_found ? status
                    : complain(path, "no live object is of this type, address or site: %s", asked->why);
}

static int show_objects(const struct graph *graph, const struct asked *asked) {
    graph_show_objects(standard_out(), graph, asked->type, (unsigned)asked->levels,
                       asked->limit ? asked->limit : 10, asked->format == GRAPH_DOT);
    return standard_out_end();
}

static int show_holders(const struct graph *graph, const struct asked *asked) {
    graph_show_holders(standard_out(), graph, asked->type, asked->top, (unsigned)asked->levels,
                       asked->format);
    return standard_out_end();
}

static int show_lines(const struct graph *graph, const struct asked *asked) {
    if (asks(asked, "dump"))
        graph_show_dump(standard_out(), graph, asked->by == GRAPH_BY_STACK);
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

static int write_snapshot(const struct graph *graph, const struct asked *asked) {
    if (asked->output)
        standard_out_to(asked->output);
    if (asked->format == GRAPH_HEAPSNAPSHOT)
        return write_heapsnapshot(graph);
    graph_write(standard_out(), graph);
    return standard_out_end();
}

static int show(const char *path, const struct graph *graph, const struct asked *asked) {
    int unstacked = asked->by == GRAPH_BY_STACK ? laws_need_stacks(path, graph->stack_count) : STATUS_DONE;
    if (unstacked != STATUS_DONE)
        return unstacked;
    if (asked->output || asked->format == GRAPH_HEAPSNAPSHOT)
        return write_snapshot(graph, asked);
    if (asked->why)
        return show_why(path, graph, asked);
    if (asks(asked, "dump") || asks(asked, "edges"))
        return show_lines(graph, asked);
    if (asked->type)
        return asks(asked, "objects") ? show_objects(graph, asked) : show_holders(graph, asked);
    return show_rows(graph, asked);
}

static int show_growth(char **paths, const struct graph *old, const struct asked *asked) {
    struct graph new;
    struct reason why;
    if (!load(&new, paths[1], asked, &why))
        return complain(paths[1], "%s", why.text);
    graph_show_growth(standard_out(), old, &new, asked->top, asked->format);
    graph_free(&new);
    return standard_out_end();
}

int command_graph(int count, char **arguments) {
    struct asked asked = {.top = 20, .levels = 5};
    struct graph graph;
    struct reason why;
    uint64_t given;
    int status =
        arguments_take_given(&(struct arguments){"graph", help, list}, &asked, count, arguments, &given);
    asked.has_line = arguments_have_line(list, given);
    status = status == ARGUMENTS_TAKEN ? check(&asked) : status;
    if (status != ARGUMENTS_TAKEN)
        return status;
    int files = count - optind;
    char **paths = arguments + optind;
    if (files == 3 && strcmp(paths[1], "why") == 0) {
        asked.why = paths[2];
        files = 1;
    }
    if (files == 2 && asked.format > GRAPH_MARKDOWN)
        return complain_usage("graph: what has grown is a table");
    if (files < 1 || files > 2)
        return complain_usage("graph: %s", files < 1 ? "no process and no file" : "more than two files");
    if (files == 2 && not_of_two(&asked))
        return complain_usage("graph: --%s is of one process or file", not_of_two(&asked));
    if (!load(&graph, paths[0], &asked, &why))
        return complain(paths[0], "%s", why.text);
    status = files == 2 ? show_growth(paths, &graph, &asked) : show(paths[0], &graph, &asked);
    graph_free(&graph);
    return status;
}
