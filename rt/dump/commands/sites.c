/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump sites: the static table of sites in executables, libraries, objects and archives. */
#include "dump/commands/commands.h"
#include "dump/table/listing.h"
#include "dump/table/run.h"
#include "dump/verify/verify.h"

#include <stdio.h>

static void show_table(struct table_run *run, const char *module, const struct elf_file *elf,
                       const struct table *table) {
    if (run->has_heading && !run->is_json) {
        out_plain(&run->out, module);
        out_text(&run->out, ":\n");
    }
    if (run->is_verifying) {
        if (verify(&run->out, run->is_json, module, elf, table) != STATUS_DONE)
            run->status = STATUS_FAILED;
    } else if (run->is_json)
        sites_json(&run->out, module, table);
    else
        sites_text(&run->out, table, &run->listing);
}

static int help(void) {
    puts("usage: allocsite-dump sites [OPTION...] ELF...\n"
         "\n"
         "Prints the allocation sites that the allocsite plugin left in executables,\n"
         "shared objects, relocatable objects and archives, by file.\n"
         "\n"
         "  --frees             the sites that only give blocks back, too; json always has\n"
         "                      them\n"
         "  --names=short|full  of C++ functions and types; json always has the full ones\n"
         "  --format=text|json  json: one document on a line for each module\n"
         "  --verify            check the table against the module's debug information\n"
         "                      instead of printing it; name the sites that disagree\n"
         "\n"
         "examples:\n"
         "  allocsite-dump sites ./app\n"
         "  allocsite-dump sites --format=json libfoo.a | jq -r '.sites[].function'\n"
         "  allocsite-dump sites --verify ./app libfoo.so");
    return STATUS_DONE;
}

int command_sites(int count, char **arguments) {
    struct table_run run = {.show = show_table, .status = STATUS_DONE};
    return table_run(&run, &(struct table_command){"sites", help, true}, count, arguments);
}
