/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump annotate: shows source with the allocations of its lines. */
#include "dump/annotate/annotate.h"

#include "dump/base/files.h"
#include "dump/base/terminal.h"
#include "dump/commands/commands.h"
#include "dump/load/loaded.h"
#include "write/lines.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct annotating {
    struct annotations annotations;
    struct symbolizer symbolizer;
    bool remarks;
};

static const char help[] = "usage: allocsite-dump annotate [OPTION...] PROFILE [FILE...]\n"
                           "\n"
                           "Shows the source with the counts of its lines in the margin: all files with\n"
                           "sites, or the named files, by their path or its end. A terminal gets a pager\n"
                           "(ALLOCSITE_PAGER, PAGER, else less). PROFILE may be - or pid:NUMBER.\n"
                           "\n"
                           "  --context=N             lines around those that allocate (default: 2)\n"
                           "  --all                   all lines of the files\n"
                           "  --source=DIRECTORY      find sources that have moved here\n"
                           "  --format=text|remarks   remarks: file:line:column: remark: ..., as compilers\n"
                           "                          write for editors\n" HELP_OF_LINE "\n"
                           "examples:\n"
                           "  allocsite-dump annotate app.profile\n"
                           "  allocsite-dump annotate --all app.profile parse.c";

static bool is_wanted(const struct annotated *file, char **names, int count) {
    for (int i = 0; i < count; i++)
        if (annotated_is(file, names[i]))
            return true;
    return !count;
}

static int check_names(const struct annotations *annotations, char **names, int count) {
    int status = STATUS_DONE;
    for (int i = 0; i < count; i++) {
        size_t file = 0;
        while (file < annotations->count && !annotated_is(&annotations->files[file], names[i]))
            file++;
        if (file == annotations->count)
            status = complain_file(names[i], "none of its lines allocates");
    }
    return status;
}

static int write_files(const struct annotating *annotating, char **names, int count) {
    const struct annotations *annotations = &annotating->annotations;
    struct out *out = standard_out();
    bool is_first = true;
    for (size_t i = 0; i < annotations->count; i++) {
        const struct annotated *file = &annotations->files[i];
        if (!is_wanted(file, names, count))
            continue;
        if (!annotating->remarks && !is_first)
            out_char(out, '\n');
        (annotating->remarks ? annotated_remarks : annotated_write)(out, annotations, file);
        is_first = false;
    }
    return standard_out_end();
}

static int annotate_files(const char *path, char **names, int count, struct annotating *annotating) {
    struct loaded loaded;
    if (!loaded_open(&loaded, path, &annotating->symbolizer))
        return STATUS_FAILED;
    /* editors need unabridged paths */
    if (!annotating->remarks)
        line_fit(loaded.report, STDOUT_FILENO);
    line_names(loaded.report, NULL);
    annotating->annotations.report = loaded.report;
    annotations_make(&annotating->annotations);
    int status = check_names(&annotating->annotations, names, count);
    bool has_pager = !annotating->remarks && pager_begin();
    int written = write_files(annotating, names, count);
    pager_end();
    status |= has_pager ? STATUS_DONE : written;
    status |= loaded.is_lawful ? STATUS_DONE : STATUS_FAILED;
    annotations_free(&annotating->annotations);
    loaded_close(&loaded);
    return status;
}

static const char *take_format(void *to, const char *value) {
    bool is_remarks = strcmp(value, "remarks") == 0;
    *(bool *)to = is_remarks;
    return is_remarks || strcmp(value, "text") == 0 ? NULL : "text or remarks";
}

#define AT(member) offsetof(struct annotating, member)
static const struct argument list[] = {
    {"context", true, take_number, AT(annotations.context)},
    {"all", false, take_flag, AT(annotations.is_whole)},
    {"source", true, take_text, AT(annotations.directory)},
    {"format", true, take_format, AT(remarks)},
    ARGUMENTS_OF_LINE(AT(symbolizer.line)),
    {0},
};

int command_annotate(int count, char **arguments) {
    struct annotating annotating = {.annotations = {.context = 2}};
    int status = arguments_take(&(struct arguments){"annotate", help, list}, &annotating, count, arguments);
    if (status != ARGUMENTS_TAKEN)
        return status;
    if (optind == count)
        return complain_usage("annotate: no file");
    status = annotate_files(arguments[optind], arguments + optind + 1, count - optind - 1, &annotating);
    symbolizer_free(&annotating.symbolizer);
    return status;
}
