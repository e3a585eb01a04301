/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump sites: the static table of sites in executables, libraries, objects and archives. */
#include "sites.h"

#include "command.h"
#include "input.h"
#include "module_table.h"
#include "verify.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct sites_run {
    struct out out;
    bool is_json, is_verifying, has_heading;
    size_t table_count; /* in the present file */
    int status;
};

static void fail(struct sites_run *run, const char *module, const struct reason *why) {
    complain(module, "%s", why->text);
    run->status = STATUS_FAILED;
}

static void write_heading(struct sites_run *run, const char *module) {
    if (!run->has_heading || run->is_json)
        return;
    out_plain(&run->out, module);
    out_text(&run->out, ":\n");
}

static void show_table(struct sites_run *run, const char *module, const struct elf_file *elf,
                       const struct table *table) {
    write_heading(run, module);
    if (run->is_verifying) {
        if (verify(&run->out, run->is_json, module, elf, table) != STATUS_DONE)
            run->status = STATUS_FAILED;
    } else if (run->is_json)
        sites_json(&run->out, module, table);
    else
        sites_text(&run->out, table);
}

/* Objects without a table are a normal part of an archive. */
static void show_elf(struct sites_run *run, const struct module_bytes *module, const struct elf_file *elf) {
    struct module_table table;
    struct reason why;
    if (module->is_member && !module_has_table(elf))
        return;
    run->table_count++;
    if (!module_table_read(&table, elf, &why)) {
        fail(run, module->name, &why);
        return;
    }
    run->has_heading |= module->is_member;
    show_table(run, module->name, elf, &table.table);
    module_table_free(&table);
}

static void show_module(const struct module_bytes *module, void *context) {
    struct sites_run *run = context;
    struct elf_file elf;
    struct reason why;
    if (!elf_open(&elf, module->bytes, module->size, &why)) {
        run->table_count++;
        fail(run, module->name, &why);
        return;
    }
    show_elf(run, module, &elf);
    elf_close(&elf);
}

static void show_file(struct sites_run *run, const char *path) {
    struct reason why;
    run->table_count = 0;
    if (!input_each(path, show_module, run, &why))
        fail(run, path, &why);
    else if (run->table_count == 0) {
        reason_set(&why, "no member of the archive has a site table");
        fail(run, path, &why);
    }
}

static int help(void) {
    puts("usage: allocsite-dump sites [--format=text|json] [--verify] ELF...\n"
         "\n"
         "Prints the allocation sites that the allocsite plugin left in executables, shared objects,\n"
         "relocatable objects and archives.\n"
         "\n"
         "  --format=text|json  json: one document on a line for each module\n"
         "  --verify            check the table against the module's debug information instead of printing\n"
         "                      it; name the sites that disagree\n"
         "\n"
         "examples:\n"
         "  allocsite-dump sites ./app\n"
         "  allocsite-dump sites --format=json libfoo.a | jq -r '.sites[].function'\n"
         "  allocsite-dump sites --verify ./app libfoo.so");
    return STATUS_DONE;
}

static bool set_format(struct sites_run *run, const char *name) {
    run->is_json = strcmp(name, "json") == 0;
    return run->is_json || strcmp(name, "text") == 0;
}

static int show_files(struct sites_run *run, char **paths, int count) {
    static char buffer[1 << 16];
    out_open(&run->out, STDOUT_FILENO, buffer, sizeof buffer);
    run->has_heading = count > 1;
    for (int i = 0; i < count; i++)
        show_file(run, paths[i]);
    int error = out_flush(&run->out);
    if (error)
        complain("standard output", "%s", strerror(error));
    return error ? STATUS_FAILED : run->status;
}

int command_sites(int count, char **arguments) {
    static const struct option options[] = {
        {"format", required_argument, NULL, 'f'},
        {"verify", no_argument, NULL, 'v'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    struct sites_run run = {.status = STATUS_DONE};
    opterr = 0;
    for (int option; (option = getopt_long(count, arguments, "h", options, NULL)) != -1;) {
        if (option == 'h')
            return help();
        if (option == 'v')
            run.is_verifying = true;
        else if (option != 'f')
            return complain_usage("sites: bad option %s", arguments[optind - 1]);
        else if (!set_format(&run, optarg))
            return complain_usage("sites: unknown format %s", optarg);
    }
    if (optind == count)
        return complain_usage("sites: no file");
    return show_files(&run, arguments + optind, count - optind);
}
