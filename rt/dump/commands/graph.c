/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump graph: who holds the live blocks of a process. */
#include "base/amount.h"
#include "dump/base/files.h"
#include "dump/capture/capture.h"
#include "dump/commands/commands.h"
#include "dump/graph/show.h"
#include "dump/load/source.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int help(void) {
    puts("usage: allocsite-dump graph [OPTION...] PID|FILE [why TYPE|ADDRESS|SITE]\n"
         "       allocsite-dump graph [OPTION...] OLD NEW\n"
         "       allocsite-dump graph PID -o FILE\n"
         "\n"
         "Shows the live objects of a process, by type, and who refers to them. The\n"
         "process stands still while its memory is copied. A snapshot FILE has where\n"
         "objects point to, and but for --contents nothing else of what is in them.\n"
         "\n"
         "  -o FILE, --output=FILE  only write a snapshot, to be looked at later\n"
         "  --format=heapsnapshot   all of it, for the Memory panel of Chrome's DevTools\n"
         "  --by=type|site          rows (default: type)\n"
         "  --top=N                 rows that are shown (0: all; default: 20)\n"
         "  --format=text|json|tsv|csv|markdown|mermaid|dot    the last two: of --type\n"
         "  --counts, --sizes       of each type how many, or the bytes that they lead to\n"
         "  --dump                  each object: address, size, type, site\n"
         "  --edges                 each reference: address or root, field, address\n"
         "  --contents              of PID: how texts in blocks begin, too; with -o they\n"
         "                          are in the snapshot\n"
         "  --type=TYPE             who refers to objects of the type\n"
         "  --objects               of --type: single ones, and backwards from them\n"
         "  --levels=N              steps backwards of a picture (default: 5)\n"
         "  --limit=N               objects to begin with (default: 10), or ways (3)\n"
         "  why WHAT                the shortest ways from roots to objects, or the cycle\n"
         "                          that holds lost ones\n"
         "\n"
         "examples:\n"
         "  allocsite-dump graph 1234\n"
         "  allocsite-dump graph 1234 -o before.graph\n"
         "  allocsite-dump graph before.graph why 'struct session'\n"
         "  allocsite-dump graph --type='struct session' --format=mermaid before.graph");
    return STATUS_DONE;
}

enum { BY = 256, TOP, FORMAT, COUNTS, SIZES, DUMP, EDGES, TYPE, OBJECTS, LEVELS, LIMIT, CONTENTS };

