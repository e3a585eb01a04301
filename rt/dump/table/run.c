/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "dump/table/run.h"

#include "dump/base/complain.h"
#include "dump/elf/input.h"
#include "dump/table/module_table.h"
#include "model/formats.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

static void fail(struct table_run *run, const char *module, const char *why) {
    run->status = complain(module, "%s", why);
}

/* Objects without a table are a normal part of an archive. */
static void show_elf(struct table_run *run, const struct module_bytes *module, const struct elf_file *elf) {
    struct module_table table;
    struct reason why;
    if (module->is_member && !module_has_table(elf))
        return;
    run->table_count++;
    if (!module_table_read(&table, elf, &why)) {
        fail(run, module->name, why.text);
        return;
    }
    run->has_heading |= module->is_member;
    run->show(run, module->name, elf, &table.table);
    module_table_free(&table);
}

static void show_module(const struct module_bytes *module, void *context) {
    struct table_run *run = context;
    struct elf_file elf;
    struct reason why;
    if (!elf_open(&elf, module->bytes, module->size, &why)) {
        run->table_count++;
        fail(run, module->name, why.text);
        return;
    }
    show_elf(run, module, &elf);
    elf_close(&elf);
}

static void show_file(struct table_run *run, const char *path) {
    struct reason why;
    run->table_count = 0;
    if (!input_each(path, show_module, run, &why))
        fail(run, path, why.text);
    else if (run->table_count == 0)
        fail(run, path, "no member of the archive has a site table");
}

static bool set_format(struct table_run *run, const char *name) {
    enum report_format format = FORMAT_TEXT;
    bool is_known = format_named(name, strlen(name), VIEW_TABLE, &format);
    run->is_json = format == FORMAT_JSON;
    return is_known;
}

static int show_files(struct table_run *run, char **paths, int count) {
    static char buffer[1 << 16];
    out_open(&run->out, STDOUT_FILENO, buffer, sizeof buffer);
    run->has_heading = count > 1;
    for (int i = 0; i < count; i++)
        show_file(run, paths[i]);
    int error = out_flush(&run->out);
    if (error && error != EPIPE)
        complain("standard output", "%s", strerror(error));
    return error ? STATUS_FAILED : run->status;
}

/* False: the value is wrong. */
static bool set_names(struct table_run *run, const char *value) {
    run->listing.full_names = strcmp(value, "full") == 0;
    return run->listing.full_names || strcmp(value, "short") == 0;
}

int table_run(struct table_run *run, const struct table_command *command, int count, char **arguments) {
    struct option options[] = {
        {"format", required_argument, NULL, 'f'},
        {"help", no_argument, NULL, 'h'},
        /* Of sites alone. */
        {"verify", no_argument, NULL, 'v'},
        {"frees", no_argument, NULL, 'r'},
        {"names", required_argument, NULL, 'n'},
        {0},
    };
    if (!command->is_of_sites)
        options[2] = (struct option){0};
    opterr = 0;
    for (int option; (option = getopt_long(count, arguments, "h", options, NULL)) != -1;) {
        if (option == 'h')
            return command->help();
        if (option == '?')
            return complain_option(command->name, options, arguments);
        run->is_verifying |= option == 'v';
        run->listing.has_frees |= option == 'r';
        if (option == 'f' && !set_format(run, optarg))
            return complain_value(command->name, "format", optarg, "text or json");
        if (option == 'n' && !set_names(run, optarg))
            return complain_value(command->name, "names", optarg, "short or full");
    }
    if (optind == count)
        return complain_usage("%s: no file", command->name);
    return show_files(run, arguments + optind, count - optind);
}
