/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump wrappers: the functions whose callers are billed, as the plugin found them. */
#include "base/json.h"
#include "dump/base/complain.h"
#include "dump/base/names.h"
#include "dump/commands/commands.h"
#include "dump/table/run.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *name, *how;
} origins[] = {
    {"analysis", "found by their bodies"},
    {"attribute", "declared with attribute malloc or alloc_size"},
    {"list", "listed"},
};

enum { ORIGIN_COUNT = sizeof origins / sizeof *origins };

static void write_argument(struct out *out, const char *name, uint8_t number) {
    if (!number)
        return;
    out_char(out, ' ');
    out_text(out, name);
    out_char(out, '=');
    out_u64(out, number);
}

static void write_line(struct out *out, const struct table_wrapper *wrapper) {
    out_text(out, "fun:");
    out_plain(out, wrapper->symbol);
    out_text(out, "=wrapper");
    write_argument(out, "size", wrapper->size);
    write_argument(out, "count", wrapper->count);
    write_argument(out, "align", wrapper->align);
    write_argument(out, "pointer", wrapper->pointer);
    out_char(out, '\n');
}

/* A list of allocators takes it as it is: what else is to be said stands in comments. */
void wrappers_text(struct out *out, const struct table *table) {
    for (int origin = 0; origin < ORIGIN_COUNT; origin++) {
        bool has_title = false;
        for (size_t i = 0; i < table->wrapper_count; i++) {
            if (table->wrappers[i].origin != origin || table->wrappers[i].is_possible)
                continue;
            if (!has_title) {
                out_text(out, "# ");
                out_text(out, origins[origin].how);
                out_char(out, '\n');
            }
            has_title = true;
            write_line(out, &table->wrappers[i]);
        }
    }
}

static void put_number(struct json *json, const char *key, uint8_t number) {
    if (number)
        json_number(json, key, number);
    else
        json_text(json, key, NULL);
}

static void put_wrapper(struct json *json, const struct table_wrapper *wrapper) {
    char *name = demangle(wrapper->symbol);
    json_open(json, NULL, '{');
    json_text(json, "symbol", wrapper->symbol);
    json_text(json, "function", name ? name : wrapper->symbol);
    json_text(json, "kind", table_kind_name(wrapper->kind));
    json_text(json, "found", origins[wrapper->origin].name);
    put_number(json, "size", wrapper->size);
    put_number(json, "count", wrapper->count);
    put_number(json, "align", wrapper->align);
    put_number(json, "pointer", wrapper->pointer);
    json_close(json, '}');
    free(name);
}

void wrappers_json(struct out *out, const char *module, const struct table *table) {
    struct json json = json_begin(out, "allocsite-wrappers", 1);
    json_text(&json, "module", module);
    json_open(&json, "wrappers", '[');
    for (size_t i = 0; i < table->wrapper_count; i++)
        if (!table->wrappers[i].is_possible)
            put_wrapper(&json, &table->wrappers[i]);
    json_close(&json, ']');
    json_end(&json);
}

static void show_table(struct table_run *run, const char *module, const struct elf_file *elf,
                       const struct table *table) {
    (void)elf;
    if (run->is_json) {
        wrappers_json(&run->out, module, table);
        return;
    }
    if (run->has_heading) {
        out_text(&run->out, "# ");
        out_plain(&run->out, module);
        out_text(&run->out, ":\n");
    }
    wrappers_text(&run->out, table);
}

static int help(void) {
    puts("usage: allocsite-dump wrappers [--format=text|json] ELF...\n"
         "\n"
         "Prints the functions that hand on a block of an allocator, or give one back to\n"
         "it, as the plugin found them in executables, shared objects, relocatable objects\n"
         "and archives. What they allocate is billed to their callers. As text it is a\n"
         "list of allocators (see allocsite(7)), ready to be given to the plugin for other\n"
         "files that only see declarations.\n"
         "\n"
         "  --format=text|json  json: one document on a line for each module\n"
         "\n"
         "example:\n"
         "  allocsite-dump wrappers libutil.a > wrappers.txt\n"
         "  allocsite-clang -fallocsite-list=wrappers.txt -g -c main.c");
    return STATUS_DONE;
}

int command_wrappers(int count, char **arguments) {
    struct table_run run = {.show = show_table, .status = STATUS_DONE};
    return table_run(&run, &(struct table_command){"wrappers", help, false}, count, arguments);
}
