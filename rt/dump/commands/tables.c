/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump sites: shows the site tables of executables, libraries, objects and archives. */
#include "dump/base/files.h"
#include "dump/commands/commands.h"
#include "dump/elf/input.h"
#include "dump/table/table.h"
#include "model/options.h"

#include <getopt.h>
#include <string.h>

struct table_run {
    struct out *out;
    bool is_json;
    struct listing listing;
    bool has_heading;   /* text output names the module of each table */
    size_t table_count; /* in the current file */
    int status;
};

static void table_run_fail(struct table_run *run, const char *module, const char *why) {
    run->status = complain_file(module, "%s", why);
}

static void show_table(struct table_run *run, const char *module, const struct table *table) {
    if (run->has_heading && !run->is_json) {
        out_plain(run->out, module);
        out_text(run->out, ":\n");
    }
    if (run->is_json)
        sites_json(run->out, module, table);
    else
        sites_text(run->out, table, &run->listing);
}

/* An archive may contain objects without a table. */
static void show_elf(struct table_run *run, const struct module_bytes *module, const struct elf_file *elf) {
    struct module_table table;
    struct reason why;
    if (module->is_member && !module_has_table(elf))
        return;
    run->table_count++;
    if (!module_table_read(&table, elf, &why)) {
        table_run_fail(run, module->name, why.text);
        return;
    }
    run->has_heading |= module->is_member;
    show_table(run, module->name, &table.table);
    module_table_free(&table);
}

static void show_module(const struct module_bytes *module, void *context) {
    struct table_run *run = context;
    struct elf_file elf;
    struct reason why;
    if (!elf_open(&elf, module->bytes, module->size, &why)) {
        run->table_count++;
        table_run_fail(run, module->name, why.text);
        return;
    }
    show_elf(run, module, &elf);
    elf_close(&elf);
}

static void show_file(struct table_run *run, const char *path) {
    struct reason why;
    run->table_count = 0;
    if (!input_each(path, show_module, run, &why))
        table_run_fail(run, path, why.text);
    else if (run->table_count == 0)
        table_run_fail(run, path, "no member of the archive has a site table");
}

static int show_files(struct table_run *run, char **paths, int count) {
    run->out = standard_out();
    run->has_heading = count > 1;
    for (int i = 0; i < count; i++)
        show_file(run, paths[i]);
    return standard_out_end() | run->status;
}

static const char *take_format(void *to, const char *value) {
    enum report_format format = FORMAT_TEXT;
    bool is_known = format_named(value, strlen(value), 1 << FORMAT_TEXT | 1 << FORMAT_JSON, &format);
    *(bool *)to = format == FORMAT_JSON;
    return is_known ? NULL : "text or json";
}

static const char help[] = "usage: allocsite-dump sites [OPTION...] ELF...\n"
                           "\n"
                           "Lists the calls of allocators in executables, shared objects, relocatable\n"
                           "objects and archives that were compiled with the plugin, by file.\n"
                           "\n"
                           "  --frees             also sites that only free; json always has them\n"
                           "  --names=short|full  names of C++ functions and types; json: always full\n"
                           "  --format=text|json  json: one document on a line for each module\n"
                           "\n"
                           "examples:\n"
                           "  allocsite-dump sites ./app\n"
                           "  allocsite-dump sites --format=json libfoo.a | jq -r '.sites[].function'";

#define AT(member) offsetof(struct table_run, member)

int command_sites(int count, char **words) {
    static const struct argument list[] = {
        {"format", true, take_format, AT(is_json)},
        {"frees", false, take_flag, AT(listing.has_frees)},
        {"names", true, take_full_names, AT(listing.full_names)},
        {0},
    };
    struct table_run run = {.status = STATUS_DONE};
    int status = arguments_take(&(struct arguments){"sites", help, list}, &run, count, words);
    if (status != ARGUMENTS_TAKEN)
        return status;
    if (optind == count)
        return complain_usage("sites: no file");
    return show_files(&run, words + optind, count - optind);
}