static const struct option long_options[] = {
    {"by", required_argument, NULL, BY},
    {"top", required_argument, NULL, TOP},
    {"format", required_argument, NULL, FORMAT},
    {"counts", no_argument, NULL, COUNTS},
    {"sizes", no_argument, NULL, SIZES},
    {"dump", no_argument, NULL, DUMP},
    {"edges", no_argument, NULL, EDGES},
    {"contents", no_argument, NULL, CONTENTS},
    {"type", required_argument, NULL, TYPE},
    {"objects", no_argument, NULL, OBJECTS},
    {"levels", required_argument, NULL, LEVELS},
    {"limit", required_argument, NULL, LIMIT},
    {"output", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

struct asked {
    enum graph_by by;
    enum graph_format format;
    int what; /* COUNTS, SIZES, DUMP, OBJECTS; 0: rows, or of a type its holders */
    const char *type, *output;
    uint64_t top, levels, limit; /* limit: 0: not given */
    bool contents;
    const char *why; /* NULL: not asked */
};

static const char *option_name(int value) {
    const struct option *option = long_options;
    while (option->val != value)
        option++;
    return option->name;
}

static bool set_word(const char *value, const char *const *words, int *to) {
    for (*to = 0; words[*to]; ++*to)
        if (strcmp(words[*to], value) == 0)
            return true;
    return false;
}

static bool set_by(struct asked *asked, const char *value) {
    static const char *const words[] = {"type", "site", NULL};
    int by;
    bool is_right = set_word(value, words, &by);
    asked->by = (enum graph_by)by;
    return is_right;
}

static bool set_format(struct asked *asked, const char *value) {
    static const char *const words[] = {"text",    "json", "tsv",          "csv", "markdown",
                                        "mermaid", "dot",  "heapsnapshot", NULL};
    int format;
    bool is_right = set_word(value, words, &format);
    asked->format = (enum graph_format)format;
    return is_right;
}

static bool set_option(struct asked *asked, int option, char *value) {
    switch (option) {
    case BY:
        return set_by(asked, value);
    case FORMAT:
        return set_format(asked, value);
    case TOP:
        return !amount_read_all(value, false, &asked->top);
    case LEVELS:
        return !amount_read_all(value, false, &asked->levels) && asked->levels < 1000;
    case LIMIT:
        return !amount_read_all(value, false, &asked->limit) && asked->limit;
    case TYPE:
        asked->type = value;
        return true;
    case CONTENTS:
        asked->contents = true;
        return true;
    case 'o':
        asked->output = value;
        return true;
    default:
        asked->what = option;
        return true;
    }
}

static const char *right_values(int option) {
    return option == BY       ? "type or site"
           : option == FORMAT ? "text, json, tsv, csv, markdown, mermaid, dot or heapsnapshot"
                              : "a number";
}

static bool is_diagram(const struct asked *asked) {
    return asked->format == GRAPH_MERMAID || asked->format == GRAPH_DOT;
}

/* What is shown of two is how many objects there are of each type. */
static const char *not_of_two(const struct asked *asked) {
    return asked->output                ? "output"
           : asked->type                ? "type"
           : asked->what                ? option_name(asked->what)
           : asked->by != GRAPH_BY_TYPE ? "by"
                                        : NULL;
}

static int check(const struct asked *asked) {
    if (asked->what == OBJECTS && !asked->type)
        return complain_usage("graph: --objects needs --type");
    if (is_diagram(asked) && (!asked->type || asked->why))
        return complain_usage("graph: mermaid and dot need --type");
    if (asked->format == GRAPH_HEAPSNAPSHOT && (asked->what || asked->type || asked->why))
        return complain_usage("graph: a heap snapshot has all that there is");
    return STATUS_DONE;
}

static int read_options(struct asked *asked, int count, char **arguments, bool *is_help) {
    int option, index = 0;
    *asked = (struct asked){.top = 20, .levels = 5};
    *is_help = false;
    opterr = 0;
    optind = 0;
    while ((option = getopt_long(count, arguments, ":o:h", long_options, &index)) != -1) {
        if (option == '?' || option == ':')
            return complain_option("graph", long_options, arguments);
        if (option == 'h') {
            *is_help = true;
            return help();
        }
        if (!set_option(asked, option, optarg))
            return complain_value("graph", long_options[index].name, optarg, right_values(option));
    }
    return check(asked);
}

/* ---- From files to what is shown. */

static bool load_file(struct graph *graph, const char *path, struct reason *why) {
    struct file_map map;
    struct reason unimportant;
    if (!file_map(&map, path, why))
        return false;
    bool is_read = graph_read(graph, map.bytes, map.size, why);
    file_unmap(&map, &unimportant);
    if (is_read && graph->head.is_bare)
        capture_name(graph);
    return is_read;
}

/* A number is a process if no file has that name. */
static bool load(struct graph *graph, const char *path, bool contents, struct reason *why) {
    unsigned pid;
    size_t prefix = strlen(REPORT_SOURCE_PID);
    bool is_pid = strncmp(path, REPORT_SOURCE_PID, prefix) == 0
                      ? report_source_is_pid(path + prefix, &pid)
                      : report_source_is_pid(path, &pid) && access(path, F_OK) != 0;
    return is_pid ? capture_graph(graph, pid, contents, why) : load_file(graph, path, why);
}

static int show_rows(const struct graph *graph, const struct asked *asked) {
    struct graph_dominators dominators;
    struct graph_sums sums;
    bool is_all = asked->what == SIZES || asked->what == COUNTS || !asked->top;
    size_t most = is_all ? SIZE_MAX : asked->top;
    graph_dominators_find(&dominators, graph);
    graph_sums_make(&sums, graph, &dominators, asked->by, most, asked->what != COUNTS);
    if (asked->what == COUNTS)
        graph_show_counts(standard_out(), &sums);
    else if (asked->what == SIZES)
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

static int show_lines(const struct graph *graph, int what) {
    (what == DUMP ? graph_show_dump : graph_show_edges)(standard_out(), graph);
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
    if (asked->output || asked->format == GRAPH_HEAPSNAPSHOT)
        return write_snapshot(graph, asked);
    if (asked->why)
        return show_why(path, graph, asked);
    if (asked->what == DUMP || asked->what == EDGES)
        return show_lines(graph, asked->what);
    if (asked->type)
        return asked->what == OBJECTS ? show_objects(graph, asked) : show_holders(graph, asked);
    return show_rows(graph, asked);
}

static int show_growth(char **paths, const struct graph *old, const struct asked *asked) {
    struct graph new;
    struct reason why;
    if (!load(&new, paths[1], false, &why))
        return complain(paths[1], "%s", why.text);
    graph_show_growth(standard_out(), old, &new, asked->top, asked->format);
    graph_free(&new);
    return standard_out_end();
}

int command_graph(int count, char **arguments) {
    struct asked asked;
    struct graph graph;
    struct reason why;
    bool is_help;
    int status = read_options(&asked, count, arguments, &is_help), files = count - optind;
    char **paths = arguments + optind;
    if (is_help || status)
        return status;
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
    if (!load(&graph, paths[0], asked.contents, &why))
        return complain(paths[0], "%s", why.text);
    status = files == 2 ? show_growth(paths, &graph, &asked) : show(paths[0], &graph, &asked);
    graph_free(&graph);
    return status;
}
